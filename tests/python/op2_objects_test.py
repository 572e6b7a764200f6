"""kiln.op2: what constructors of data take and refuse, how objects compare and print."""
import warnings

import numpy as np
import pytest

from kiln import op2
from kiln.op2 import exceptions, loops
from kiln.op2.access import Access

NAMES = {name: getattr(op2, name) for name in op2.__all__}
NAMES.update(Access=Access, IterationSpace=loops.IterationSpace, dtype=np.dtype, array=np.array)


# --- data ---


def test_dats_say_what_is_wrong(nodes):
    space = nodes**2
    for arguments, error in [
        (("nodes", 1), exceptions.DataSetTypeError),
        ((space, None, "no type"), exceptions.DataTypeError),
        ((space, None, bool), exceptions.DataTypeError),
        ((space, None, np.complex128), exceptions.DataTypeError),
        ((space, [1] * 7), exceptions.DataValueError),
        ((space, "abcdef"), exceptions.DataValueError),
    ]:
        with pytest.raises(error):
            op2.Dat(*arguments)


def test_types_and_shapes_of_dats(nodes):
    assert op2.Dat(nodes).dtype == np.float64 and op2.Dat(nodes, [1, 2, 3]).dtype == np.int64
    assert op2.Dat(nodes, [1, 2, 3], np.float32).dtype == np.float32
    assert op2.Dat(nodes, [1.7, 2, 3], np.int32).data.tolist() == [1, 2, 3]
    assert type(op2.Dat(nodes).dtype) is np.dtype(np.float64).__class__
    assert op2.Dat(nodes).data.shape == (3,) and op2.Dat(nodes**2).data.shape == (3, 2)
    assert op2.Dat(nodes ** (2, 2), np.arange(12)).data[1].tolist() == [[4, 5], [6, 7]]
    assert op2.Dat(nodes**2, dtype=np.float32).nbytes == 24
    empty = op2.Dat(nodes**0)
    assert empty.shape == (3, 0) and empty.data.shape == (3, 0)


def test_nothing_is_allocated_before_it_is_needed(nodes):
    dat = op2.Dat(nodes)
    assert not dat._is_allocated
    assert dat.data.tolist() == [0, 0, 0] and dat._is_allocated


def test_a_dat_of_a_dat_is_a_copy(dat):
    copy = op2.Dat(dat)
    copy.data[0] = 9
    assert dat.data_ro.tolist() == [1, 2, 3] and copy.data_ro.tolist() == [9, 2, 3]
    assert copy.dtype == dat.dtype and copy.dataset is dat.dataset


def test_a_dat_is_itself_alone(dat):
    assert dat[0] is dat and list(dat) == [dat] and len(dat) == 1 and dat.split == (dat,)
    assert dat == dat and dat != op2.Dat(dat)
    with pytest.raises(exceptions.IndexValueError):
        dat[1]


def test_read_only_arrays_cannot_be_written(dat):
    with pytest.raises(ValueError):
        dat.data_ro[0] = 1
    dat.data[0] = -5
    assert dat.data_ro[0] == -5
    with pytest.raises(ValueError):
        dat.data_ro_with_halos[0] = 1


def test_arguments_of_dats(dat, nodes, cells, cell2node, cell2other):
    assert dat(op2.READ).map is None and dat(op2.READ, cell2node).map is cell2node
    assert dat(op2.READ, cell2node) == dat(op2.READ, cell2node)
    assert dat(op2.READ, cell2node) != dat(op2.WRITE, cell2node)
    assert dat(op2.READ, cell2node[0]) != dat(op2.READ, cell2node[1])
    assert [part == dat(op2.READ, cell2node) for part in dat(op2.READ, cell2node).split] == [True]
    with pytest.raises(exceptions.MapValueError):
        dat(op2.READ, cell2other)
    for mode in (op2.MIN, op2.MAX, "READ", 1):
        with pytest.raises(exceptions.ModeValueError):
            dat(mode)


def test_mixed_dats_are_of_one_type(nodes, cells, dat):
    other = op2.Dat(cells, [4, 5], np.int32)
    mixed = op2.MixedDat((dat, other))
    assert mixed.split == (dat, other) and mixed[1] is other and tuple(mixed) == (dat, other)
    assert mixed == op2.MixedDat([dat, other]) and mixed != op2.MixedDat((other, dat)) and mixed != dat
    assert mixed.dataset is op2.MixedDataSet((nodes, cells)) and mixed.cdim == 2
    assert [part.tolist() for part in mixed.data_ro] == [[1, 2, 3], [4, 5]]
    assert mixed[:1] == (dat,) and mixed.nbytes == 20 and mixed.dtype == np.int32
    assert op2.MixedDat(op2.MixedSet((nodes, cells))).dataset is op2.MixedDataSet((nodes, cells))
    copy = op2.MixedDat(mixed)
    copy.zero()
    assert dat.data_ro.tolist() == [1, 2, 3] and copy.data_ro[0].tolist() == [0, 0, 0]
    with pytest.raises(exceptions.DataSetTypeError):
        op2.MixedDat("ab")
    with pytest.raises(exceptions.DataValueError):
        op2.MixedDat((dat, op2.Dat(cells)))
    with pytest.raises(NotImplementedError):
        mixed.zero(nodes(0))


def test_halos_of_mixed_dats_are_those_of_the_parts(nodes, cells):
    mixed = op2.MixedDat((op2.Dat(nodes), op2.Dat(cells)))
    assert mixed.halo_valid
    mixed[0].halo_valid = False
    assert not mixed.halo_valid and mixed.needs_halo_update
    mixed.halo_valid = True
    assert mixed[0].halo_valid and not mixed.needs_halo_update
    mixed[1].needs_halo_update = True
    assert mixed.needs_halo_update and not mixed[0].needs_halo_update
    mixed.needs_halo_update = True
    assert all(part.needs_halo_update for part in mixed) and not mixed.halo_valid


def test_globals_say_what_is_wrong():
    for arguments, error in [
        (("1",), TypeError),
        (((1, "a"),), TypeError),
        ((1, "a", "double"), exceptions.DataValueError),
        ((1, [1, 2]), exceptions.DataValueError),
        (((2, 2), [1] * 5), exceptions.DataValueError),
    ]:
        with pytest.raises(error):
            op2.Global(*arguments)


def test_values_of_globals():
    assert op2.Global(1, 1).dtype == np.int64 and op2.Global(1, 1.0).dtype == np.float64
    assert op2.Global(1, 1.5, "int").data.tolist() == [1] and op2.Global(3).data.tolist() == [0] * 3
    square = op2.Global((2, 2), [1] * 4, "double", "square")
    assert square.dim == (2, 2) and square.data.shape == (2, 2) and square.name == "square"
    square.data = [2] * 4
    assert square.data.sum() == 8
    with pytest.raises(exceptions.DataValueError):
        square.data = [1, 2]
    assert list(square) == [square] and len(square) == 1 and square[0] is square


def test_arguments_of_globals(cell2node):
    total = op2.Global(1, 0.0)
    assert total(op2.READ, cell2node).map is None
    for mode in (op2.RW, op2.WRITE):
        with pytest.raises(exceptions.ModeValueError):
            total(mode)


def test_views_of_one_component(nodes):
    dat = op2.Dat(nodes**2, np.arange(6.0))
    view = op2.DatView(dat, 1)
    assert view.data_ro.tolist() == [1, 3, 5] and view.cdim == 1 and view.shape == (3,)
    view.data[0] = 7
    assert dat.data_ro[0].tolist() == [0, 7]
    with pytest.raises(exceptions.IndexTypeError):
        op2.DatView(dat, "a")
    with pytest.raises(exceptions.IndexValueError):
        op2.DatView(dat, 2)
    assert view.nbytes == 24 and str(view) == f"OP2 Dat: {view.name} on ({nodes**2}) with datatype float64"
    view.needs_halo_update = True
    assert dat.needs_halo_update
    for use in (view.cl_buffer, view.cl_array, view.zero, lambda: view.norm):
        with pytest.raises(NotImplementedError, match="one component"):
            use()
    for refused in (view.zero, lambda: view + 1, lambda: dat.inner(view), lambda: op2.Dat(view)):
        with pytest.raises(NotImplementedError, match="one component"):
            refused()
    assert dat.data_ro[:, 0].tolist() == [0, 2, 4]


# --- kernels, accesses, iteration spaces, configuration ---


def test_equal_kernels_are_one(cells):
    kernel = op2.Kernel("void f(double *x) {}", "f")
    assert op2.Kernel("void f(double *x) {}", "f") is kernel
    assert op2.Kernel("void f(double *x) {}", "g") is not kernel
    assert op2.Kernel("void f(float *x) {}", "f") is not kernel
    assert kernel.name == "f" and kernel.code() == "void f(double *x) {}"
    assert op2.Kernel("", "empty").code() == ""


def test_iteration_spaces_have_blocks(nodes, other):
    assert list(op2.IterationSpace(nodes)) == [(0, 0, (), (0, 0))]
    space = op2.IterationSpace(nodes, (((2, 3), (2, 1)), ((4, 3), (4, 1))))
    assert space.extents == (6, 4)
    assert list(space) == [
        (0, 0, (2, 3), (0, 0)),
        (0, 1, (2, 1), (0, 3)),
        (1, 0, (4, 3), (2, 0)),
        (1, 1, (4, 1), (2, 3)),
    ]
    assert space == op2.IterationSpace(nodes, [[(2, 3), (2, 1)], [(4, 3), (4, 1)]])
    assert space != op2.IterationSpace(other, space._blocks) and space != op2.IterationSpace(nodes)
    with pytest.raises(exceptions.SetTypeError):
        op2.IterationSpace("nodes", 1)
    for shape in ("extents", (1, "a"), ((("a",),),), 3):
        with pytest.raises(TypeError):
            op2.IterationSpace(nodes, shape)


def test_accesses_are_known_words():
    for mode in Access._modes:
        assert eval(repr(Access(mode)), NAMES) == Access(mode)
        assert str(Access(mode)) == f"OP2 Access: {mode}"
    with pytest.raises(exceptions.ModeValueError):
        Access("ADD")


def test_configuration_keeps_what_it_does_not_know():
    configuration = op2.configuration
    before = dict(configuration)
    try:
        configuration["something"] = [1]
        configuration.reconfigure(lazy_max_trace_length=7)
        assert configuration["something"] == [1] and configuration["lazy_max_trace_length"] == 7
        for name, value in (("lazy_evaluation", "yes"), ("lazy_max_trace_length", "7"), ("cflags", 1)):
            with pytest.raises(exceptions.ConfigurationError):
                configuration[name] = value
    finally:
        configuration.clear()
        dict.update(configuration, before)


def test_settings_without_a_meaning_are_warned_of_and_kept():
    before = dict(op2.configuration)
    try:
        with pytest.warns(UserWarning) as found:
            op2.init(lazy_evalution=False, grid="file", log_level="WARNING")
        assert [str(one.message) for one in found] == [
            "op2.init: found 'lazy_evalution' (like 'lazy_evaluation'), 'grid', expected names of "
            "op2.configuration"
        ]
        assert found[0].filename == __file__ and op2.configuration["grid"] == "file"
        assert op2.configuration["lazy_evaluation"] == before["lazy_evaluation"]
        with pytest.raises(exceptions.ConfigurationError):
            op2.init(lazy_evaluation="no")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            op2.init(**before)
    finally:
        op2.configuration.clear()
        dict.update(op2.configuration, before)


def test_checks_can_be_switched_off(dat, cell2other):
    op2.configuration["type_check"] = False
    try:
        assert dat(op2.READ, cell2other).map is cell2other
    finally:
        op2.configuration["type_check"] = True


# --- texts ---


def test_texts_for_people(nodes, cells, cell2node, dat, mixed_map):
    space = op2.DataSet(nodes, 2, "space")
    total = op2.Global(1, 1, "double", "total")
    sparsity = op2.Sparsity(nodes, cell2node, "entries")
    matrix = op2.Mat(sparsity, name="matrix")
    mixed = op2.MixedSet((nodes, cells))
    for thing, text in [
        (nodes, "OP2 Set: nodes with size 3"),
        (mixed, f"OP2 MixedSet composed of Sets: {(nodes, cells)}"),
        (space, f"OP2 DataSet: space on set {nodes}, with dim (2,)"),
        (mixed**1, f"OP2 MixedDataSet composed of DataSets: {(nodes**1, cells**1)}"),
        (dat, f"OP2 Dat: dat on ({dat.dataset}) with datatype int32"),
        (cell2node, f"OP2 Map: cell2node from ({cells}) to ({nodes}) with arity 2"),
        (mixed_map, f"OP2 MixedMap composed of Maps: {mixed_map.split}"),
        (total, "OP2 Global Argument: total with dim (1,) and value [1.]"),
        (op2.Kernel("", "kernel"), "OP2 Kernel: kernel"),
        (
            sparsity,
            f"OP2 Sparsity: dsets {sparsity.dsets}, rmaps {sparsity.rmaps}, "
            f"cmaps {sparsity.cmaps}, name entries",
        ),
        (matrix, f"OP2 Mat: matrix, sparsity ({sparsity}), datatype float64"),
        (op2.IterationSpace(nodes, (((2,),),)), f"OP2 Iteration Space: {nodes} with extents (2,)"),
    ]:
        assert str(thing) == text


def test_texts_that_evaluate(nodes, cells, dat):
    for thing in (
        nodes,
        op2.Set((1, 2, 3, 4)),
        op2.MixedSet((nodes, cells)),
        nodes**2,
        op2.MixedDataSet((nodes, cells)),
        dat,
        op2.MixedDat((dat, dat)),
        op2.Global(1, 1, "double"),
        op2.IterationSpace(nodes),
        op2.IterationSpace(nodes, (((1,), (2,)),)),
    ):
        assert isinstance(eval(repr(thing), dict(NAMES)), type(thing))


def test_texts_of_what_cannot_be_made_again(cells, nodes, cell2node, mixed_map):
    assert repr(cell2node) == f"Map({cells!r}, {nodes!r}, 2, None, 'cell2node')"
    assert repr(mixed_map) == f"MixedMap({mixed_map.split!r})"
    sparsity = op2.Sparsity(nodes, cell2node)
    assert repr(sparsity) == f"Sparsity({sparsity.dsets!r}, {sparsity.maps!r}, {sparsity.name!r})"
    matrix = op2.Mat(sparsity)
    assert repr(matrix) == f"Mat({sparsity!r}, {matrix.dtype!r}, {matrix.name!r})"
    kernel = op2.Kernel("void f() {}", "f")
    assert repr(kernel) == 'Kernel("""void f() {}""", \'f\')'
