"""Loops that wait until their results are asked for."""
from kiln.op2.configuration import configuration


class CallPlace:
    """Where in a program a loop was called: what fails when it runs, later, can say so.

    Keeps the code and the instruction, from which the line is found only when it is needed.
    """

    __slots__ = ()

    def _called_from(self, frame):
        self._code = frame.f_code
        self._instruction = frame.f_lasti

    @property
    def place(self):
        """"FILE:LINE"."""
        lines = (
            line for begin, end, line in self._code.co_lines() if begin <= self._instruction < end
        )
        return f"{self._code.co_filename}:{next(lines, None) or self._code.co_firstlineno}"

    def _explain(self, error):
        """Puts the place and the kernel before what the error says; behind it where it says more than
        a text, or is a program's own, from a function of Python."""
        kernel = self._kernel
        is_ours = not callable(kernel)
        where = f"{self.place}: loop of {kernel.name if is_ours else kernel.__name__}"
        if is_ours and len(error.args) == 1 and str(error) == error.args[0]:
            error.args = (f"{where}: {error.args[0]}",)
        else:
            error.add_note(where)


class ExecutionTrace:
    """The queue of loops, in the order of their calls."""

    def __init__(self):
        self._trace = []

    def append(self, computation):
        """Queues a loop, or runs it where evaluation is not lazy."""
        if not configuration["lazy_evaluation"]:
            self.evaluate_all()
            self._run_all([computation])
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
            except BaseException as error:
                # The others are not lost; the one that failed would fail again.
                self._trace = computations[number + 1 :] + self._trace
                if isinstance(error, Exception):
                    computation._explain(error)
                raise


trace = ExecutionTrace()
