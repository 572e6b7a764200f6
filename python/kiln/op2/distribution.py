"""Meshes in parts, one a rank of MPI: who has which elements, and how a mesh is cut."""
import weakref

import numpy as np

from kiln import mpi
from kiln.errors import BadInputError
from kiln.op2.trace import trace


class Distribution:
    """The ranks of a Mesh that op2.init(comm=...) began, and what is declared on it.

    comm: the communicator of mpi4py; ranks: Kiln's duplicate of it; mesh: the native Mesh.
    """

    def __init__(self, comm, device, store, check, timeline, queue):
        self.comm = comm
        self.ranks = mpi.communicator(comm)
        self.rank, self.size = self.ranks.rank, self.ranks.size
        self.mesh = mpi._native().mesh(self.ranks, device, store, check, timeline, queue)
        self._where = (device, store, queue)
        self.is_partitioned = False
        self._declared = weakref.WeakSet()
        self._named = 0

    def declared(self, declared):
        """A Set, Map or Dat that partition() changes: it has _was_partitioned()."""
        self._declared.add(declared)

    def name_for(self, kind):
        """One for what has none."""
        self._named += 1
        return f"{kind}_{self._named}"

    def partition(self, partitioner, weights):
        trace.evaluate_all()
        self.mesh.partition(partitioner, [float(one) for one in weights])
        self.is_partitioned = True
        # Sizes of Sets before what has them as its shape.
        for one in sorted(self._declared, key=lambda one: not hasattr(one, "numbers")):
            one._was_partitioned()

    def speeds(self):
        return mpi._native().speeds(self.ranks, *self._where)

    def rows_of(self, count):
        """Which rows of a whole set of so many this rank takes of a file: a slice."""
        return slice(count * self.rank // self.size, count * (self.rank + 1) // self.size)

    def first_row(self, count):
        """The first one's number in the whole set where this rank declared so many. Collective."""
        return sum(self.comm.allgather(int(count))[: self.rank])

    def on_first(self, work):
        """Does what one rank does for all, which raise what it raised."""
        failed = None
        if self.rank == 0:
            try:
                work()
            except Exception as error:
                failed = error
        failed = self.comm.bcast(failed)
        if failed is not None:
            raise failed


def _of(primary):
    found = primary._distribution
    if found is None:
        raise BadInputError(
            f"{primary.name}: found a mesh in one part, expected op2.init(comm=...) before its Sets"
        )
    return found


def partition(partitioner, weights=()):
    """Cuts the mesh, and brings each element to its owner with all that is on it and leads from it.

    partitioner: of scotch(), metis(), rcb(), owners() or saved_partition(), whose Set is cut; other Sets
    follow it. weights: how large each rank's part is to be, in proportion; none: all the same. Sets and
    Maps are declared before, Subsets and Sparsities afterwards; loops wait for it where ranks are several.
    Then Sets have other sizes, and arrays of Dats and Maps the rows of local elements, which `numbers`
    of a Set tells; arrays that were handed out are locked. `fetch()` has the rows in the order of before.

    Collective, as all of op2 on a mesh in parts. Raises kiln.BadInputError, UnsupportedError, on all
    ranks.
    """
    _of(partitioner.primary).partition(partitioner.native, weights)


def speeds():
    """How fast the ranks' devices are, by rank, as shares that sum up to 1: weights for partition().

    All ranks run a small loop at the same time, for less than a second. Collective. Raises
    kiln.BadInputError before op2.init(comm=...).
    """
    from kiln.op2 import session

    found = session.distribution()
    if found is None:
        raise BadInputError("op2.speeds: found a mesh in one part, expected op2.init(comm=...) before")
    return found.speeds()


class Partitioner:
    """A way to cut a mesh: `primary` is the Set that is cut, `name` the way's."""

    def __init__(self, primary, native):
        self.primary = primary
        self.native = native

    name = property(lambda self: self.native.name)

    def __repr__(self):
        return f"<op2 Partitioner {self.name} of {self.primary.name}>"


def scotch(primary, *adjacency, imbalance=0.05, seed=1, attempts=0):
    """By PT-Scotch, on all ranks.

    adjacency: Maps that make elements of the Set neighbours: one that leads to it, where an element has
    both as targets (edges to cells), or one that leads from it, where both have targets in common (cells
    to nodes). imbalance: how much larger than its share the largest part may be. attempts: cuts of which
    the best counts; 0: several where the graph is small. The same seed gives the same parts. partition()
    raises kiln.UnsupportedError where Kiln was built without PT-Scotch.
    """
    return _by_library("scotch", primary, adjacency, imbalance, seed, attempts)


def metis(primary, *adjacency, imbalance=0.05, seed=1, attempts=0):
    """By METIS, on the first rank: for meshes that fit there. Arguments as those of scotch()."""
    return _by_library("metis", primary, adjacency, imbalance, seed, attempts)


def _by_library(name, primary, adjacency, imbalance, seed, attempts):
    _of(primary)
    make = getattr(mpi._native(), name)
    maps = [map._native for map in adjacency]
    return Partitioner(primary, make(primary._native, maps, imbalance, seed, attempts))


def rcb(primary, coordinates, through=None):
    """By recursive coordinate bisection.

    coordinates: a Dat of float32 or float64 on the Set, or on the one that the Map `through` leads to:
    then the mean of an element's targets counts. The same parts whatever rows the ranks declared.
    """
    from kiln import _mesh

    _of(primary)
    by = None if through is None else through._native
    return Partitioner(primary, _mesh.rcb(primary._native, coordinates._native, by))


def owners(primary, parts):
    """By hand. parts: the rank of each element that this rank declared, integers, (size,)."""
    from kiln import _mesh

    _of(primary)
    return Partitioner(primary, _mesh.owners(primary._native, np.asarray(parts, np.int32).reshape(-1)))


def saved_partition(primary, path):
    """What save_partition() wrote, of the same mesh into as many parts."""
    from kiln import _mesh

    _of(primary)
    return Partitioner(primary, _mesh.saved_partition(primary._native, path))


def save_partition(over, path):
    """Writes who owns each element of a Set, for saved_partition(). Collective."""
    _of(over).mesh.save_partition(over._native, path)
