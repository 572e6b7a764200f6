"""For programs that were written for PyOP2: its modules, by name."""
import sys
import types

MODULES = ("op2", "base", "exceptions", "sequential", "configuration", "utils", "backends")


class _Communicator:
    """The one part that there is without MPI."""

    rank = 0
    size = 1

    def barrier(self):
        pass

    Barrier = barrier


class MPI:
    """What programs ask of PyOP2's MPI: one part."""

    comm = _Communicator()
    parallel = False


def _names():
    """What PyOP2 has in its modules, of all of them together."""
    from kiln import op2
    from kiln.op2 import access, exceptions, loops, maps, matrices
    from kiln.op2.arguments import Arg
    from kiln.op2.trace import ExecutionTrace, trace

    names = {name: getattr(op2, name) for name in op2.__all__}
    names.update({name: value for name, value in vars(exceptions).items() if isinstance(value, type)})
    names.update(
        Access=access.Access,
        Arg=Arg,
        ExecutionTrace=ExecutionTrace,
        IterationIndex=maps.IterationIndex,
        JITModule=loops.JITModule,
        PyParLoop=loops.PyParLoop,
        _MapArg=maps.MapUse,
        _trace=trace,
        get_backend=lambda: "pyop2.opencl",
        Mat=matrices.Mat,
    )
    return names


def install():
    """Puts Kiln in PyOP2's place: `import pyop2` gives its names afterwards."""
    if "pyop2" in sys.modules and not hasattr(sys.modules["pyop2"], "_is_kiln"):
        raise ImportError("pyop2 is imported already: install() has to come before")
    names = _names()
    package = types.ModuleType("pyop2", "PyOP2's names on Kiln.")
    package.__path__ = []
    package._is_kiln = True
    package.__dict__.update(names)
    sys.modules["pyop2"] = package
    for name in MODULES:
        module = types.ModuleType(f"pyop2.{name}", package.__doc__)
        module.__dict__.update(names)
        sys.modules[f"pyop2.{name}"] = module
        if name != "configuration":
            setattr(package, name, module)
    return package
