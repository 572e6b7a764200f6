"""Objects of pyopencl: contexts, queues, buffers and arrays, either way and in any order of deletion."""
import gc

import numpy as np
import pytest

import kiln
from conftest import SAXPY

cl = pytest.importorskip("pyopencl", reason="python3-pyopencl is not installed")
cl_array = pytest.importorskip("pyopencl.array")


@pytest.fixture
def queue(runtime):
    device = cl.Device.from_int_ptr(runtime.devices[0].int_ptr)
    return cl.CommandQueue(cl.Context([device]), device)


@pytest.fixture
def shared(runtime, queue):
    return kiln.Runtime(queues=[queue], store=runtime.store.folder)


def test_arrays_of_pyopencl_are_arguments(shared, queue, xy):
    x, y, expected = xy
    device_x, device_y = cl_array.to_device(queue, x), cl_array.to_device(queue, y)
    shared.kernel(SAXPY, "saxpy")(device_x, device_y, 2.0, global_size=4096)
    assert np.array_equal(device_y.get(), expected)


def test_buffers_of_pyopencl_are_arguments(shared, queue, xy):
    x, y, expected = xy
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    buffer_x = cl.Buffer(queue.context, flags, hostbuf=x)
    buffer_y = cl.Buffer(queue.context, flags, hostbuf=y)
    shared.kernel(SAXPY, "saxpy")(buffer_x, buffer_y, 2.0, global_size=4096)
    cl.enqueue_copy(queue, y, buffer_y)
    assert np.array_equal(y, expected)


def test_a_part_of_an_array_is_one_of_its_buffer(shared, queue):
    whole = cl_array.to_device(queue, np.zeros(4096, np.float32))
    part = whole[2048:]
    x = cl_array.to_device(queue, np.ones(2048, np.float32))
    shared.kernel(SAXPY, "saxpy")(x, part, 3.0, global_size=2048)
    assert whole.get().sum() == 3 * 2048 and whole.get()[:2048].sum() == 0


def test_wrapped_memory_is_the_same_memory(shared, queue, xy):
    x, y, _ = xy
    theirs = cl_array.to_device(queue, y.reshape(64, 64))
    ours = shared.wrap(theirs)
    assert ours.shape == (64, 64) and ours.dtype == np.float32
    theirs.fill(np.float32(4))
    queue.finish()
    assert (ours.read() == 4).all()


def test_a_buffer_is_wrapped_with_a_type_and_an_offset(shared, queue):
    values = np.arange(1024, dtype=np.int32)
    buffer = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=values)
    assert np.array_equal(shared.wrap(buffer, dtype=np.int32).read(), values)
    assert np.array_equal(shared.wrap(buffer, dtype=np.int32, offset=512).read(), values[128:])
    assert np.array_equal(shared.wrap(buffer.int_ptr, (32, 32), np.int32).read(), values.reshape(32, 32))
    assert shared.wrap(buffer).dtype == np.uint8
    with pytest.raises(kiln.BadInputError, match="expected a shape"):
        shared.wrap(buffer.int_ptr)
    with pytest.raises(kiln.BadInputError, match="buffer has 4096 bytes"):
        shared.wrap(buffer, 2000, np.int32)


def test_memory_of_another_context_is_refused(runtime, queue):
    theirs = cl_array.to_device(queue, np.zeros(16, np.float32))
    with pytest.raises(kiln.BadInputError, match="of no context of this Runtime"):
        runtime.wrap(theirs)


def test_either_side_may_go_first(runtime, queue, xy):
    x, y, expected = xy
    shared = kiln.Runtime(queues=[queue], store=runtime.store.folder)
    kernel = shared.kernel(SAXPY, "saxpy")
    theirs = cl_array.to_device(queue, y)
    ours = shared.wrap(theirs)
    del theirs
    gc.collect()
    kernel(x, ours, 2.0, global_size=4096)
    assert np.array_equal(ours.read(), expected)
    theirs = cl_array.to_device(queue, y)
    kernel(x, theirs, 2.0, global_size=4096)
    del shared, kernel, ours
    gc.collect()
    assert np.array_equal(theirs.get(), expected)


def test_what_is_no_object_of_opencl_is_a_type_error(runtime):
    with pytest.raises(TypeError, match="expected a queue"):
        kiln.Runtime(queues=["a queue"])
    with pytest.raises(kiln.BadInputError):
        kiln.Runtime("cpu", queues=[1])
