"""kiln.op2: loops give their kernels the arguments that PyOP2 does, and keep its order of checks."""
import numpy as np
import pytest

import kiln
from kiln import op2
from kiln.op2 import exceptions
from kiln.op2.loops import ParLoop
from kiln.op2.trace import trace

N = 64


@pytest.fixture(params=["lazy", "greedy"], autouse=True)
def evaluation(request):
    op2.configuration["lazy_evaluation"] = request.param == "lazy"
    yield
    # What a test has left because it failed, as it should, is not the next one's.
    trace.clear()
    op2.configuration["lazy_evaluation"] = True


@pytest.fixture
def cells():
    return op2.Set(N, "cells")


@pytest.fixture
def nodes():
    return op2.Set(N + 1, "nodes")


@pytest.fixture
def pairs(cells, nodes):
    return op2.Map(cells, nodes, 2, [[k, k + 1] for k in range(N)], "pairs")


def values(over, dtype=np.float64, dim=1):
    count = over.total_size * dim
    return op2.Dat(over**dim, np.arange(count), dtype)


def run(code, over, *args, name="k", **keywords):
    return op2.par_loop(op2.Kernel(code, name), over, *args, **keywords)


def test_direct_arguments(cells):
    x, y = values(cells), values(cells, dim=2)
    run("void k(double *x, double *y) { *x = y[0] + y[1]; y[0] = -1; }", cells, x(op2.WRITE), y(op2.RW))
    assert np.array_equal(x.data, 4 * np.arange(N) + 1.0)
    assert (y.data[:, 0] == -1).all() and np.array_equal(y.data[:, 1], 2 * np.arange(N) + 1)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"])
def test_all_types(cells, dtype):
    from kiln.op2.arguments import _C_TYPES

    x = op2.Dat(cells, np.arange(N), dtype)
    run(f"void k({_C_TYPES[dtype]} *x) {{ *x += 1; }}", cells, x(op2.RW))
    assert x.data.dtype == np.dtype(dtype) and np.array_equal(x.data, np.arange(1, N + 1))


def test_one_component_of_a_map(cells, nodes, pairs):
    x, y = values(nodes), op2.Dat(cells)
    run(
        "void k(double *y, double *left, double *right) { *y = *right - 2 * *left; }",
        cells,
        y(op2.WRITE),
        x(op2.READ, pairs[0]),
        x(op2.READ, pairs[1]),
    )
    assert np.array_equal(y.data, 1.0 - np.arange(N))


def test_a_pointer_to_each_target(cells, nodes, pairs):
    x, y = values(nodes, dim=2), op2.Dat(cells)
    run("void k(double *y, double *x[]) { *y = x[0][1] + x[1][0]; }", cells, y(op2.WRITE), x(op2.READ, pairs))
    assert np.array_equal(y.data, 4 * np.arange(N) + 3.0)


def test_flattened_targets(cells, nodes, pairs):
    x, y = values(nodes, dim=2), op2.Dat(cells**4)
    code = "void k(double *y, double *x[]) { for (int c = 0; c < 4; ++c) y[c] = x[c][0]; }"
    run(code, cells, y(op2.WRITE), x(op2.READ, pairs, flatten=True))
    assert np.array_equal(y.data[3], [6, 8, 7, 9])


def test_a_packed_array_in_one_call(cells, nodes, pairs):
    x, y = values(nodes, dim=2), op2.Dat(cells**4)
    code = "void k(double *y, double *x) { for (int c = 0; c < 4; ++c) y[c] = x[c]; }"
    run(code, cells, y(op2.WRITE), x(op2.READ, pairs[op2.i[0]]))
    assert np.array_equal(y.data[3], [6, 7, 8, 9])
    run(code, cells, y(op2.WRITE), x(op2.READ, pairs[op2.i[0]], flatten=True))
    assert np.array_equal(y.data[3], [6, 8, 7, 9])


def test_packed_increments_begin_with_zeros(cells, nodes, pairs):
    degree = op2.Dat(nodes**2, np.full(2 * (N + 1), 100.0))
    run("void k(double *d) { d[0] += 1; d[3] += 2; }", cells, degree(op2.INC, pairs[op2.i[0]]))
    expected = np.full((N + 1, 2), 100.0)
    expected[:-1, 0] += 1
    expected[1:, 1] += 2
    assert np.array_equal(degree.data, expected)


def test_packed_arrays_are_written_back(cells):
    nodes = op2.Set(2 * N)
    apart = op2.Map(cells, nodes, 2, np.arange(2 * N))
    x = values(nodes)
    run("void k(double *x) { double t = x[0]; x[0] = x[1]; x[1] = t; }", cells, x(op2.RW, apart[op2.i[0]]))
    assert np.array_equal(x.data.reshape(N, 2)[:, ::-1].reshape(-1), np.arange(2.0 * N))
    run("void k(double *x) { x[0] = 5; x[1] = 6; }", cells, x(op2.WRITE, apart[op2.i[0]]))
    assert np.array_equal(x.data, [5, 6] * N)


def test_globals_are_read(cells):
    x, factor = values(cells), op2.Global(2, [3.0, 1.0])
    run("void k(double *x, double *g) { *x = *x * g[0] + g[1]; }", cells, x(op2.RW), factor(op2.READ))
    assert np.array_equal(x.data, 3 * np.arange(N) + 1.0)
    factor.data = [0, 2]
    run("void k(double *x, double *g) { *x = *x * g[0] + g[1]; }", cells, x(op2.RW), factor(op2.READ))
    assert (x.data == 2).all()


@pytest.mark.parametrize("dtype", ["u4", "i4", "f4", "f8"])
def test_reductions_go_on_from_what_was_there(cells, dtype):
    from kiln.op2.arguments import _C_TYPES

    t = _C_TYPES[dtype]
    x = op2.Dat(cells, np.arange(1, N + 1), dtype)
    total, least, most = (op2.Global(1, start, dtype) for start in (5, 3, 7))
    code = f"""void k({t} *x, {t} *total, {t} *least, {t} *most) {{
      *total += *x; if (*x < *least) *least = *x; if (*x > *most) *most = *x; }}"""
    arguments = x(op2.READ), total(op2.INC), least(op2.MIN), most(op2.MAX)
    run(code, cells, *arguments)
    assert (total.data[0], least.data[0], most.data[0]) == (5 + N * (N + 1) // 2, 1, N)
    run(code, cells, *arguments)
    assert total.data[0] == 5 + N * (N + 1)


def test_a_reduction_begins_anew_where_it_is_told_to(cells):
    total = op2.Global(1, 0.0)
    for _ in range(3):
        total.data = 0
        run("void k(double *t) { *t += 1; }", cells, total(op2.INC))
    assert total.data[0] == N


def test_two_components_are_reduced_apart(cells):
    x, sums = values(cells, dim=2), op2.Global(2, [1.0, 2.0])
    run("void k(double *x, double *s) { s[0] += x[0]; s[1] += 2 * x[1]; }", cells, x(op2.READ), sums(op2.INC))
    assert sums.data.tolist() == [1 + N * (N - 1), 2 + 2 * N * N]


def test_rows_behind_the_owned_ones_stay(evaluation):
    parts = op2.Set((0, 8, 12, 16))
    x = op2.Dat(parts, np.ones(16))
    run("void k(double *x) { *x = 2; }", parts, x(op2.WRITE))
    assert (x.data == 2).all() and len(x.data) == 8 and (x.data_with_halos[8:] == 1).all()


def test_subsets_run_over_their_elements(cells):
    x, some = values(cells), cells([3, 1, 60])
    run("void k(double *x) { *x = -1; }", some, x(op2.WRITE))
    expected = np.arange(float(N))
    expected[[1, 3, 60]] = -1
    assert np.array_equal(x.data, expected)
    run("void k(double *x) { *x = -1; }", op2.Subset(cells, []), x(op2.WRITE))
    assert np.array_equal(x.data, expected)


def test_subsets_through_maps(cells, nodes, pairs):
    x = op2.Dat(nodes)
    run("void k(double *x) { x[0] += 1; x[1] += 1; }", cells([0, 1]), x(op2.INC, pairs[op2.i[0]]))
    assert x.data[:4].tolist() == [1, 2, 1, 0]


def test_empty_sets_need_no_values(nodes):
    nothing = op2.Set(0)
    unused = op2.Map(nothing, nodes, 2)
    x = op2.Dat(nodes)
    run("void k(double *x[]) { x[0][0] = 1; }", nothing, x(op2.WRITE, unused))
    assert (x.data == 0).all() and op2.Dat(nothing).data.shape == (0,)


def test_columns_of_cells():
    layers, cells = 11, op2.Set(10)
    columns = op2.ExtrudedSet(cells, layers)
    values_of = op2.Set(10 * (layers - 1))
    first = op2.Map(columns, values_of, 1, np.arange(10) * (layers - 1), offset=[1])
    x, total = op2.Dat(values_of, np.arange(100.0)), op2.Global(1, 0.0)
    run("void k(double *t, double *x[]) { *t += x[0][0]; }", columns, total(op2.INC), x(op2.READ, first))
    assert total.data[0] == 4950
    run("void k(double *x) { x[0] = 1; }", columns, x(op2.WRITE, first[op2.i[0]]), iterate=op2.ON_BOTTOM)
    run("void k(double *x) { x[0] = 2; }", columns, x(op2.WRITE, first[op2.i[0]]), iterate=op2.ON_TOP)
    assert x.data.reshape(10, 10)[:, [0, 9]].tolist() == [[1, 2]] * 10
    assert x.data.reshape(10, 10)[0, 1] == 1
    with pytest.raises(exceptions.IterateValueError):
        run("void k(double *x) { }", cells, iterate=op2.ON_TOP)


def test_what_columns_have_alone_is_done_once_for_each():
    cells = op2.Set(6)
    columns = op2.ExtrudedSet(cells, 5)
    count, total = op2.Dat(columns), op2.Global(1, 0, np.int32)
    add = "void k(double *x, int *n) { *x += 1; *n += 1; }"
    run(add, columns, count(op2.INC), total(op2.INC))
    run(add, columns(1, 4), count(op2.INC), total(op2.INC))
    # A Map, if only to a set of columns, makes it a loop over cells.
    self = op2.Map(columns, cells, 1, range(6), offset=[0])
    run("void k(double *x) { *x += 1; }", columns, op2.Dat(cells)(op2.INC, self[0]))
    run("void k(int *n) { *n += 1; }", op2.LocalSet(columns), total(op2.INC))
    assert count.data.tolist() == [1, 2, 1, 1, 2, 1] and total.data.tolist() == [6 + 2 + 6]


def test_parts_of_columns():
    layers, cells = 4, op2.Set(5)
    columns, values_of = op2.ExtrudedSet(cells, layers), op2.Set(15)
    first = op2.Map(columns, values_of, 1, np.arange(5) * 3, offset=[1])
    x = op2.Dat(values_of)
    part = columns(0, 3)
    run("void k(double *x) { x[0] += 1; }", part, x(op2.INC, first[0]), iterate=op2.ON_BOTTOM)
    run("void k(double *x) { x[0] += 2; }", part, x(op2.INC, first[0]), iterate=op2.ON_TOP)
    assert x.data.reshape(5, 3).tolist() == [[1, 0, 2], [0, 0, 0], [0, 0, 0], [1, 0, 2], [0, 0, 0]]
    with pytest.raises(NotImplementedError, match="part of an extruded set"):
        run("void k(double *x) { x[0] += 1; }", part, x(op2.INC, first[0]))
        trace.evaluate_all()


def test_maps_without_values_are_refused_when_they_are_used(cells, nodes):
    x = op2.Dat(nodes)
    with pytest.raises(exceptions.MapValueError, match="unfilled"):
        run("void k(double *x) { *x = 1; }", cells, x(op2.WRITE, op2.Map(cells, nodes, 2, name="unfilled")[0]))
    assert not trace._trace


def test_mixed_arguments_are_one_array(cells, nodes, pairs):
    self = op2.Map(cells, cells, 1, np.arange(N))
    both = op2.MixedMap((pairs, self))
    mixed = op2.MixedDat((values(nodes), values(cells)))
    out = op2.Dat(cells)
    run(
        "void k(double *out, double *x[]) { *out = x[0][0] + x[1][0] + x[2][0]; }",
        cells,
        out(op2.WRITE),
        mixed(op2.READ, both),
    )
    assert np.array_equal(out.data, 3 * np.arange(N) + 1.0)
    run("void k(double *x) { x[0] += 1; x[1] += 1; x[2] += 5; }", cells, mixed(op2.INC, both[op2.i[0]]))
    assert mixed[0].data[1] == 3 and mixed[1].data[1] == 6


def test_loops_over_mixed_sets_are_loops_over_each(cells, nodes):
    mixed = op2.MixedDat((values(cells), values(nodes)))
    total = op2.Global(1, 0.0)
    run("void k(double *x, double *t) { *t += *x; *x = 1; }", mixed.dataset.set, mixed(op2.RW), total(op2.INC))
    assert total.data[0] == N * (N - 1) / 2 + N * (N + 1) / 2
    assert (mixed[0].data == 1).all() and (mixed[1].data == 1).all()


def test_one_component_of_a_dat(cells, nodes, pairs):
    x = op2.Dat(cells**2, np.arange(2.0 * N))
    run("void k(double *x) { *x = 9; }", cells, op2.DatView(x, 1)(op2.WRITE))
    assert (x.data[:, 1] == 9).all() and np.array_equal(x.data[:, 0], np.arange(0, 2.0 * N, 2))
    y = op2.Dat(nodes**2)
    run("void k(double *y) { y[0] += 1; y[1] += 1; }", cells, op2.DatView(y, 0)(op2.INC, pairs[op2.i[0]]))
    assert y.data[1].tolist() == [2, 0]


@pytest.mark.parametrize("soa", [False, True])
def test_layouts_look_alike(cells, nodes, pairs, soa):
    x = op2.Dat(nodes**3, np.arange(3 * (N + 1)), np.float64, soa=soa)
    y = op2.Dat(cells)
    run("void k(double *y, double *x[]) { *y = x[0][2] + x[1][0]; x[0][1]; }", cells, y(op2.WRITE), x(op2.READ, pairs))
    assert np.array_equal(y.data, 6 * np.arange(N) + 5.0)
    run("void k(double *x) { x[1] = 0; }", nodes, x(op2.RW))
    assert (x.data[:, 1] == 0).all() and x.data.flags.c_contiguous and x.data[2, 2] == 8


def test_what_c_lets_pass(cells):
    x = values(cells)
    run("static void k() { }", cells, x(op2.READ))
    run("static inline void k(void *x) { }", cells, x(op2.READ))
    run("#include <math.h>\nvoid k(double *x) { *x = fabs(-*x); }", cells, x(op2.RW))
    run("void k(double *x) { OP2_STRIDE(x, 0) += 1; }", cells, x(op2.RW))
    assert np.array_equal(x.data, np.arange(N) + 1.0)


@pytest.mark.parametrize("bound", ["", "1", "2", "7"])
def test_the_bound_of_a_parameter_counts_no_pointers(cells, nodes, pairs, bound):
    x, y = values(nodes), op2.Dat(cells)
    code = f"void k(double *y, double * const x[{bound}]) {{ *y = x[0][0] + x[1][0]; }}"
    run(code, cells, y(op2.WRITE), x(op2.READ, pairs))
    assert y.data[3] == x.data[3] + x.data[4]
    # How many numbers there are it does say.
    with pytest.raises(kiln.Error, match="at most"):
        run("void k(double y[2]) { y[1] = 0; }", cells, y(op2.WRITE))
        trace.evaluate_all()


def test_trees_are_kernels_by_their_code(cells):
    class Tree:
        def gencode(self):
            return "void k(double *x) { *x = 4; }"

    x = op2.Dat(cells)
    op2.par_loop(op2.Kernel(Tree(), "k"), cells, x(op2.WRITE))
    assert (x.data == 4).all()


def test_functions_of_python_run_on_the_host(cells, nodes, pairs):
    x, y, total = values(nodes), op2.Dat(cells), op2.Global(1, 0.0)

    def sum_up(y, x, total):
        y[:] = x[0] + x[1]
        total[:] += 1

    op2.par_loop(sum_up, cells, y(op2.WRITE), x(op2.READ, pairs), total(op2.INC))
    assert np.array_equal(y.data, 2 * np.arange(N) + 1.0) and total.data[0] == N

    def write(x):
        x[:] = 1

    with pytest.raises(ValueError):
        op2.par_loop(write, cells, x(op2.READ, pairs))
        trace.evaluate_all()

    def outside(y):
        y[1] = 1

    with pytest.raises(IndexError):
        op2.par_loop(outside, cells, y(op2.WRITE))
        y.data


def test_functions_of_python_are_not_called_for_cells_of_columns():
    columns, nodes = op2.ExtrudedSet(op2.Set(2), 3), op2.Set(6)
    x, y = op2.Dat(nodes), op2.Dat(columns)
    bottom = op2.Map(columns, nodes, 1, [0, 3], offset=[1])

    def one(a):
        a[:] = 1

    with pytest.raises(NotImplementedError, match="one: .*columns"):
        op2.par_loop(one, columns, x(op2.WRITE, bottom))
    with pytest.raises(NotImplementedError):
        op2.par_loop(one, columns, x(op2.WRITE, bottom), iterate=op2.ON_TOP)
    op2.par_loop(one, columns, y(op2.WRITE))
    assert y.data.tolist() == [1, 1] and not x.data.any()


def test_functions_of_python_add_to_a_target_that_is_there_twice(cells, nodes):
    map = op2.Map(cells, nodes, 2, [[0, 0]] + [[0, 1]] * (N - 1))
    x, y = (op2.Dat(nodes**2, np.full(2 * (N + 1), 10)) for _ in range(2))

    def add(a):
        assert not a.any()
        a[:, 1] += 3

    op2.par_loop(add, cells, x(op2.INC, map))
    op2.par_loop(add, cells, y(op2.INC, map[op2.i[0]]))
    for found in (x.data, y.data):
        assert found[:3].tolist() == [[10, 10 + 3 * (N + 1)], [10, 10 + 3 * (N - 1)], [10, 10]]


@pytest.mark.parametrize("kernel", [op2.Kernel("void k(double *x) { }", "k"), lambda x: None])
def test_arguments_have_an_access(kernel, nodes):
    x = op2.Dat(nodes)
    with pytest.raises(TypeError, match="argument 1: found Dat.*op2.READ"):
        op2.par_loop(kernel, nodes, x(op2.READ), x)


def test_checks_come_in_their_order(cells, nodes, pairs):
    x, kernel = values(nodes), op2.Kernel("", "k")
    with pytest.raises(exceptions.KernelTypeError):
        op2.par_loop("kernel", "set", x(op2.READ, pairs))
    with pytest.raises(exceptions.SetTypeError):
        op2.par_loop(kernel, "set", x(op2.READ, pairs))
    with pytest.raises(exceptions.MapValueError):
        op2.par_loop(kernel, nodes, x(op2.READ, pairs))
    with pytest.raises(exceptions.MapValueError):
        op2.par_loop(kernel, cells, x(op2.READ))
    with pytest.raises(exceptions.MapValueError):
        ParLoop(kernel, op2.ExtrudedSet(nodes, 3), x(op2.READ, pairs))
    three = op2.Map(cells, nodes, 3, np.zeros(3 * N))
    with pytest.raises(exceptions.IndexValueError):
        op2.par_loop(kernel, cells, x(op2.READ, pairs[op2.i[0]]), x(op2.READ, three[op2.i[0]]))


def test_kernels_are_looked_at_when_they_run(cells):
    x = op2.Dat(cells)
    for code, error, text in [
        ("", kiln.Error, "k"),
        ("void other(double *x) { }", kiln.Error, "k"),
        ("void k(double *x) { *x = undeclared; }", kiln.Error, "undeclared"),
        ("void k(float *x) { }", kiln.Error, "float"),
        ('#include "mine.h"\nvoid k(double *x) { }', kiln.UnsupportedError, "mine.h"),
    ]:
        with pytest.raises(error, match=text):
            run(code, cells, x(op2.WRITE))
            trace.evaluate_all()
    with pytest.raises(kiln.UnsupportedError, match="C\\+\\+"):
        op2.par_loop(op2.Kernel("void k(double *x) { }", "k", cpp=True), cells, x(op2.WRITE))
        trace.evaluate_all()


def test_local_sets_take_no_direct_arguments(cells, nodes, pairs):
    local = op2.LocalSet(cells)
    assert op2.LocalSet(cells) is local
    x = op2.Dat(nodes)
    run("void k(double *x) { x[0] += 1; x[1] += 1; }", local, x(op2.INC, pairs[op2.i[0]]))
    assert x.data[1] == 2
    with pytest.raises(RuntimeError):
        run("void k(double *y) { *y = 1; }", local, op2.Dat(cells)(op2.WRITE))
        trace.evaluate_all()
