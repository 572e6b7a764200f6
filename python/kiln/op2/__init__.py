"""PyOP2's names on Kiln's loops over meshes: sets, maps and data, and C kernels over them, on OpenCL.

>>> from kiln import op2
>>> nodes, edges = op2.Set(4), op2.Set(3)
>>> edge2node = op2.Map(edges, nodes, 2, [[0, 1], [1, 2], [2, 3]])
>>> degree = op2.Dat(nodes)
>>> count = op2.Kernel("void count(double *d) { d[0] += 1; d[1] += 1; }", "count")
>>> call = op2.par_loop(count, edges, degree(op2.INC, edge2node[op2.i[0]]))
>>> degree.data.tolist()
[1.0, 2.0, 2.0, 1.0]

Programs that import pyop2 run unchanged after `import kiln.op2; kiln.op2.install()`. All objects
are on one Mesh, on the device that init() or PYOP2_DEVICE names.

Of all names here:
  threads     one at a time is served, others wait; a call that waits for the device leaves the
              interpreter to them, and Ctrl-C ends the wait
  ownership   data have the sets and maps that they are on; a loop that waits has its kernel and data.
              Objects that are one for the same parts stay for as long as one of their users does
  arrays      of data on sets in the order of the elements, in C order, whatever lies on the device.
              Those to be changed are locked (ValueError) once a loop has used their data
  parts       after init(comm=...) each rank of a communicator has a part of the mesh; all ranks do the same
              in the same order, whatever asks for results too
  errors      of arguments a class of kiln.op2.exceptions, at once; of kernels and devices a kiln.Error
              when a loop runs, with the place where it was called. Attributes raise nothing of their own
"""
from kiln.op2.access import INC, MAX, MIN, READ, RW, WRITE
from kiln.op2.arguments import Arg
from kiln.op2.compatibility import MPI, install
from kiln.op2.configuration import configuration
from kiln.op2.constants import Const
from kiln.op2.data import Dat
from kiln.op2.data_sets import DataSet
from kiln.op2.data_view import DatView
from kiln.op2.distribution import (
    Partitioner,
    metis,
    owners,
    partition,
    rcb,
    save_partition,
    saved_partition,
    scotch,
    speeds,
)
from kiln.op2.global_data import Global
from kiln.op2.kernels import Kernel
from kiln.op2.loops import IterationSpace, ParLoop, par_loop
from kiln.op2.maps import (
    ALL,
    ON_BOTTOM,
    ON_INTERIOR_FACETS,
    ON_TOP,
    DecoratedMap,
    IterationRegion,
    Map,
    MixedMap,
    i,
)
from kiln.op2.matrices import Mat
from kiln.op2.mixed_data import MixedDat
from kiln.op2.mixed_sets import MixedDataSet, MixedSet
from kiln.op2.session import (
    critical,
    debug,
    error,
    exit,
    info,
    init,
    initialised,
    set_log_level,
    timeline,
    warning,
)
from kiln.op2.sets import ExtrudedSet, Halo, LocalSet, Set, Subset
from kiln.op2.solver import DEFAULT_SOLVER_PARAMETERS, Solver, solve
from kiln.op2.sparsity import Sparsity

__all__ = [
    "ALL",
    "Arg",
    "Const",
    "DEFAULT_SOLVER_PARAMETERS",
    "DataSet",
    "Dat",
    "DatView",
    "DecoratedMap",
    "ExtrudedSet",
    "Global",
    "Halo",
    "INC",
    "IterationRegion",
    "IterationSpace",
    "Kernel",
    "LocalSet",
    "MAX",
    "MIN",
    "MPI",
    "Map",
    "Mat",
    "MixedDat",
    "MixedDataSet",
    "MixedMap",
    "MixedSet",
    "ON_BOTTOM",
    "ON_INTERIOR_FACETS",
    "ON_TOP",
    "ParLoop",
    "Partitioner",
    "READ",
    "RW",
    "Set",
    "Solver",
    "Sparsity",
    "Subset",
    "WRITE",
    "configuration",
    "critical",
    "debug",
    "error",
    "exit",
    "i",
    "info",
    "init",
    "initialised",
    "install",
    "metis",
    "owners",
    "par_loop",
    "partition",
    "rcb",
    "save_partition",
    "saved_partition",
    "scotch",
    "set_log_level",
    "solve",
    "speeds",
    "timeline",
    "warning",
]
