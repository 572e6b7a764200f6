"""For programs that were written for PyOP2: its modules, by name."""
import importlib.abc
import sys
import types

import numpy as np

from kiln.errors import UnsupportedError

MODULES = (
    "op2",
    "base",
    "exceptions",
    "sequential",
    "configuration",
    "computeind",
    "utils",
    "profiling",
    "backends",
    "device",
    "fusion",
)
# What PyOP2 has and Kiln has not, and why.
_ABSENT = {
    "plan": "loops make their plans, which cannot be asked for",
    "petsc_base": "there are no objects of PETSc",
    "sparsity": "op2.Sparsity has rowptr and colidx",
    "caching": "Kernel, Sparsity and JITModule of pyop2.base have _cache",
    "compilation": "programs come from Kiln's store",
    "mpi": "op2.MPI has the communicator, op2.init(comm=...) takes one",
    "pyparloop": "op2.par_loop takes functions of Python",
    "logger": "op2.set_log_level and op2.debug to op2.critical are there",
    **dict.fromkeys(("host", "opencl", "openmp", "cuda"), "op2.init(device=...) says where loops run"),
}


class _Communicator:
    """The one part that there is without MPI."""

    rank = 0
    size = 1

    def barrier(self):
        pass

    Barrier = barrier

    def allreduce(self, mine):
        """The sum over all parts: this one's."""
        return mine


class MPI:
    """What programs ask of PyOP2's MPI: one part, or the communicator that op2.init() was given."""

    comm = _Communicator()
    parallel = False

    @classmethod
    def take(cls, comm):
        """Of mpi4py; None: one part."""
        cls.comm = _Communicator() if comm is None else comm
        cls.parallel = cls.comm.size > 1


def compute_ind_extr(nums, map_dofs, elements, layers, mesh2d, dofs, A, wedges, map, size):
    """The lowest cell's targets of each column, for an extruded Map: (elements * map_dofs,) int32.

    mesh2d: nodes, edges and cells of an element; dofs: of each of them, in levels and between them;
    A: the levels of a cell that carry these; map: of the flat mesh; nums: how many nodes, edges and
    cells there are. Targets of a column lie one after another.
    """
    flat = np.asarray(map).reshape(elements, -1)
    columns = []
    begin = 0
    for direction in (0, 1):
        # Between levels there is one fewer.
        height, place = layers - direction, 0
        for kind, count in enumerate(mesh2d):
            if not dofs[kind][direction]:
                continue
            for k in range(count):
                columns += [begin + flat[:, place + k] * height + level for level in A[direction]]
            place += count
            begin += nums[kind] * height
    return np.stack(columns, axis=1).astype(np.int32).reshape(-1)[:size]


def _refused(*args, **keywords):
    raise UnsupportedError("found loops to be fused, expected loops alone: they run one by one")


# Of pyop2.fusion.interface. None: there is no library that tiles chains of loops.
_FUSION = {
    "fuse": _refused,
    "loop_chain": _refused,
    "lazy_trace_name": "lazy_trace",
    "slope": None,
}


class _Refusal(importlib.abc.MetaPathFinder):
    """Says of a module of PyOP2 that it is not there, and why."""

    def find_spec(self, fullname, path=None, target=None):
        package, _, name = fullname.partition(".")
        if package != "pyop2" or not name or not hasattr(sys.modules.get("pyop2"), "_is_kiln"):
            return None
        why = _ABSENT.get(name.partition(".")[0])
        # Without a `name`: with it `from pyop2 import plan` would pass over the text.
        raise ModuleNotFoundError(
            f"found {fullname}, expected a module that kiln.op2 offers: pyop2.{', '.join(MODULES)}"
            + (f" ({why})" if why else "")
        )


def _names():
    """What PyOP2 has in its modules, of all of them together."""
    from kiln import op2
    from kiln.op2 import access, exceptions, loops, maps, profiling, python_loops
    from kiln.op2.arguments import Arg
    from kiln.op2.configuration import Configuration
    from kiln.op2.trace import ExecutionTrace, trace

    names = {name: getattr(op2, name) for name in op2.__all__}
    names.update({name: value for name, value in vars(exceptions).items() if isinstance(value, type)})
    names.update(
        Access=access.Access,
        Arg=Arg,
        Configuration=Configuration,
        ExecutionTrace=ExecutionTrace,
        IterationIndex=maps.IterationIndex,
        JITModule=loops.JITModule,
        PyParLoop=python_loops.PyParLoop,
        _MapArg=maps.MapUse,
        _trace=trace,
        get_backend=lambda: "pyop2.opencl",
        timed_function=profiling.timed_function,
        timed_region=profiling.timed_region,
        timed_stage=profiling.timed_region,
        compute_ind_extr=compute_ind_extr,
    )
    return names


def install():
    """Puts Kiln in PyOP2's place: `import pyop2` and its modules, MODULES, give Kiln's names afterwards.

    Returns the package. Another module of PyOP2 is refused by its name (ModuleNotFoundError). May be
    called again. Raises ImportError where PyOP2 itself was imported before.
    """
    if "pyop2" in sys.modules and not hasattr(sys.modules["pyop2"], "_is_kiln"):
        raise ImportError("pyop2 is imported already: install() has to come before")
    names = _names()
    package = types.ModuleType("pyop2", "PyOP2's names on Kiln.")
    package.__path__ = []
    package._is_kiln = True
    package.__dict__.update(names)
    sys.modules["pyop2"] = package
    if not any(isinstance(finder, _Refusal) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Refusal())
    for name in MODULES:
        module = types.ModuleType(f"pyop2.{name}", package.__doc__)
        module.__dict__.update(names)
        sys.modules[f"pyop2.{name}"] = module
    interface = types.ModuleType("pyop2.fusion.interface", package.__doc__)
    interface.__dict__.update(_FUSION)
    sys.modules["pyop2.fusion.interface"] = sys.modules["pyop2.fusion"].interface = interface
    # Programs find the modules in the package and in op2, too: op2.base, op2.exceptions.
    for name in MODULES:
        if name != "configuration":
            setattr(package, name, sys.modules[f"pyop2.{name}"])
            setattr(sys.modules["pyop2.op2"], name, sys.modules[f"pyop2.{name}"])
    return package
