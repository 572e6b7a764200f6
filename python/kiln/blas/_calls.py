"""From a described call of BLAS to its run, a plan or an explanation."""
import functools
import inspect
import threading

from kiln._kiln import BlasCall, BlasPlan, Runtime
from kiln.blas._operands import KILN, NUMPY, PYOPENCL
from kiln.errors import BadInputError

_lock = threading.Lock()
_default = None


def default_runtime():
    """Where calls with NumPy's arrays run that name no Runtime: all devices, the user's store; made once."""
    global _default
    with _lock:
        if _default is None:
            _default = Runtime()
        return _default


class Call:
    """A routine with its arguments, not yet run."""

    def __init__(self, routine, operands, result, *, finish=None, product=None, **options):
        """operands: (slot, Operand, stride, access) of each; options: BlasCall's; product: of its set_product."""
        self.operands = operands
        self.result = result
        self.finish = finish
        named = operands[0][1]
        self.kind = named.kind
        self.native = BlasCall(routine, options.pop("type", named.type), **options)
        if product:
            self.native.set_product(**product)
        for slot, operand, stride, access in operands:
            if access != "r":
                operand.check_writable()
                for _, other, *_ in operands:
                    if other is not operand and operand.shares_memory(other):
                        operand.refuse(f"memory that {other.label} has, too", "an array of its own")
            self.native.add(
                slot,
                operand.array,
                operand.kind,
                operand.first,
                stride,
                operand.extent,
                operand.itemsize,
                access,
                operand.stored,
                operand.item_stride,
            )

    def place(self, runtime, queue):
        """The Runtime and the queue, where they are not given."""
        if self.kind is PYOPENCL:
            queue = queue or next((one.array.queue for _, one, *_ in self.operands if one.array.queue), None)
            if queue is None:
                raise BadInputError("found arrays of pyopencl without a queue, expected queue=")
            return runtime, queue
        if runtime is None:
            runtime = self.operands[-1][1].array.runtime if self.kind is KILN else default_runtime()
        return runtime, queue

    def end(self, event):
        """What the caller gets."""
        if self.kind is NUMPY:
            event.wait()
            return self.finish() if self.finish else self.result
        if self.kind is PYOPENCL:
            from pyopencl import Event

            theirs = Event.from_int_ptr(event.int_ptr)
            for _, operand, *_ in self.operands:
                operand.array.add_event(theirs)
        return self.result


def routine(describe):
    """A function that runs what `describe` makes a Call of."""

    @functools.wraps(describe)
    def run(*args, runtime=None, queue=None, after=(), **keywords):
        call = describe(*args, **keywords)
        runtime, queue = call.place(runtime, queue)
        return call.end(call.native.run(runtime, queue, after))

    signature = inspect.signature(describe)
    keyword = inspect.Parameter.KEYWORD_ONLY
    run.__signature__ = signature.replace(
        parameters=[
            *signature.parameters.values(),
            inspect.Parameter("runtime", keyword, default=None),
            inspect.Parameter("queue", keyword, default=None),
            inspect.Parameter("after", keyword, default=()),
        ]
    )
    run.describe = describe
    return run


def _described(function, args, keywords):
    if not hasattr(function, "describe"):
        raise TypeError(f"found {function!r}, expected a routine of kiln.blas, such as kiln.blas.gemm")
    return function.describe(*args, **keywords)


class Plan:
    """A call that is prepared for many runs: they compile nothing and look nothing up.

    plan() runs it again with the arrays and numbers that it was made of; plan(...) with others of the
    same shapes, types and strides, and alpha and beta at will. Returns what the routine returns. One
    thread at a time.
    """

    def __init__(self, function, args, keywords, runtime, queue):
        self._function = function
        self._args, self._keywords = args, keywords
        call = _described(function, args, keywords)
        self._runtime, self._queue = call.place(runtime, queue)
        self._plan = BlasPlan(call.native, self._runtime, self._queue)

    def __call__(self, *args, after=(), **keywords):
        if not args:
            args = self._args
        call = self._function.describe(*args, **{**self._keywords, **keywords})
        return call.end(self._plan.run(call.native, after))

    @property
    def workspace_bytes(self):
        """int: device memory that the plan keeps for itself."""
        return self._plan.workspace_bytes

    def __repr__(self):
        return f"<kiln.blas.Plan of {self._function.__name__}>"


def plan(function, *args, runtime=None, queue=None, **keywords):
    """Prepares a call: plan(gemm, 1.0, a, b, 0.0, c). Returns a Plan."""
    return Plan(function, args, keywords, runtime, queue)


def explain(function, *args, runtime=None, queue=None, **keywords):
    """The kernels that a call comes to: explain(gemm, 1.0, a, b).

    Returns a BlasSequence: steps as plain data, and lines for people by str(). Programs are found or
    made as for a run; nothing is enqueued.
    """
    call = _described(function, args, keywords)
    return call.native.explain(*call.place(runtime, queue))
