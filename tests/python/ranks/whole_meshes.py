"""A plugin of pytest that has the tests of kiln.op2 run on parts of their meshes, by all ranks of MPI.

What a test gives as a whole mesh each rank declares its rows of; before the first loop the mesh is cut at
random; what a test asks for is brought together in the order in which it was declared. So the tests of
one process hold on any number of ranks, as they are.

A test is skipped where it has no meaning for parts: by name below, or because it declares Sets or Maps
after its first loop, or asks for what kiln.op2 refuses by name on parts. The run fails if fewer tests
than KILN_TESTS_ON_RANKS are left. The first failure on any rank ends all.
"""
import os
import sys
import zlib

import numpy as np
import pytest
from mpi4py import MPI

from kiln import op2
from kiln.op2.data import Dat
from kiln.op2.data_view import DatView
from kiln.op2.maps import Map, MixedMap
from kiln.op2.matrices import Mat
from kiln.op2.mixed_data import MixedDat
from kiln.op2.mixed_sets import MixedSet
from kiln.op2.session import distribution
from kiln.op2.sets import Set, Subset
from kiln.op2.sparsity import Sparsity
from kiln.op2.trace import ExecutionTrace

COMM = MPI.COMM_WORLD
SEED = int(os.environ.get("KILN_TEST_SEED", "1"))
LEFT_OUT = {
    "lock": "arrays of the device's memory are not those that a test sees",
    "view": "arrays of the device's memory are not those that a test sees",
    "copied": "arrays of the device's memory are not those that a test sees",
    "four_sizes": "halos of the caller's",
    "halo": "halos of the caller's",
    "device": "another Mesh",
    "python_function": "functions of Python",
    "columns_have_alone": "declares a Map after its first loop",
    "private_values": "arrays of the device's memory are not those that a test sees",
    "entries_of_a_sparsity": "each rank has the entries of its rows",
    "a_diagonal": "matrices between two sets have no diagonal",
    "the_diagonal_is_always_there": "each rank has the entries of its rows",
    "large_matrices": "entries of each rank's rows count",
    "made_of_hdf5": "all ranks would write the file",
    "waits_for_readers": "what waits is asked for by the plugin, too",
    "ctrl_c": "kernels' texts differ from process to process",
    "queue": "what waits is asked for by the plugin, too",
    "wrong_parts": "a rank without elements finds nothing wrong with a Map of none",
}


def is_for_a_test():
    """Whether who asked the function that asks this is a test or a fixture."""
    name = os.path.basename(sys._getframe(2).f_code.co_filename)
    return name.endswith("_test.py") or name == "conftest.py"


class Cut:
    """How the mesh of the running test is cut."""

    sets = []
    primary = None
    seed = 0
    lent = []  # (dat, array that a test got, what it was)
    is_busy = False

    @classmethod
    def begin(cls, seed):
        op2.exit()
        op2.init(comm=COMM)
        cls.sets, cls.primary, cls.seed, cls.lent = [], None, seed, []

    @classmethod
    def settle(cls):
        """Before anything is asked for: what a test changed goes to the ranks, and the mesh is cut."""
        spread = distribution()
        if cls.is_busy or spread is None:
            return
        cls.is_busy = True
        try:
            lent, cls.lent = cls.lent, []
            for dat, array, before in lent:
                if not np.array_equal(array, before, equal_nan=array.dtype.kind == "f"):
                    _owned(dat)[...] = array[dat._set.numbers[: dat._set.size]]
            if not spread.is_partitioned and cls.sets:
                primary = cls.primary or cls.sets[0]
                parts = np.random.default_rng(cls.seed).integers(0, COMM.size, primary._whole)
                op2.partition(op2.owners(primary, parts[primary._rows]))
        finally:
            cls.is_busy = False


def _owned(dat):
    return DATA.fget(dat)


def whole(dat):
    """All values of a Dat, in the order of their declaration."""
    return np.concatenate(COMM.allgather(dat.fetch()))


DATA = Dat.data


def patch(target, name):
    """Puts a function in place of a method or property: it gets what was there first."""

    def decorate(function):
        before = target.__dict__[name]
        if isinstance(before, property):
            get = before.fget
            setattr(target, name, property(lambda *a: function(get, *a), before.fset))
        else:
            setattr(target, name, lambda *a, **k: function(before, *a, **k))
        return function

    return decorate


def install():
    sizes = ("core_size", "size", "exec_size", "total_size")

    def init_set(self, size, *rest, _before=Set.__init__, **keywords):
        spread = distribution()
        if spread is None or not is_for_a_test() or not isinstance(size, (int, np.integer)) or size < 0:
            _before(self, size, *rest, **keywords)
            counts = COMM.allgather(self._sizes[1])
            first = sum(counts[: COMM.rank])
            self._whole, self._rows = sum(counts), slice(first, first + counts[COMM.rank])
        else:
            self._whole, self._rows = int(size), spread.rows_of(int(size))
            _before(self, self._rows.stop - self._rows.start, *rest, **keywords)
        Cut.sets.append(self)

    Set.__init__ = init_set
    for name in sizes:

        def get(self, _before=Set.__dict__[name].fget):
            return self._whole if is_for_a_test() else _before(self)

        setattr(Set, name, property(get))
        for kind in (MixedSet,):

            def get_sum(self, _before=kind.__dict__[name].fget):
                return sum(one._whole for one in self) if is_for_a_test() else _before(self)

            setattr(kind, name, property(get_sum))
    Set.sizes = property(lambda self: (self._whole,) * 4 if is_for_a_test() else self._sizes)

    def init_subset(self, superset, indices, _before=Subset.__init__):
        spread = distribution()
        if spread is None or isinstance(superset, Subset) or not isinstance(superset, Set):
            return _before(self, superset, indices)
        Cut.settle()
        wanted = np.unique(np.asarray(indices, np.int64).reshape(-1))
        self._check(wanted, superset._whole)
        _before(self, superset, np.flatnonzero(np.isin(superset.numbers, wanted)))
        self._wanted = wanted
        return None

    Subset.__init__ = init_subset
    Subset.indices = property(lambda self: self._wanted if is_for_a_test() else self._indices)

    def init_map(self, iterset, toset, arity, values=None, *rest, _before=Map.__init__, **keywords):
        if values is not None and is_for_a_test() and isinstance(iterset, Set):
            array = np.asarray(values)
            if isinstance(arity, int) and array.size == iterset._whole * arity:
                values = array.reshape(iterset._whole, arity)[iterset._rows]
        _before(self, iterset, toset, arity, values, *rest, **keywords)
        Cut.primary = Cut.primary or toset

    Map.__init__ = init_map

    @patch(Map, "values")
    def values(before, self):
        if not is_for_a_test_below():
            return before(self)
        return np.concatenate(COMM.allgather(self.fetch())).astype(np.int32)

    def init_dat(self, dataset, data=None, *rest, _before=Dat.__init__, **keywords):
        if data is not None and is_for_a_test() and not isinstance(dataset, Dat):
            over = dataset if isinstance(dataset, Set) else dataset.set
            dim = () if isinstance(dataset, Set) or dataset.cdim == 1 else dataset.dim
            try:
                rows = over.numbers if over._distribution.is_partitioned else over._rows
                data = np.asarray(data).reshape(over._whole, *dim)[rows]
            except ValueError:
                pass  # what the Dat says of it
        _before(self, dataset, data, *rest, **keywords)

    Dat.__init__ = init_dat
    for name in ("data", "data_ro"):

        @patch(Dat, name)
        def data(before, self, name=name):
            if not is_for_a_test_below():
                return before(self)
            Cut.settle()
            array = whole(self)
            if name == "data":
                Cut.lent.append((self, array, array.copy()))
            else:
                array.flags.writeable = False
            return array

        setattr(DatView, name, _view_property(name))

        @patch(MixedDat, name)
        def mixed(before, self, name=name):
            if not is_for_a_test_below():
                return before(self)
            Cut.settle()
            return tuple(whole(dat) for dat in self)

    @patch(Dat, "shape")
    def shape(before, self):
        found = before(self)
        return (self._set._whole, *found[1:]) if is_for_a_test_below() else found

    @patch(Mat, "values")
    def entries(before, self):
        if not is_for_a_test_below():
            return before(self)
        return whole_matrix(self)

    @patch(Sparsity, "_native")
    def cut_before(before, self):
        Cut.settle()
        return before(self)

    for name in ("zero_rows", "set_local_diagonal_entries"):

        @patch(Mat, name)
        def rows_of(before, self, rows, *rest, **keywords):
            Cut.settle()
            over = self.sparsity.dsets[0].set
            if isinstance(rows, Subset):
                rows = rows._wanted
            return before(self, _local(over, np.atleast_1d(rows), over._sizes[1]), *rest, **keywords)

    @patch(Mat, "_put")
    def put(before, self, rows, columns, values, adds):
        Cut.settle()
        over, across = (dset.set for dset in self.sparsity.dsets)
        rows, columns = np.atleast_1d(rows), np.atleast_1d(columns)
        height, width = self.dims[0][0]
        block = np.asarray(values).reshape(len(rows), height, len(columns), width)
        is_mine = np.isin(rows, over.numbers[: over._sizes[1]])
        is_here = np.isin(columns, across.numbers)
        block = block[is_mine][:, :, is_here]
        return before(
            self,
            _local(over, rows[is_mine], over._sizes[1], keeps_order=True),
            _local(across, columns[is_here], across._sizes[3], keeps_order=True),
            block,
            adds,
        )

    for name in ("append", "evaluate", "evaluate_all"):

        @patch(ExecutionTrace, name)
        def settled(before, self, *rest, **keywords):
            Cut.settle()
            return before(self, *rest, **keywords)


def is_for_a_test_below():
    """As is_for_a_test(), for a function in place of a property: one call further."""
    name = os.path.basename(sys._getframe(3).f_code.co_filename)
    return name.endswith("_test.py") or name == "conftest.py"


def _view_property(name):
    before = DatView.__dict__[name].fget

    def get(self):
        if not is_for_a_test():
            return before(self)
        Cut.settle()
        array = whole(self._parent)
        if name == "data":
            Cut.lent.append((self._parent, array, array.copy()))
        return self._component_of(array)

    return property(get)


def _local(over, numbers, limit, keeps_order=False):
    """Positions here of elements by their numbers in the whole set."""
    mine = over.numbers[:limit]
    if not keeps_order:
        return np.flatnonzero(np.isin(mine, numbers)).astype(np.int32)
    order = np.argsort(mine)
    return order[np.searchsorted(mine, numbers, sorter=order)].astype(np.int32)


def whole_matrix(mat):
    if not mat._is_single:
        return np.block([[whole_matrix(block) for block in row] for row in mat._blocks])
    over, across = (dset.set for dset in mat.sparsity.dsets)
    mat._force_evaluation()
    rowptr, colidx = mat.sparsity.rowptr, mat.sparsity.colidx
    height, width = mat.dims[0][0]
    dense = np.zeros((over._whole, across._whole, height, width), mat.dtype)
    rows = np.repeat(np.arange(len(rowptr) - 1), np.diff(rowptr))
    is_mine = rows < over._sizes[1]
    dense[over.numbers[rows[is_mine]], across.numbers[colidx[is_mine]]] = mat._native.entries()[is_mine]
    total = COMM.allreduce(dense)
    return total.transpose(0, 2, 1, 3).reshape(over._whole * height, across._whole * width)


# --- what pytest calls ---


@pytest.fixture
def tmp_path(tmp_path_factory):
    """One folder for all ranks."""
    return COMM.bcast(tmp_path_factory.mktemp("ranks"))


def pytest_configure(config):
    install()
    if COMM.rank == 0:
        print(f"seed {SEED}")
    config._passed = 0


def pytest_runtest_setup(item):
    for word, why in LEFT_OUT.items():
        if word in item.name:
            pytest.skip(f"not of parts: {why}")
    Cut.begin(SEED + zlib.crc32(item.nodeid.encode()))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    text = "" if call.excinfo is None else str(call.excinfo.value)
    if report.failed and any(
        refusal in text
        for refusal in (
            "the mesh is partitioned already, expected",
            "mesh in parts",
            "a halo of the caller's",
        )
    ):
        report.outcome = "skipped"
        report.longrepr = (str(item.path), 0, f"not of parts: {text}")
    if report.failed:
        print(f"rank {COMM.rank} of {COMM.size}:\n{report.longreprtext}", file=sys.stderr, flush=True)
        if not os.environ.get("KILN_TESTS_GO_ON"):
            COMM.Abort(1)
    if report.when == "call" and report.passed:
        item.config._passed += 1


def pytest_sessionfinish(session):
    op2.exit()
    least = int(os.environ.get("KILN_TESTS_ON_RANKS", "0"))
    if session.config._passed < least:
        print(f"{session.config._passed} tests ran, expected {least} or more", file=sys.stderr, flush=True)
        COMM.Abort(1)
