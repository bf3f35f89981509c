# SPDX-License-Identifier: GPL-2.0-only
# Read by test.py of an ns-3 tree: the examples it runs as tests, each as
# ("NAME --argument=VALUE", run it if, run it under valgrind if).

cpp_examples = [
    ("edgepipe-pipeline", "True", "False"),
    ("edgepipe-pipeline --transport=ns3::edgepipe::FlowTransport", "True", "False"),
    ("edgepipe-cooperative-inference", "True", "False"),
    ("edgepipe-shared-cell", "True", "False"),
    ("edgepipe-actor-learner", "True", "False"),
    ("edgepipe-data-parallel", "True", "False"),
    ("edgepipe-background-traffic", "True", "False"),
    ("edgepipe-mixed-links", "True", "False"),
]

python_examples = []
