"""kiln.op2: sets, the shape of data on them, and maps: what they take and refuse, and which are the same."""
import numpy as np
import pytest

from kiln import op2
from kiln.op2 import exceptions
from kiln.op2.maps import IterationIndex

# --- sets ---


@pytest.mark.parametrize("size", ["5", 1.5, (1, 2), [1, 2, 3], None, (1, 2, 3, "4")])
def test_a_set_has_an_int_or_four(size):
    with pytest.raises(exceptions.SizeTypeError):
        op2.Set(size)


def test_the_sizes_of_a_set_rise():
    parts = op2.Set([1, 2, 3, 4])
    assert (parts.core_size, parts.size, parts.exec_size, parts.total_size) == (1, 2, 3, 4)
    assert op2.Set(np.array([0, 0, 2, 2])).size == 0
    with pytest.raises(AssertionError):
        op2.Set((2, 1, 3, 4))


def test_a_set_is_itself_alone(nodes):
    assert list(nodes) == [nodes] and len(nodes) == 1 and nodes[0] is nodes
    assert nodes == nodes and nodes != op2.Set(3, "nodes") and nodes.layers is None
    nodes.partition_size = 77
    assert nodes.partition_size == 77


def test_names_are_words(nodes, cells, cell2node):
    for make in (
        lambda: op2.Set(1, 2),
        lambda: op2.DataSet(nodes, 1, 2),
        lambda: op2.Dat(nodes, name=2),
        lambda: op2.Map(cells, nodes, 2, [0] * 4, name=2),
        lambda: op2.Global(1, 1, name=2),
        lambda: op2.Kernel("", 2),
        lambda: op2.Mat(op2.Sparsity(nodes, cell2node), name=2),
        lambda: op2.Sparsity(nodes, cell2node, 0),
    ):
        with pytest.raises(exceptions.NameTypeError):
            make()


def test_extruded_sets_are_over_sets_with_layers(nodes, other):
    columns = op2.ExtrudedSet(nodes, 5)
    assert nodes in columns and other not in columns
    assert columns.layers == 5 and columns.size == 3 and columns.name == "nodes"
    with pytest.raises(TypeError):
        op2.ExtrudedSet(1, 3)
    with pytest.raises(exceptions.SizeTypeError):
        op2.ExtrudedSet(nodes, 1)


def test_extruded_sets_over_one_set_have_objects_of_their_own(nodes):
    low, high = op2.ExtrudedSet(nodes, 3), op2.ExtrudedSet(nodes, 5)
    for one in (low, high):
        local = op2.LocalSet(one)
        assert local.superset is one and local.layers == one.layers and op2.LocalSet(one) is local
    assert op2.LocalSet(nodes).layers is None and low**1 is not high**1 and low**1 is low**1


def test_subsets_are_sorted_and_of_the_root(other):
    part = op2.Subset(other, [4, 0, 0, 2])
    assert part.indices.tolist() == [0, 2, 4] and part.indices.dtype == np.int32 and part.size == 3
    assert other(1, 3).indices.tolist() == [1, 3] and other(1).indices.tolist() == [1]
    assert other(np.arange(2)).indices.tolist() == [0, 1]
    assert op2.Subset(part, [1, 2]).indices.tolist() == [2, 4]
    assert op2.Subset(part, [1, 2]).superset is other and part(0).superset is other
    assert len(op2.Subset(other, []).indices) == 0
    for indices in ([5], [-1], list(range(6))):
        with pytest.raises(exceptions.SubsetIndexOutOfBounds):
            op2.Subset(other, indices)
    for arguments in (("other", [0]), (other, "0"), (other, 3)):
        with pytest.raises(TypeError):
            op2.Subset(*arguments)
    with pytest.raises(NotImplementedError):
        part**1


def test_mixed_sets_are_interned(nodes, cells, other):
    mixed = op2.MixedSet((nodes, cells))
    assert op2.MixedSet([nodes, cells]) is mixed and op2.MixedSet(iter((nodes, cells))) is mixed
    assert op2.MixedSet((cells, nodes)) != mixed and mixed != nodes
    assert mixed.split == (nodes, cells) and mixed[1] is cells and len(mixed) == 2
    assert (mixed.core_size, mixed.size, mixed.total_size) == (5, 5, 5)
    assert mixed.name == ("nodes", "cells") and mixed.halo is None and mixed.layers is None
    assert mixed**2 == op2.MixedDataSet((nodes**2, cells**2))
    assert mixed ** (1, 3) == op2.MixedDataSet((nodes**1, cells**3))
    assert mixed ** (n for n in (1, 3)) == mixed ** (1, 3)
    with pytest.raises(TypeError):
        op2.MixedSet(("a", "b"))
    with pytest.raises(AssertionError):
        op2.MixedSet((op2.ExtrudedSet(nodes, 3), op2.ExtrudedSet(cells, 4)))


def test_datasets_are_interned_by_shape(nodes, other):
    space = op2.DataSet(nodes, (2, 3), "space")
    assert op2.DataSet(nodes, [2, 3]) is space and nodes ** (2, 3) is space
    assert nodes**1 is op2.DataSet(nodes) and (nodes**1).dim == (1,)
    assert space.cdim == 6 and space.set is nodes and space.size == 3
    assert space in nodes and space not in other and op2.Dat(space) in space
    assert op2.Dat(space) not in nodes**1 and list(space) == [space] and len(space) == 1
    for dim in ("a", (1, "a"), 1.5):
        with pytest.raises(TypeError):
            op2.DataSet(nodes, dim)


def test_mixed_datasets_take_sets_and_shapes(nodes, cells):
    mixed = op2.MixedDataSet((nodes, cells**2))
    assert mixed.split == (nodes**1, cells**2) and mixed.dim == ((1,), (2,)) and mixed.cdim == 3
    assert op2.MixedDataSet(mixed) is mixed and mixed.set is op2.MixedSet((nodes, cells))
    assert op2.MixedDataSet((nodes, cells), 2).dim == ((2,), (2,))
    assert op2.MixedDataSet((nodes, cells), iter(((1, 2), 3))).dim == ((1, 2), (3,))
    for arguments in (("ab",), ((nodes, "b"),), ((nodes**1, cells**1), 1), (nodes, "ab")):
        with pytest.raises((TypeError, ValueError)):
            op2.MixedDataSet(*arguments)
    with pytest.raises(ValueError):
        op2.MixedDataSet((nodes, cells), (1, 2, 3))


@pytest.mark.parametrize("make", [op2.MixedSet, op2.MixedDataSet, op2.MixedMap, op2.MixedDat])
def test_mixed_objects_have_parts(make):
    for parts in ((), [], iter(())):
        with pytest.raises(TypeError, match="found none"):
            make(parts)
    # What comes after the first that is wrong stays where it is.
    parts = iter(("a", "b"))
    with pytest.raises(TypeError, match="'a'"):
        make(parts)
    assert next(parts) == "b"


# --- maps ---


def test_maps_say_what_is_wrong(cells, nodes):
    for arguments, error in [
        (("cells", nodes, 1, []), exceptions.SetTypeError),
        ((cells, "nodes", 1, []), exceptions.SetTypeError),
        ((cells, nodes, "1", []), exceptions.ArityTypeError),
        ((cells, nodes, (1, 2), []), exceptions.ArityTypeError),
        ((cells, nodes, 1, "abc"), exceptions.DataValueError),
        ((cells, nodes, 1, [1] * 3), exceptions.DataValueError),
        ((cells, nodes, 1, [0, 2**32]), exceptions.DataValueError),
        ((cells, nodes, 1, [0.0, -3e9]), exceptions.DataValueError),
        ((cells, nodes, 1, [0, np.nan]), exceptions.DataValueError),
    ]:
        with pytest.raises(error):
            op2.Map(*arguments)


def test_a_map_has_integers_by_element(cells, nodes, cell2node):
    assert op2.Map(cells, nodes, 1, [1.5, 0.2]).values.tolist() == [[1], [0]]
    assert cell2node.values.shape == (2, 2) and cell2node.values.dtype == np.int32
    assert cell2node.arities == (2,) and cell2node.arange == (0, 2) and cell2node.split == (cell2node,)
    assert cell2node.offset is None and list(cell2node) == [cell2node] and len(cell2node) == 1
    assert cell2node != op2.Map(cells, nodes, 2, cell2node.values)


def test_values_of_a_map_are_locked_once_a_loop_has_used_it(cells, nodes, cell2node):
    values, x = cell2node.values, op2.Dat(nodes)
    values[0] = [2, 1]
    op2.par_loop(op2.Kernel("void k(double *x) { *x = 1; }", "k"), cells, x(op2.WRITE, cell2node[0]))
    assert x.data.tolist() == [0, 1, 1]
    for array in (values, cell2node.values, cell2node.values_with_halo):
        with pytest.raises(ValueError):
            array[0] = 0


def test_indices_of_maps(cell2node):
    assert cell2node[1].map is cell2node and cell2node[1].idx == 1
    assert cell2node[op2.i[0]].idx == IterationIndex(0)
    for index in (2, -1, op2.i[2]):
        with pytest.raises(exceptions.IndexValueError):
            cell2node[index]
    with pytest.raises(exceptions.IndexTypeError):
        cell2node["a"]
    with pytest.raises(exceptions.IndexTypeError):
        op2.i["a"]
    with pytest.raises(NotImplementedError):
        cell2node[:]


def test_mixed_maps_are_from_one_set(cell2node, cell2other, mixed_map, nodes, other):
    assert op2.MixedMap([cell2node, cell2other]) is mixed_map
    assert op2.MixedMap((cell2other, cell2node)) != mixed_map and mixed_map != cell2node
    assert mixed_map.split == (cell2node, cell2other) and tuple(mixed_map) == mixed_map.split
    assert mixed_map.arity == 4 and mixed_map.arities == (2, 2) and mixed_map.arange == (0, 2, 4)
    assert mixed_map.toset is op2.MixedSet((nodes, other)) and len(mixed_map) == 2
    assert mixed_map.name == ("cell2node", "cell2other") and mixed_map.offset == (None, None)
    with pytest.raises(TypeError):
        op2.MixedMap("ab")
    with pytest.raises(exceptions.MapTypeError):
        op2.MixedMap((cell2node, op2.Map(nodes, nodes, 1, [0, 1, 2])))


def test_decorated_maps_are_interned_and_ordered(cell2node, cell2other):
    bottom = op2.DecoratedMap(cell2node, [op2.ON_BOTTOM])
    assert op2.DecoratedMap(cell2node, [op2.ON_BOTTOM]) is bottom
    both = op2.DecoratedMap(bottom, [op2.ON_TOP])
    assert both is op2.DecoratedMap(cell2node, [op2.ON_TOP, op2.ON_BOTTOM])
    assert bottom <= both and not both <= bottom
    # All cells of a column are another part than its lowest one, not a larger one.
    assert not bottom <= cell2node and not cell2node <= bottom
    everywhere = op2.DecoratedMap(cell2node, implicit_bcs=["top"])
    assert cell2node <= everywhere and everywhere <= cell2node and cell2node <= cell2node
    assert not op2.DecoratedMap(cell2other, [op2.ON_BOTTOM]) <= bottom
    assert bottom.values.tolist() == cell2node.values.tolist() and bottom.toset is cell2node.toset
