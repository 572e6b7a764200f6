"""kiln.Array: types and shapes, views without copies, DLPack."""
import gc

import numpy as np
import pytest

import kiln


def test_an_array_has_the_values_shape_and_type_of_what_it_is_made_of(runtime):
    for values in [np.arange(12, dtype=np.int16).reshape(3, 4), np.float64(3.5), [1, 2, 3], np.ones((2, 3), order="F")]:
        array = runtime.array(values)
        expected = np.asarray(values)
        assert array.shape == expected.shape and array.dtype == expected.dtype
        assert array.size == expected.size and array.nbytes == expected.nbytes
        assert np.array_equal(np.asarray(array), expected)


def test_zeros_are_zeros_of_any_type(runtime):
    for dtype in "i1 u1 i2 u2 i4 u4 i8 u8 f4 f8 c8 c16".split():
        array = runtime.zeros((2, 5), dtype)
        assert array.dtype == np.dtype(dtype) and not np.asarray(array).any()
    pair = np.dtype([("a", "i4"), ("b", "f8")], align=True)
    assert runtime.zeros(3, pair).nbytes == 48
    assert len(runtime.zeros(7)) == 7


def test_views_are_of_the_same_memory(runtime):
    array = runtime.zeros(100, np.float32)
    writable, readable = array.write(), array.read()
    writable[3] = 5
    assert readable[3] == 5 and np.asarray(array)[3] == 5
    assert not readable.flags.writeable
    with pytest.raises(ValueError):
        readable[0] = 1


def test_a_view_keeps_the_memory(runtime):
    view = runtime.array(np.arange(1000)).write()
    gc.collect()
    assert view.sum() == 499500


def test_as_an_array_it_converts_and_copies(runtime):
    array = runtime.array([1, 2], dtype=np.int32)
    assert np.asarray(array, dtype=np.float64).dtype == np.float64
    copy = np.array(array)
    copy[0] = 9
    assert array.read()[0] == 1


def test_dlpack_goes_out_without_a_copy(runtime):
    array = runtime.array(np.arange(6, dtype=np.float32).reshape(2, 3))
    taken = np.from_dlpack(array)
    assert taken.shape == (2, 3) and taken.dtype == np.float32
    array.write()[1, 2] = 50
    assert taken[1, 2] == 50
    del array
    gc.collect()
    assert taken[1, 2] == 50


def test_dlpack_refuses_what_it_has_no_type_for(runtime):
    with pytest.raises(BufferError, match="no type"):
        np.from_dlpack(runtime.zeros(2, [("a", "i4")]))


def test_what_cannot_be_an_array_is_refused(runtime):
    for shape, dtype, text in [
        (0, "f4", "without elements"),
        ((4, -1), "f4", "without elements"),
        (4, "O", "expected numbers"),
        (4, ">f4", "byte order"),
        ((2**40, 2**40), "f4", "more"),
    ]:
        with pytest.raises(kiln.BadInputError, match=text):
            runtime.zeros(shape, dtype)
