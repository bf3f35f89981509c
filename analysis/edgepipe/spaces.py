# SPDX-License-Identifier: GPL-2.0-only
"""Gymnasium's spaces if it is installed, otherwise equivalents."""

import numpy

try:
    from gymnasium import Env
    from gymnasium.spaces import Box, Discrete
except ImportError:
    class Env:
        """The base class of Gymnasium's environments."""

        metadata = {"render_modes": []}
        render_mode = None
        spec = None
        np_random = None

        def reset(self, *, seed=None, options=None):
            if seed is not None or self.np_random is None:
                self.np_random = numpy.random.default_rng(seed)

        @property
        def unwrapped(self):
            return self

        def render(self):
            return None

        def close(self):
            pass

        def __enter__(self):
            return self

        def __exit__(self, *error):
            self.close()
            return False

    class _Space:
        def __init__(self, shape, dtype):
            self.shape, self.dtype = shape, numpy.dtype(dtype)
            self.np_random = numpy.random.default_rng()

        def seed(self, seed=None):
            self.np_random = numpy.random.default_rng(seed)
            return [seed]

        def __contains__(self, value):
            return self.contains(value)

    class Box(_Space):
        """Arrays of numbers with bounds for each element."""

        def __init__(self, low, high, shape=None, dtype=numpy.float32):
            shape = tuple(shape) if shape is not None else numpy.shape(low)
            super().__init__(shape, dtype)
            self.low = numpy.full(shape, low, self.dtype)
            self.high = numpy.full(shape, high, self.dtype)

        def contains(self, value):
            return (isinstance(value, numpy.ndarray) and value.shape == self.shape
                    and numpy.can_cast(value.dtype, self.dtype)
                    and bool(numpy.all(value >= self.low) and numpy.all(value <= self.high)))

        def sample(self):
            low = numpy.maximum(self.low, -1e6).astype(float)
            high = numpy.minimum(self.high, 1e6).astype(float)
            return self.np_random.uniform(low, high).astype(self.dtype)

    class Discrete(_Space):
        """Integers from 0 to n - 1."""

        def __init__(self, n):
            super().__init__((), numpy.int64)
            self.n = n

        def contains(self, value):
            return (isinstance(value, (int, numpy.integer))
                    or isinstance(value, numpy.ndarray) and value.shape == ()
                    and numpy.issubdtype(value.dtype, numpy.integer)) and 0 <= int(value) < self.n

        def sample(self):
            return numpy.int64(self.np_random.integers(self.n))

        def __repr__(self):
            return f"Discrete({self.n})"

__all__ = ["Box", "Discrete", "Env"]
