# SPDX-License-Identifier: GPL-2.0-only
"""Cases on the cores of this machine, by GNU parallel."""

import shlex

from edgepipe.campaign.job import command_of
from edgepipe.campaign.parallel import Parallel
from edgepipe.campaign.record import has_ended


class LocalEngine:
    """Hands cases to one GNU parallel, a few more than it runs at once."""

    def __init__(self, folder, root, jobs, lock):
        self._room = 2 * jobs + 4
        self._running = {}  # folders by case
        self._parallel = Parallel(folder, ["--ungroup", "--jobs", str(jobs)], lock, cwd=root)

    def room(self):
        """How many more cases may be handed over now."""
        return self._room - len(self._running)

    def submit(self, case, folder, program, limits):
        self._running[case] = folder
        self._parallel.tell(command_of(case, shlex.quote(str(folder)), program, limits))

    def drain(self):
        """Nothing more comes for now."""

    def ended(self):
        """Cases that have, each with its folder and its host, None for this one."""
        has_stopped = self._parallel.has_ended()  # asked first: what it ran is in its folder then
        ended = [(case, folder, None) for case, folder in self._running.items()
                 if has_ended(folder)]
        if not ended and self._running and has_stopped:
            self._parallel.fail()
        for case, _, _ in ended:
            del self._running[case]
        return ended

    def close(self):
        """After the last case."""
        self._parallel.close()

    def kill(self):
        """Ends what runs."""
        self._parallel.kill()
