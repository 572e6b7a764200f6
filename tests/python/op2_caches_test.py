"""kiln.op2: caches give the same object for the same parts, and let go of what a program has dropped."""
import gc
import tracemalloc
import weakref

import pytest

from conftest import IS_LONG
from kiln import op2
from kiln.op2 import caches, loops
from kiln.op2.kernels import Kernel
from kiln.op2.trace import trace

COUNT = "void count(double *x) { x[0] += 1; }"


def sizes():
    gc.collect()
    return [
        len(cache)
        for cache in (
            Kernel._cache,
            loops.JITModule._cache,
            op2.Sparsity._cache,
            op2.MixedSet._interned,
            op2.MixedDataSet._interned,
            op2.MixedMap._interned,
        )
    ]


def fresh(number):
    """Objects of all kinds that are interned, which nothing keeps."""
    cells, nodes = op2.Set(2), op2.Set(3)
    cell2node = op2.Map(cells, nodes, 2, [0, 1, 1, 2])
    cell2cell = op2.Map(cells, cells, 1, [0, 1])
    cell2node[0], cell2node[op2.i[0]]
    mixed = op2.MixedSet((nodes, cells)) ** (2, 1)
    maps = op2.MixedMap((cell2node, cell2cell))
    assert op2.Sparsity(mixed, maps) is op2.Sparsity(mixed, maps)
    op2.Kernel(f"void k(double *x) {{ x[0] = {number}; }}", "k")
    op2.LocalSet(cells), op2.ExtrudedSet(nodes, 3) ** 2, nodes(0), op2.DecoratedMap(cell2node, [op2.ON_TOP])


def test_thousands_of_fresh_objects_leave_nothing():
    most = 10_000 if IS_LONG else 3000
    for number in range(1000):
        fresh(-number - 1)
    before = sizes()
    tracemalloc.start()
    try:
        for number in range(1000):
            fresh(number)
        gc.collect()
        first = tracemalloc.get_traced_memory()[0]
        for number in range(1000, most):
            fresh(number)
        gc.collect()
        more = tracemalloc.get_traced_memory()[0] - first
    finally:
        tracemalloc.stop()
    assert sizes() == before
    # Less than two bytes of each object.
    assert more < (most - 1000) * 20, more


def test_what_a_kernel_has_prepared_keeps_no_sets_and_maps():
    count, gone = op2.Kernel(COUNT, "count"), []
    for _ in range(20):
        cells, nodes = op2.Set(2), op2.Set(3)
        cell2node = op2.Map(cells, nodes, 1, [0, 1])
        x = op2.Dat(nodes)
        op2.par_loop(count, cells, x(op2.INC, cell2node[0]))
        op2.par_loop(count, nodes(0, 2), x(op2.RW))
        assert x.data.tolist() == [2, 1, 1]
        gone += map(weakref.ref, (cells, nodes, cell2node, x))
    del cells, nodes, cell2node, x
    gc.collect()
    assert [one() for one in gone] == [None] * len(gone)


def test_a_prepared_call_is_found_again_for_the_same_objects():
    nodes, count = op2.Set(3), op2.Kernel(COUNT, "count")
    x, y = op2.Dat(nodes), op2.Dat(nodes)
    op2.par_loop(count, nodes, x(op2.RW))
    trace.evaluate_all()
    again, other = op2.par_loop(count, nodes, x(op2.RW)), op2.par_loop(count, nodes, y(op2.RW))
    assert again._call is not None and other._call is None
    assert x.data.tolist() == [2] * 3 and y.data.tolist() == [1] * 3


def test_kernels_that_are_dropped_are_there_for_a_while():
    code = "void k(double *x) { x[0] = 4711; }"
    first = weakref.ref(op2.Kernel(code, "k"))
    assert op2.Kernel(code, "k") is first()
    kept = op2.Kernel(code + " ", "k")
    for number in range(2 * Kernel._recent.most):
        op2.Kernel(f"void k(double *x) {{ x[0] = 0.{number}; }}", "k")
    assert first() is None and op2.Kernel(code + " ", "k") is kept


def test_programs_that_ran_longest_ago_make_room(monkeypatch):
    monkeypatch.setattr(loops.JITModule, "_cache", caches.Recent(3))
    nodes = op2.Set(3)
    for number in (0, 1, 2, 0, 3, 4):
        x = op2.Dat(nodes)
        kernel = op2.Kernel(f"void k(double *x) {{ x[0] = {number}; }}", "k")
        op2.par_loop(kernel, nodes, x(op2.WRITE))
        assert x.data.tolist() == [number] * 3
    found = [key[0].code()[-4] for key in loops.JITModule._cache]
    assert found == ["0", "3", "4"] and len(loops.JITModule._cache) == 3


def test_a_sparsity_stays_with_its_map():
    nodes, cells = op2.Set(3), op2.Set(2)
    cell2node = op2.Map(cells, nodes, 2, [0, 1, 1, 2])
    first = weakref.ref(op2.Sparsity(nodes, cell2node))
    gc.collect()
    assert op2.Sparsity(nodes, cell2node) is first()
    del cell2node
    gc.collect()
    assert first() is None


def test_recent_values_go_in_the_order_of_their_use():
    recent = caches.Recent(2)
    for key in "ab":
        recent.keep(key, key.upper())
    assert recent.used("a") == "A" and recent.used("c") is None
    recent.keep("c", "C")
    assert dict(recent) == {"a": "A", "c": "C"}
    assert [recent.used(key) for key in "ac"] == ["A", "C"]
    with pytest.raises(KeyError):
        recent["b"]
