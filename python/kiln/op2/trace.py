"""Loops that wait until their results are asked for."""
from kiln.op2.configuration import configuration


class ExecutionTrace:
    """The queue of loops, in the order of their calls."""

    def __init__(self):
        self._trace = []

    def append(self, computation):
        """Queues a loop, or runs it where evaluation is not lazy."""
        if not configuration["lazy_evaluation"]:
            self.evaluate_all()
            computation._run()
            return
        self._trace.append(computation)
        longest = configuration["lazy_max_trace_length"]
        if 0 < longest <= len(self._trace):
            self.evaluate_all()

    def in_queue(self, computation):
        return any(queued is computation for queued in self._trace)

    def clear(self):
        """Forgets the queue: its loops do not run."""
        self._trace = []

    def evaluate_all(self):
        """Runs all that is queued."""
        queue, self._trace = self._trace, []
        self._run_all(queue)

    def evaluate(self, reads=frozenset(), writes=frozenset()):
        """Runs what must have run before these are read and those are written."""
        if not self._trace:
            return
        reads, writes = set(reads), set(writes)
        needed, kept = [], []
        # From the last to the first: what a loop reads others must have written before.
        for computation in reversed(self._trace):
            if (
                not computation.reads.isdisjoint(writes)
                or not computation.writes.isdisjoint(reads)
                or not computation.writes.isdisjoint(writes)
            ):
                needed.append(computation)
                reads |= computation.reads
                writes |= computation.writes
            else:
                kept.append(computation)
        self._trace = kept[::-1]
        self._run_all(needed[::-1])

    def _run_all(self, computations):
        for number, computation in enumerate(computations):
            try:
                computation._run()
            except BaseException:
                # The others are not lost; the one that failed would fail again.
                self._trace = computations[number + 1 :] + self._trace
                raise


trace = ExecutionTrace()
