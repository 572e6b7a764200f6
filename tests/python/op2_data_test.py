"""kiln.op2: data on the host, arithmetic, and files."""
import operator

import numpy as np
import pytest

from kiln import mesh_files, op2
from kiln.op2 import exceptions
from kiln.op2.trace import trace

N = 8
OPERATIONS = [operator.add, operator.sub, operator.mul, operator.truediv]
IN_PLACE = [operator.iadd, operator.isub, operator.imul, operator.itruediv]


@pytest.fixture
def space():
    return op2.Set(N) ** 1


@pytest.fixture
def x(space):
    return op2.Dat(space, np.arange(2.0, N + 2))


@pytest.fixture
def y(space):
    return op2.Dat(space, np.arange(1.0, N + 1))


@pytest.fixture
def whole(space):
    return op2.Dat(space, np.arange(1, N + 1), np.int64)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_operations_make_new_dats(operation, x, y):
    expected = operation(x.data_ro.copy(), y.data_ro.copy())
    result = operation(x, y)
    assert isinstance(result, op2.Dat) and np.array_equal(result.data, expected)
    assert np.array_equal(x.data, np.arange(2.0, N + 2)) and np.array_equal(y.data, np.arange(1.0, N + 1))


@pytest.mark.parametrize("operation", OPERATIONS)
def test_numbers_are_on_either_side(operation, x):
    values = x.data_ro.copy()
    for number in (3, 2.5, np.float32(1.5), np.int16(4)):
        assert np.allclose(operation(x, number).data, operation(values, number))
        assert np.allclose(operation(number, x).data, operation(number, values))


@pytest.mark.parametrize("operation", IN_PLACE)
def test_operations_in_place_keep_the_object(operation, x, y):
    expected = operation(x.data_ro.copy(), y.data_ro.copy())
    assert operation(x, y) is x and np.array_equal(x.data, expected)
    expected = operation(expected, 2.0)
    assert operation(x, 2.0) is x and np.array_equal(x.data, expected)


@pytest.mark.parametrize("operation", OPERATIONS + IN_PLACE)
def test_the_left_operand_gives_the_type(operation, y, whole):
    assert operation(op2.Dat(y), whole).data.dtype == np.float64
    assert operation(op2.Dat(whole), y).data.dtype == np.int64


def test_integers_are_divided_as_c_does(whole):
    assert (whole / 2).data.tolist() == [0, 1, 1, 2, 2, 3, 3, 4]
    assert (2.5 - whole).data.tolist() == [1, 0, 0, -1, -2, -3, -4, -5]


def test_signs_copy(x):
    assert (+x).data.tolist() == x.data.tolist() and +x is not x
    assert (-x).data.tolist() == [-value for value in x.data]


@pytest.mark.parametrize("operation", OPERATIONS + IN_PLACE)
def test_other_spaces_are_refused(operation):
    a, b = op2.Dat(op2.Set(N) ** (1, 2)), op2.Dat(op2.Set(N) ** (2, 1))
    with pytest.raises(ValueError):
        operation(a, b)
    with pytest.raises(TypeError):
        operation(a, "b")


def test_products_and_norms():
    two = op2.Set(2)
    a, b = op2.Dat(two, [3.0, 4.0]), op2.Dat(two, [4.0, 5.0])
    with pytest.raises(ValueError):
        a.inner(op2.Dat(op2.Set(2)))
    assert a.norm == 5 and a.inner(b) == 32 == b.inner(a)
    mixed, other = op2.MixedDat((a, a)), op2.MixedDat((b, b))
    assert mixed.norm == pytest.approx(50**0.5) and mixed.inner(other) == 64


def test_mixed_dats_are_combined_by_part(x, y):
    mixed = op2.MixedDat((x, y))
    assert np.array_equal((mixed + mixed).data[1], 2 * y.data_ro)
    assert np.array_equal((1.0 - mixed).data[0], 1 - x.data_ro) and np.array_equal((-mixed).data[0], -x.data_ro)
    before = x.data_ro.copy()
    mixed *= 2
    assert np.array_equal(x.data_ro, 2 * before)


def test_axpy_zero_and_copy(x, y):
    some = x.dataset.set([0, 3])
    expected = x.data_ro + 2 * y.data_ro
    x.axpy(2, y)
    assert np.array_equal(x.data, expected)
    x.copy(y, some)
    assert y.data[[0, 3]].tolist() == expected[[0, 3]].tolist() and y.data[1] == 2
    x.zero(some)
    assert (x.data[[0, 3]] == 0).all() and x.data[1] == expected[1]
    x.zero()
    assert (x.data == 0).all()


def test_axpy_and_inner_take_dats(x):
    for other in (3, op2.Global(1, 3.0)):
        with pytest.raises(ValueError, match="expected a Dat"):
            x.axpy(2, other)
        with pytest.raises(ValueError, match="expected a Dat"):
            x.inner(other)


def test_arithmetic_comes_after_the_loops_before_it(x, y):
    one = op2.Kernel("void one(double *x) { *x = 1; }", "one")
    op2.par_loop(one, x.dataset.set, x(op2.WRITE))
    total = x + y
    op2.par_loop(one, y.dataset.set, y(op2.WRITE))
    assert np.array_equal(total.data, np.arange(2.0, N + 2)) and (y.data == 1).all()


def test_globals_have_arithmetic_on_the_host():
    a, b = op2.Global(1, 3.0), op2.Global(1, 4.0)
    assert (a + b).data[0] == 7 and (a * 2).data[0] == 6 and (10 - a).data[0] == 7 and (a / b).data[0] == 0.75
    a += b
    a -= 1
    assert a.data[0] == 6 and a.inner(b) == 24


def test_private_values_can_be_set(x, y):
    x._data = 2 * y.data
    assert np.array_equal((x - y).data, y.data)


def test_changes_on_the_host_reach_the_next_loop(x):
    twice = op2.Kernel("void twice(double *x) { *x *= 2; }", "twice")
    for _ in range(3):
        x.data[:] = 5
        op2.par_loop(twice, x.dataset.set, x(op2.RW))
        assert (x.data_ro == 10).all()


@pytest.mark.parametrize("name", ["data", "data_with_halos"])
def test_an_array_is_locked_once_a_loop_has_used_its_dat(x, name):
    array = getattr(x, name)
    array[0] = 7
    op2.par_loop(op2.Kernel("void k(double *x) { *x += 1; }", "k"), x.dataset.set, x(op2.RW))
    assert x.data_ro[0] == 8
    with pytest.raises(ValueError):
        array[0] = 1
    x.data[0] = 1
    assert x.data_ro[0] == 1


def test_halos_are_out_of_date_after_writing():
    parts = op2.Set((1, 2, 3, 4), halo=op2.Halo({}, {}))
    x = op2.Dat(parts)
    x.data_ro
    assert x.halo_valid
    x.data
    assert not x.halo_valid


def test_halos_do_not_name_their_own_part():
    with pytest.raises(AssertionError):
        op2.Halo({0: [1]}, {})
    with pytest.raises(AssertionError):
        op2.Halo({}, {0: [1]})


def test_values_go_to_files_and_come_back(x, tmp_path):
    values = x.data_ro.copy()
    x.save(str(tmp_path / "x"))
    x.zero()
    x.load(str(tmp_path / "x"))
    assert np.array_equal(x.data, values)
    mixed = op2.MixedDat((x, op2.Dat(op2.Set(2) ** 2, [1.0, 2, 3, 4])))
    mixed.save(str(tmp_path / "mixed"))
    mixed.zero()
    mixed.load(str(tmp_path / "mixed.npy"))
    assert np.array_equal(mixed[0].data, values) and mixed[1].data.tolist() == [[1, 2], [3, 4]]


def test_mesh_files_have_matrices_for_elements_and_constants(tmp_path):
    data = mesh_files.MeshData(
        {"cells": 2}, dats={"A": ("cells", np.arange(8.0).reshape(2, 2, 2))}, constants={"g": np.array([1.5, 2])}
    )
    assert data.dat("A").dim == (2, 2) and data.dat("A").data[1].tolist() == [[4, 5], [6, 7]]
    data.write(tmp_path / "mesh.h5")
    again = mesh_files.read(tmp_path / "mesh.h5")
    assert again.constants["g"].tolist() == [1.5, 2] and again.dats["A"][1].tolist()[1] == [4, 5, 6, 7]


def test_objects_are_made_of_hdf5(tmp_path):
    h5py = pytest.importorskip("h5py", reason="python3-h5py is not installed")
    with h5py.File(tmp_path / "mesh.h5", "w") as file:
        file.create_dataset("nodes", data=np.array([5]))
        file.create_dataset("wrong", data=np.array([5, 6]))
        file.create_dataset("x", data=np.arange(10.0).reshape(5, 2)).attrs["type"] = "double:soa"
        file.create_dataset("map", data=np.array([[1, 2], [2, 3]]))
        nodes = op2.Set.fromhdf5(file, "nodes")
        assert nodes.size == 5 and nodes.name == "nodes"
        x = op2.Dat.fromhdf5(nodes**2, file, "x")
        assert x.soa and x.data[2].tolist() == [4, 5] and x.dtype == np.float64
        edges = op2.Map.fromhdf5(op2.Set(2), nodes, file, "map")
        assert edges.arity == 2 and edges.values.tolist() == [[1, 2], [2, 3]]
        with pytest.raises(exceptions.SizeTypeError):
            op2.Set.fromhdf5(file, "wrong")


def test_arrays_of_views_are_locked_once_a_loop_uses_the_dat():
    nodes = op2.Set(3)
    dat = op2.Dat(nodes**2, np.arange(6.0))
    first, second = op2.DatView(dat, 0), op2.DatView(dat, 1)
    clear = op2.Kernel("void clear(double *x) { x[0] = 0; }", "clear")
    see = op2.Kernel("void see(double *x) {}", "see")
    for kernel, use in ((clear, first(op2.WRITE)), (see, second(op2.READ)), (see, dat(op2.READ))):
        arrays = [second.data, second.data_with_halos, op2.DatView(dat, 1).data, dat.data]
        for array in arrays:
            array[...] = 7
        op2.par_loop(kernel, nodes, use)
        trace.evaluate_all()
        for array in arrays:
            with pytest.raises(ValueError):
                array[0] = 1
    assert second.data.tolist() == [7, 7, 7] and first.data.tolist() == [7, 7, 7]
    with pytest.raises(ValueError):
        second.data_ro[0] = 1
