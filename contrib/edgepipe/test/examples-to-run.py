# SPDX-License-Identifier: GPL-2.0-only
# Read by test.py of an ns-3 tree: the examples it runs as tests, each as
# ("NAME --argument=VALUE", run it if, run it under valgrind if).

cpp_examples = []

python_examples = []
