"""kiln.Array: types and shapes, views without copies, DLPack."""
import ctypes
import gc
import sys

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


def test_elements_are_read_and_set_by_numpys_indices(runtime):
    array = runtime.array(np.arange(12, dtype=np.int32).reshape(3, 4))
    add = runtime.kernel(ADD, "add")
    array[1] = 50
    array[2, 1:3] = [7, 8]
    add(array, global_size=12)
    expected = np.array([[1, 2, 3, 4], [51] * 4, [9, 8, 9, 12]])
    assert np.array_equal(array.read(), expected)
    assert array[1, 2] == 51 and np.array_equal(array[2, 1:3], [8, 9]) and np.array_equal(array[::2], expected[::2])
    array[:] = expected.T[:3, :1]
    add(array, global_size=12)
    assert np.array_equal(array.read(), np.repeat([[2], [3], [4]], 4, axis=1))
    array[...] = 5
    assert (array.read() == 5).all()
    with pytest.raises(ValueError, match="read-only"):
        array[1][2] = 7  # would be lost
    with pytest.raises(ValueError, match="broadcast"):
        array[:] = [1, 2, 3]
    with pytest.raises(IndexError):
        array[3]
    assert (array.read() == 5).all()


def test_get_is_a_copy_and_fill_sets_all(runtime):
    array = runtime.zeros((2, 3), np.float32)
    assert array.fill(2.5) is array
    copy = array.get()
    assert copy.dtype == np.float32 and copy.shape == (2, 3) and (copy == 2.5).all()
    copy[:] = 0
    assert (array.read() == 2.5).all()
    with pytest.raises(TypeError, match="expected one element"):
        array.fill([1, 2, 3])
    assert (array.read() == 2.5).all()


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


class Tensor:
    """An array that another library gives, as NumPy 2 does where it is asked for versions."""

    def __init__(self, array, capsule=None, device=(1, 0)):
        self._array, self._capsule, self._device = array, capsule, device

    def __dlpack_device__(self):
        return self._device

    def __dlpack__(self, **keywords):
        return self._capsule if self._capsule else self._array.__dlpack__(**keywords)


def aligned(values):
    """In memory that devices use in place."""
    raw = np.zeros(values.nbytes + 128, np.uint8)
    view = raw[-raw.ctypes.data % 128 :][: values.nbytes].view(values.dtype).reshape(values.shape)
    view[...] = values
    return view


ADD = "kernel void add(global int *x) { x[get_global_id(0)] += 1; }"


def test_dlpack_comes_in_without_a_copy(runtime):
    add = runtime.kernel(ADD, "add")
    for values in (np.arange(24, dtype=np.int32).reshape(4, 6), np.arange(25, dtype=np.int32)[1:].reshape(4, 6)):
        for given in (aligned(values), values):
            array = runtime.from_dlpack(given)
            assert array.shape == (4, 6) and array.dtype == np.int32
            expected = given + 1
            add(array, global_size=24)
            assert array.read().ctypes.data == given.ctypes.data
            assert np.array_equal(given, expected)
            given[0, 0] = 77  # the host's memory: to be written through the array
            assert array.read()[0, 0] == 77


def test_memory_that_comes_in_stays_as_long_as_the_array(runtime):
    values = np.arange(1000)
    counted = sys.getrefcount(values)
    array = runtime.from_dlpack(values)
    assert sys.getrefcount(values) > counted
    view = array.read()
    del array
    gc.collect()
    assert sys.getrefcount(values) > counted
    assert view.sum() == 499500
    del view
    gc.collect()
    assert sys.getrefcount(values) == counted


def test_versions_of_dlpack_go_round(runtime):
    array = runtime.array(np.arange(6, dtype=np.complex64).reshape(2, 3))
    for version, name in [(None, "dltensor"), ((0, 8), "dltensor"), ((1, 0), "dltensor_versioned"), ((2, 1), "dltensor_versioned")]:
        capsule = array.__dlpack__(max_version=version)
        assert f'"{name}"' in repr(capsule)
        taken = runtime.from_dlpack(Tensor(None, capsule))
        taken.write()[0, 1] = 9
        assert f'"used_{name}"' in repr(capsule) and array.read()[0, 1] == 9
        array.write()[0, 1] = 1
    with pytest.raises(TypeError, match="not taken yet"):
        runtime.from_dlpack(capsule)
    copied = np.from_dlpack(Tensor(None, array.__dlpack__(copy=True)))
    array.write()[:] = 0
    assert copied[1, 2] == 5


def test_what_is_read_only_or_has_strides_is_copied_where_it_may_be(runtime):
    for given in (np.arange(24).reshape(4, 6).T, np.arange(24)[::2], read_only_tensor()):
        array = runtime.from_dlpack(given)
        expected = np.asarray(given) if isinstance(given, np.ndarray) else np.arange(5)
        assert np.array_equal(array.read(), expected)
        array.write()[...] = 0
        if isinstance(given, np.ndarray):
            assert given.any()
        else:
            assert given.values.any()
    frozen = np.arange(24)
    frozen.flags.writeable = False  # which NumPy does not give by DLPack
    array = runtime.from_dlpack(frozen)
    array.write()[...] = 0
    assert np.array_equal(frozen, np.arange(24))
    with pytest.raises(BufferError, match="read-only elements, which copy=False"):
        runtime.from_dlpack(frozen, copy=False)
    values = np.arange(24)
    with pytest.raises(BufferError, match="not in C order, which copy=False"):
        runtime.from_dlpack(values[::2], copy=False)
    with pytest.raises(BufferError, match="read-only elements, which copy=False"):
        runtime.from_dlpack(read_only_tensor(), copy=False)
    array = runtime.from_dlpack(values, copy=True)
    array.write()[...] = 0
    assert values.any()


def read_only_tensor():
    """A tensor of DLPack 1.0 with the flag that says so."""
    values = np.arange(5)
    holder = kiln.Runtime("cpu", store="off").from_dlpack(values)

    class ReadOnly(Tensor):
        def __dlpack__(self, **keywords):
            capsule = holder.__dlpack__(max_version=(1, 0))
            get = ctypes.pythonapi.PyCapsule_GetPointer
            get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
            # Behind the version, the manager and the deleter.
            ctypes.c_uint64.from_address(get(capsule, b"dltensor_versioned") + 24).value |= 1
            return capsule

    made = ReadOnly(None)
    made.values = values
    return made


def test_memory_of_other_devices_is_refused_by_its_number(runtime):
    capsule = runtime.zeros(4).__dlpack__()
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    ctypes.c_int32.from_address(get(capsule, b"dltensor") + 8).value = 2
    with pytest.raises(BufferError, match="device type 2, expected 1"):
        runtime.from_dlpack(capsule)
    with pytest.raises(TypeError, match="expected an object with __dlpack__"):
        runtime.from_dlpack([1, 2])
    with pytest.raises(BufferError, match=r"found the device \(2, 0\)"):
        runtime.zeros(4).__dlpack__(dl_device=(2, 0))


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
