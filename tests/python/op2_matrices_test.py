"""kiln.op2: sparsities, assembly, entries from the host, boundary conditions and solving."""
import numpy as np
import pytest

import kiln
from kiln import op2
from kiln.op2 import exceptions

MASS = """
void mass(double A[3][3], double *x[]) {
  const double area = 0.5 * fabs((x[1][0] - x[0][0]) * (x[2][1] - x[0][1]) -
                                 (x[2][0] - x[0][0]) * (x[1][1] - x[0][1]));
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      A[r][c] += area / (r == c ? 6 : 12);
}"""
RIGHT_SIDE = """
void right_side(double *b, double *x[], double *f[]) {
  const double area = 0.5 * fabs((x[1][0] - x[0][0]) * (x[2][1] - x[0][1]) -
                                 (x[2][0] - x[0][0]) * (x[1][1] - x[0][1]));
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      b[r] += area / (r == c ? 6 : 12) * f[c][0];
}"""


@pytest.fixture
def square():
    """Two triangles: nodes, cells, the map between them, coordinates."""
    nodes, cells = op2.Set(4, "nodes"), op2.Set(2, "cells")
    cell2node = op2.Map(cells, nodes, 3, [0, 1, 3, 2, 3, 1], "cell2node")
    return nodes, cells, cell2node, op2.Dat(nodes**2, [0.0, 0, 2, 0, 1, 1, 0, 1.5])


def assembled(square, kind=op2.INC):
    nodes, cells, cell2node, x = square
    matrix = op2.Mat(op2.Sparsity(nodes, cell2node), np.float64, "mass")
    op2.par_loop(
        op2.Kernel(MASS, "mass"),
        cells,
        matrix(kind, (cell2node[op2.i[0]], cell2node[op2.i[1]])),
        x(op2.READ, cell2node),
    )
    return matrix


def expected_mass(square):
    _, cells, cell2node, x = square
    matrix = np.zeros((4, 4))
    for element in cell2node.values:
        a, b, c = x.data_ro[element]
        area = 0.5 * abs((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]))
        matrix[np.ix_(element, element)] += area / 12 * (np.ones((3, 3)) + np.eye(3))
    return matrix


def test_matrices_over_the_cells_of_columns():
    layers, count = 4, 7
    cells, nodes = op2.Set(count), op2.Set((count + 1) * layers)
    columns = op2.ExtrudedSet(cells, layers)
    lowest = np.array([[c * layers, c * layers + 1, (c + 1) * layers, (c + 1) * layers + 1] for c in range(count)])
    corners = op2.Map(columns, nodes, 4, lowest, offset=[1, 1, 1, 1])
    x = op2.Dat(nodes, np.arange((count + 1.0) * layers))
    matrix = op2.Mat(op2.Sparsity(nodes, corners), np.float64, "over columns")
    add = op2.Kernel(
        """void add(double A[4][4], double *x[]) {
             for (int r = 0; r < 4; ++r) for (int c = 0; c < 4; ++c) A[r][c] += 1 + r * x[c][0]; }""", "add")
    op2.par_loop(
        add, columns, matrix(op2.INC, (corners[op2.i[0]], corners[op2.i[1]])), x(op2.READ, corners))
    expected = np.zeros(((count + 1) * layers,) * 2)
    for row in lowest:
        for up in range(layers - 1):
            expected[np.ix_(row + up, row + up)] += 1 + np.outer(np.arange(4), row + up)
    assert np.array_equal(matrix.values, expected)


def test_mixed_data_over_the_cells_of_columns():
    layers, count = 3, 6
    cells, nodes, boxes = op2.Set(count), op2.Set((count + 1) * layers), op2.Set(count * (layers - 1))
    columns = op2.ExtrudedSet(cells, layers)
    corners = op2.Map(
        columns, nodes, 2, [[c * layers, (c + 1) * layers + 1] for c in range(count)], offset=[1, 1])
    inside = op2.Map(columns, boxes, 1, np.arange(count) * (layers - 1), offset=[1])
    both = op2.MixedMap([corners, inside])
    data = op2.MixedDat([op2.Dat(nodes, np.ones((count + 1) * layers)), op2.Dat(boxes)])
    add = op2.Kernel("void add(double **x) { for (int k = 0; k < 3; ++k) x[k][0] += k + 1; }", "add")
    op2.par_loop(add, columns, data(op2.INC, both))
    on_nodes, on_boxes = np.ones((count + 1) * layers), np.full(count * (layers - 1), 3.0)
    for c in range(count):
        for up in range(layers - 1):
            on_nodes[c * layers + up] += 1
            on_nodes[(c + 1) * layers + 1 + up] += 2
    found = data.data_ro
    assert np.array_equal(found[0], on_nodes) and np.array_equal(found[1], on_boxes)


def test_the_entries_of_a_sparsity(square):
    nodes, _, cell2node, _ = square
    sparsity = op2.Sparsity((nodes**1, nodes**1), (cell2node, cell2node), "entries")
    assert sparsity.rowptr.tolist() == [0, 3, 7, 10, 14] and sparsity.nz == 14 and sparsity.onz == 0
    assert sparsity.colidx.tolist() == [0, 1, 3, 0, 1, 2, 3, 1, 2, 3, 0, 1, 2, 3]
    assert sparsity.nnz.tolist() == [3, 4, 3, 4] and not sparsity.onnz.any()
    assert sparsity.shape == (1, 1) and sparsity.dims[0][0] == (1, 1) and sparsity[0, 0] is sparsity
    assert list(sparsity) == [sparsity] and (sparsity.nrows, sparsity.ncols) == (4, 4)
    assert op2.Mat(sparsity).nbytes == 14 * 8


def test_the_diagonal_is_always_there():
    rows, cells = op2.Set(4), op2.Set(1)
    sparsity = op2.Sparsity(rows, op2.Map(cells, rows, 2, [0, 2]))
    assert sparsity.colidx.tolist() == [0, 2, 1, 0, 2, 3]


def test_between_two_sets_there_is_a_diagonal_too():
    one, rows, columns = op2.Set(1), op2.Set(4), op2.Set(3)
    pair = (op2.Map(one, rows, 1, [3]), op2.Map(one, columns, 2, [0, 2]))
    sparsity = op2.Sparsity((rows, columns), pair)
    assert sparsity.rowptr.tolist() == [0, 1, 2, 3, 5] and sparsity.colidx.tolist() == [0, 1, 2, 0, 2]
    turned = op2.Sparsity((columns, rows), pair[::-1])
    assert turned.nnz.tolist() == [2, 1, 2] and turned.colidx.tolist() == [0, 3, 1, 2, 3]
    matrix = op2.Mat(sparsity)
    rows_of, columns_of = pair[0][op2.i[0]], pair[1][op2.i[1]]
    fill = op2.Kernel("void fill(double A[1][2]) { A[0][0] = 1; A[0][1] = 2; }", "fill")
    op2.par_loop(fill, one, matrix(op2.WRITE, (rows_of, columns_of)))
    assert matrix.values.tolist() == [[0] * 3] * 3 + [[1, 0, 2]]


def test_decorated_maps_reach_the_same_entries(square):
    nodes, cells, cell2node, x = square
    matrix = op2.Mat(op2.Sparsity(nodes, cell2node))
    all_cells = op2.DecoratedMap(cell2node, [op2.ALL])
    use = tuple(all_cells[op2.i[n]] for n in (0, 1))
    assert use in matrix.sparsity and (all_cells, cell2node) in matrix.sparsity
    op2.par_loop(op2.Kernel(MASS, "mass"), cells, matrix(op2.INC, use), x(op2.READ, cell2node))
    assert np.allclose(matrix.values, expected_mass(square), rtol=1e-14)
    bounded = op2.DecoratedMap(cell2node, implicit_bcs=["top"])
    use = tuple(bounded[op2.i[n]] for n in (0, 1))
    with pytest.raises(NotImplementedError, match="implicit_bcs"):
        op2.par_loop(op2.Kernel(MASS, "mass"), cells, matrix(op2.INC, use), x(op2.READ, cell2node))


def test_equal_parts_are_one_sparsity(square):
    nodes, cells, cell2node, _ = square
    other = op2.Map(cells, nodes, 3, [0, 1, 2, 1, 2, 3])
    space = nodes**1
    sparsity = op2.Sparsity(space, cell2node)
    assert op2.Sparsity((nodes, nodes), ((cell2node, cell2node), (cell2node, cell2node))) is sparsity
    assert sparsity.maps == [(cell2node, cell2node)] and sparsity.dsets == (space, space)
    both = op2.Sparsity(space, [(cell2node, cell2node), (other, other)])
    assert op2.Sparsity(space, [(other, other), (cell2node, cell2node)]) is both and both is not sparsity
    assert op2.Sparsity(nodes**2, cell2node) is not sparsity


def test_wrong_parts_of_a_sparsity(square):
    nodes, cells, cell2node, _ = square
    space, other = nodes**1, op2.Set(1)
    elsewhere = op2.Map(cells, other, 1, [0, 0])
    from_nodes = op2.Map(nodes, nodes, 1, [0, 1, 2, 3])
    for arguments, error in [
        ((("space", space), (cell2node, cell2node)), TypeError),
        ((space, ("map", cell2node)), TypeError),
        (((space, other), (cell2node, cell2node)), RuntimeError),
        ((space, (cell2node, from_nodes)), RuntimeError),
        ((space, ((cell2node, cell2node), (elsewhere, cell2node))), RuntimeError),
        ((space, op2.Map(cells, nodes, 3)), exceptions.MapValueError),
    ]:
        with pytest.raises(error):
            op2.Sparsity(*arguments)


def test_mixed_sparsities_have_blocks(square):
    nodes, cells, cell2node, _ = square
    self = op2.Map(cells, cells, 1, [0, 1])
    spaces = op2.MixedDataSet((nodes, cells))
    maps = op2.MixedMap((cell2node, self))
    sparsity = op2.Sparsity((spaces, spaces), (maps, maps))
    assert sparsity.shape == (2, 2) and sparsity.nz == 14 + 6 + 6 + 2
    assert sparsity[0, 1] is sparsity[0][1] and list(sparsity) == [b for row in sparsity._blocks for b in row]
    assert sparsity[0, 1].dsets == (nodes**1, cells**1) and sparsity[0, 1].maps == [(cell2node, self)]
    assert op2.Sparsity((nodes, spaces), (cell2node, maps)).shape == (1, 2)
    assert [block.tolist() for block in sparsity._rowptr] == [block.rowptr.tolist() for block in sparsity]
    assert [block.tolist() for block in sparsity._colidx] == [block.colidx.tolist() for block in sparsity]
    matrix = op2.Mat(sparsity)
    assert list(matrix) == [matrix[0, 0], matrix[0, 1], matrix[1, 0], matrix[1, 1]] and len(matrix) == 4
    assert list(matrix[0, 1]) == [matrix[0, 1]]


def test_loops_assemble(square):
    matrix = assembled(square)
    assert np.allclose(matrix.values, expected_mass(square), rtol=1e-14)
    matrix.zero()
    assert not matrix.values.any()


def test_loops_set_entries(square):
    nodes, cells, cell2node, _ = square
    matrix = op2.Mat(op2.Sparsity(nodes, cell2node))
    code = "void ones(double A[3][3]) { for (int r = 0; r < 3; ++r) for (int c = 0; c < 3; ++c) A[r][c] = 1; }"
    maps = cell2node[op2.i[0]], cell2node[op2.i[1]]
    op2.par_loop(op2.Kernel(code, "ones"), cells, matrix(op2.WRITE, maps))
    assert matrix.values.sum() == 14
    op2.par_loop(op2.Kernel(code.replace("= 1;", "+= 1;"), "ones"), cells, matrix(op2.INC, maps))
    assert matrix.values.sum() == 14 + 18


def test_blocks_of_several_components():
    nodes, cells = op2.Set(3), op2.Set(2)
    pairs = op2.Map(cells, nodes, 2, [0, 1, 1, 2])
    matrix = op2.Mat(op2.Sparsity(nodes**2, pairs))
    code = "void k(double A[4][4]) { for (int r = 0; r < 4; ++r) for (int c = 0; c < 4; ++c) A[r][c] += 10 * r + c; }"
    op2.par_loop(op2.Kernel(code, "k"), cells, matrix(op2.INC, (pairs[op2.i[0]], pairs[op2.i[1]])))
    element = 10 * np.arange(4)[:, None] + np.arange(4)
    expected = np.zeros((6, 6))
    for first in (0, 2):
        expected[first : first + 4, first : first + 4] += element
    assert np.array_equal(matrix.values, expected) and matrix.nbytes == 7 * 4 * 8


def test_mixed_matrices(square):
    nodes, cells, cell2node, _ = square
    self = op2.Map(cells, cells, 1, [0, 1])
    maps = op2.MixedMap((cell2node, self))
    spaces = op2.MixedDataSet((nodes, cells))
    matrix = op2.Mat(op2.Sparsity((spaces, spaces), (maps, maps)))
    code = "void k(double A[4][4]) { for (int r = 0; r < 4; ++r) for (int c = 0; c < 4; ++c) A[r][c] += 1; }"
    op2.par_loop(op2.Kernel(code, "k"), cells, matrix(op2.INC, (maps[op2.i[0]], maps[op2.i[1]])))
    assert matrix.values.sum() == 32 and matrix[1, 1].values.tolist() == [[1, 0], [0, 1]]
    assert matrix[0, 1].values.sum() == 6 and matrix.values.shape == (6, 6)
    ones = op2.MixedDat((op2.Dat(nodes, np.ones(4)), op2.Dat(cells, np.ones(2))))
    assert np.array_equal(np.concatenate((matrix * ones).data), matrix.values.sum(axis=1))


def test_rows_are_zeroed(square):
    nodes = square[0]
    for rows in ([0, 2], nodes([0, 2])):
        matrix = assembled(square)
        expected = expected_mass(square)
        expected[[0, 2]] = 0
        expected[[0, 2], [0, 2]] = 12
        matrix.zero_rows(rows, 12.0)
        assert np.allclose(matrix.values, expected)


@pytest.mark.parametrize("dim", [1, 2])
def test_diagonals_are_set(dim):
    nodes = op2.Set(4)
    matrix = op2.Mat(op2.Sparsity(nodes**dim, op2.Map(nodes, nodes, 1, np.arange(4))))
    for _ in range(2):
        matrix.set_local_diagonal_entries([0, 1], 7)
        matrix.set_local_diagonal_entries(nodes([2, 3]), 8)
        assert np.array_equal(np.diag(matrix.values), np.repeat([7, 7, 8, 8], dim))
    matrix.set_local_diagonal_entries([3], 9, idx=dim - 1)
    assert matrix.values[-1, -1] == 9 and matrix.values[0, 0] == 7


def test_entries_from_the_host(square):
    nodes, _, cell2node, _ = square
    matrix = op2.Mat(op2.Sparsity(nodes, cell2node))
    matrix.addto_values([0, 1], [0, 3], [[1, 2], [3, 4]])
    matrix.addto_values(0, 0, [1])
    matrix.set_values([1], [1], [5])
    matrix.assemble()
    assert matrix.values[0].tolist() == [2, 0, 0, 2] and matrix.values[1].tolist() == [3, 5, 0, 4]


def test_states_of_assembly():
    nodes = op2.Set(2)
    self = op2.Map(nodes, nodes, 1, [0, 1])
    for nest in (True, False):
        spaces, maps = op2.MixedDataSet((nodes, nodes)), op2.MixedMap((self, self))
        matrix = op2.Mat(op2.Sparsity((spaces, spaces), (maps, maps), nest=nest))
        matrix.handle.setOption(matrix.handle.Option.NEW_NONZERO_ALLOCATION_ERR, False)
        assert matrix.assembly_state is op2.Mat.ASSEMBLED
        flushes = []
        owner = matrix[0, 0] if nest else matrix
        owner._flush_assembly = lambda: flushes.append(1)
        matrix[0, 0].addto_values(0, 0, [1])
        matrix[0, 0]._force_evaluation()
        assert matrix[0, 0].assembly_state is op2.Mat.ADD_VALUES and flushes == []
        assert matrix[1, 1].assembly_state is (op2.Mat.ASSEMBLED if nest else op2.Mat.ADD_VALUES)
        matrix[0, 0].set_values(1, 1, [2])
        assert matrix[0, 0].assembly_state is op2.Mat.INSERT_VALUES and flushes == [1]
        if not nest:
            with pytest.raises(RuntimeError):
                matrix[0, 0].assemble()
        matrix.assemble()
        assert matrix[0, 0].assembly_state is op2.Mat.ASSEMBLED and flushes == [1]
        assert np.array_equal(matrix[0, 0].values, np.diag([1, 2]))


def test_wrong_arguments_of_matrices(square):
    nodes, cells, cell2node, _ = square
    matrix = op2.Mat(op2.Sparsity(nodes, cell2node))
    maps = cell2node[op2.i[0]], cell2node[op2.i[1]]
    for mode in (op2.READ, op2.RW, op2.MIN, op2.MAX):
        with pytest.raises(exceptions.ModeValueError):
            matrix(mode, maps)
    with pytest.raises(TypeError):
        matrix(op2.INC, (cell2node, cell2node))
    other = op2.Map(cells, nodes, 3, [0] * 6)
    with pytest.raises(exceptions.MapValueError):
        matrix(op2.INC, (other[op2.i[0]], other[op2.i[1]]))
    with pytest.raises(TypeError):
        op2.Mat("sparsity")
    assert matrix(op2.INC, maps) == matrix(op2.INC, maps) != matrix(op2.WRITE, maps)


def test_large_matrices_are_not_made_dense():
    many = op2.Set(1001)
    matrix = op2.Mat(op2.Sparsity(many, op2.Map(many, many, 1, np.arange(1001))))
    with pytest.raises(ValueError):
        matrix.values


def test_systems_are_solved(square):
    nodes, cells, cell2node, x = square
    matrix = assembled(square)
    f, b, u = op2.Dat(nodes, [1.0, 2, 3, 4]), op2.Dat(nodes), op2.Dat(nodes)
    op2.par_loop(
        op2.Kernel(RIGHT_SIDE, "right_side"),
        cells,
        b(op2.INC, cell2node[op2.i[0]]),
        x(op2.READ, cell2node),
        f(op2.READ, cell2node),
    )
    op2.solve(matrix, u, b)
    assert np.allclose(u.data, f.data, atol=1e-5) and np.allclose((matrix * u).data, b.data)


def test_matrices_do_not_take_one_component_for_all(square):
    nodes, _, _, x = square
    matrix, view, b = assembled(square), op2.DatView(x, 1), op2.Dat(nodes, np.ones(4))
    for use in (lambda: matrix * view, lambda: op2.solve(matrix, view, b), lambda: op2.solve(matrix, b, view)):
        with pytest.raises(NotImplementedError, match="one component"):
            use()


def test_solvers_have_parameters(square):
    solver = op2.Solver(ksp_rtol=1e-12)
    assert solver.parameters == {**op2.DEFAULT_SOLVER_PARAMETERS, "ksp_rtol": 1e-12}
    solver.update_parameters({"ksp_max_it": 3})
    assert solver.parameters["ksp_max_it"] == 3
    with pytest.raises(RuntimeError):
        op2.Solver({"ksp_rtol": 1}, ksp_atol=1)
    nodes = square[0]
    matrix, b = assembled(square), op2.Dat(nodes, [1.0, 2, 3, 5])
    with pytest.raises(RuntimeError, match="1 iteration"):
        op2.Solver(ksp_max_it=1, ksp_rtol=1e-14).solve(matrix, op2.Dat(nodes), b)
    quiet = op2.Solver(ksp_max_it=1, ksp_rtol=1e-14, error_on_nonconvergence=False)
    quiet.solve(matrix, op2.Dat(nodes), b)
    assert not quiet.result.converged
    with pytest.raises(kiln.UnsupportedError, match="gmres"):
        op2.Solver(ksp_type="gmres").solve(matrix, op2.Dat(nodes), b)
