# SPDX-License-Identifier: GPL-2.0-only
"""ns-3's random numbers, for problems that a study draws as the scenarios would."""


class RandomStream:
    """P. L'Ecuyer's MRG32k3a, at the start of the stream of a RandomVariableStream in ns-3."""

    MODULI = (4294967087, 4294944443)
    STEPS = (((0, 1, 0), (0, 0, 1), (-810728, 1403580, 0)),
             ((0, 1, 0), (0, 0, 1), (-1370589, 0, 527612)))
    NORM = 2.328306549295727688e-10

    def __init__(self, seed, run, stream):
        """Values of --RngSeed, --RngRun and the attribute Stream."""
        self._states = []
        for step, modulus in zip(self.STEPS, self.MODULI):
            power, left = ((1, 0, 0), (0, 1, 0), (0, 0, 1)), ((1 << 63) + stream << 127) + (run << 76)
            while left:
                power = self._multiply(power, step, modulus) if left & 1 else power
                step, left = self._multiply(step, step, modulus), left >> 1
            self._states.append([seed * sum(row) % modulus for row in power])

    def uniform(self, low, high):
        for state, step, modulus in zip(self._states, self.STEPS, self.MODULI):
            state.append(sum(a * b for a, b in zip(step[2], state)) % modulus)
            del state[0]
        difference = self._states[0][2] - self._states[1][2]
        return low + (difference if difference > 0 else difference + self.MODULI[0]) * self.NORM * (high - low)

    @staticmethod
    def _multiply(one, other, modulus):
        return [[sum(a * b for a, b in zip(row, column)) % modulus for column in zip(*other)] for row in one]
