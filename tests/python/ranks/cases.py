"""Cases that ranks_test.py starts by mpirun, with a word that names one. Each prints on the first rank
what must not depend on the number of ranks."""
import sys

import numpy as np
from mpi4py import MPI

from kiln import mesh_files, op2

COMM = MPI.COMM_WORLD
COUNT = op2.Kernel("void count(double *d) { d[0] += 1; d[1] += 1; }", "count")
SUM = op2.Kernel("void sum(const double *d, double *s, double *m) { *s += *d; if (*d > *m) *m = *d; }", "sum")


def say(*words):
    if COMM.rank == 0:
        print(*words, flush=True)


def whole(rows):
    return np.concatenate(COMM.allgather(rows))


class Grid:
    """The mesh of the airfoil, with what is counted on it: how many edges a cell has."""

    def __init__(self, data=None, along=6, out=8):
        op2.init(comm=COMM)
        self.data = data or mesh_files.naca0012(along, out)
        self.cells, self.nodes, self.edges = (self.data.set(n) for n in ("cells", "nodes", "edges"))
        self.pecell, self.pcell = self.data.map("pecell"), self.data.map("pcell")
        self.x = self.data.dat("p_x")
        self.degree = op2.Dat(self.cells, name="degree")

    def count(self):
        op2.par_loop(COUNT, self.edges, self.degree(op2.INC, self.pecell[op2.i[0]]))
        return whole(self.degree.fetch())


def partitioners(folder):
    """Each way to cut gives the same counts, and rows in the order in which they were declared."""
    expected = None
    ways = {
        "scotch": lambda grid: op2.scotch(grid.cells, grid.pecell),
        "metis": lambda grid: op2.metis(grid.cells, grid.pecell),
        "rcb": lambda grid: op2.rcb(grid.cells, grid.x, through=grid.pcell),
        "owners": lambda grid: op2.owners(grid.cells, grid.cells.numbers % COMM.size),
        "saved_partition": lambda grid: op2.saved_partition(grid.cells, f"{folder}/parts"),
    }
    for name, way in ways.items():
        grid = Grid()
        declared, targets = grid.cells.numbers.copy(), whole(grid.pecell.values)
        partitioner = way(grid)
        assert partitioner.name.startswith(name.split("_")[0]), partitioner
        op2.partition(partitioner)
        if name == "owners":
            op2.save_partition(grid.cells, f"{folder}/parts")
            assert (grid.cells.numbers[: grid.cells.size] % COMM.size == COMM.rank).all()
        assert np.array_equal(whole(grid.pecell.fetch()), targets)
        assert len(grid.pecell.values_with_halo) == grid.edges.total_size
        assert grid.x.fetch().shape[1:] == (2,) and grid.degree.fetch().size == declared.size
        # Each cell has one owner.
        owned = whole(grid.cells.numbers[: grid.cells.size])
        assert np.array_equal(np.sort(owned), np.arange(owned.size))
        found = grid.count()
        expected = found if expected is None else expected
        assert np.array_equal(found, expected), name
        say(name, int(found.sum()), int(found.max()))


def weights(folder):
    """Parts are as large as the ranks are fast."""
    grid = Grid(along=20, out=20)
    shares = op2.speeds()
    assert len(shares) == COMM.size and abs(sum(shares) - 1) < 1e-12 and min(shares) > 0, shares
    assert COMM.allgather(shares) == COMM.size * [shares]
    wanted = [1 + (rank == 0) for rank in range(COMM.size)]
    op2.partition(op2.rcb(grid.cells, grid.x, through=grid.pcell), wanted)
    owned = COMM.allgather(grid.cells.size)
    for rank, cells in enumerate(owned):
        assert abs(cells - sum(owned) * wanted[rank] / sum(wanted)) <= COMM.size, owned
    say(int(grid.count().sum()))


def reductions(folder):
    """Globals and norms have the same bits everywhere; arrays with halos the newest values."""
    grid = Grid()
    op2.partition(op2.rcb(grid.cells, grid.x, through=grid.pcell))
    grid.count()
    total, most = op2.Global(1, 5.0), op2.Global(1, 0.0)
    op2.par_loop(SUM, grid.cells, grid.degree(op2.READ), total(op2.INC), most(op2.MAX))
    assert len({value.tobytes() for value in COMM.allgather(total.data_ro)}) == 1
    assert len(set(COMM.allgather(grid.degree.norm))) == 1
    grid.degree.data[...] = grid.cells.numbers[: grid.cells.size]
    assert grid.degree.needs_halo_update == (COMM.size > 1)
    assert np.array_equal(grid.degree.data_ro_with_halos, grid.cells.numbers)
    assert not grid.degree.needs_halo_update
    some = grid.cells(np.flatnonzero(grid.cells.numbers % 3 == 0))
    grid.degree.zero()
    op2.par_loop(op2.Kernel("void one(double *d) { *d = 1; }", "one"), some, grid.degree(op2.WRITE))
    found = whole(grid.degree.fetch())
    assert np.array_equal(found, np.arange(found.size) % 3 == 0)
    say(float(total.data_ro[0]), float(most.data_ro[0]), float(grid.degree.inner(grid.degree)))


def files(folder):
    """A file is read by rows and written in its order, and arrays by one rank for all."""
    grid = Grid()
    grid.data.write(f"{folder}/grid.h5")
    again = Grid(mesh_files.read(f"{folder}/grid.h5"))
    assert again.cells.size == grid.cells.size
    op2.partition(op2.scotch(again.cells, again.pecell))
    counted = again.count()
    again.data.dats["degree"] = ("cells", again.degree.fetch())
    again.data.write(f"{folder}/result.h5")
    again.degree.save(f"{folder}/degree.npy")
    assert np.array_equal(np.load(f"{folder}/degree.npy"), counted)
    again.degree.zero()
    again.degree.load(f"{folder}/degree")
    assert np.array_equal(whole(again.degree.fetch()), counted)
    op2.init(comm=None)
    alone = mesh_files.read(f"{folder}/result.h5")
    assert np.array_equal(alone.dats["degree"][1][:, 0], counted)
    assert np.array_equal(alone.maps["pecell"][2], mesh_files.naca0012(6, 8).maps["pecell"][2])
    say(alone.sets["cells"], int(counted.sum()))


def refusals(folder):
    """What has no meaning on parts says so, on all ranks."""
    grid = Grid()

    def refused(kind, text, call):
        try:
            call()
        except kind as error:
            assert text in str(error), error
        else:
            raise AssertionError(f"expected {kind.__name__}: {text}")

    refused(op2.exceptions.SizeTypeError, "halo of the caller's", lambda: op2.Set((1, 2, 3, 4)))
    refused(TypeError, "expected a communicator of mpi4py", lambda: op2.init(comm=1))
    if COMM.size == 1:
        return
    grid = Grid()
    refused(ValueError, "not partitioned yet", grid.count)
    op2.partition(op2.owners(grid.cells, np.zeros(grid.cells.size)))
    refused(ValueError, "partitioned already", lambda: op2.Set(4))
    nowhere = op2.Dat(grid.cells)

    def python(d):
        d[0] = 1

    refused(
        NotImplementedError, "functions of Python over a mesh in parts",
        lambda: (op2.par_loop(python, grid.cells, nowhere(op2.RW)), nowhere.data),
    )


def throws(folder):
    """The last rank fails while others wait for it."""
    grid = Grid()
    op2.partition(op2.owners(grid.cells, grid.cells.numbers % COMM.size))
    if COMM.rank == COMM.size - 1:
        grid.data.map("no such map")
    grid.count()


def throws_bad_input(folder):
    """The last rank fails with what is bad input to Kiln."""
    grid = Grid()
    if COMM.rank == COMM.size - 1:
        op2.Mat(op2.Sparsity(grid.nodes, grid.data.map("pedge"))).sparsity.rowptr
    op2.partition(op2.owners(grid.cells, np.zeros(grid.cells.size)))


if __name__ == "__main__":
    import kiln.op2.exceptions  # noqa: F401

    {f.__name__: f for f in (partitioners, weights, reductions, files, refusals, throws, throws_bad_input)}[
        sys.argv[1]
    ](sys.argv[2])
