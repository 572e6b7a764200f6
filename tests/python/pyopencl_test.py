"""Objects of pyopencl: contexts, queues, buffers and arrays, either way and in any order of deletion."""
import concurrent.futures
import gc
import threading

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


ADD = """
kernel void add(global int *x, int value) { x[get_global_id(0)] += value; }
"""


@pytest.fixture
def add(queue):
    return cl.Program(queue.context, ADD).build().add


def test_arrays_are_buffers_of_pyopencl(shared, queue, add):
    ours = shared.array(np.arange(1000, dtype=np.int32))
    buffer = ours.buffer()
    assert isinstance(buffer, cl.Buffer) and buffer.size == 4000 and buffer.int_ptr == ours.int_ptr
    for round in range(1, 4):
        add(queue, (1000,), None, ours.buffer(), np.int32(1))
        assert np.array_equal(ours.read(), np.arange(1000) + round)


def test_kernels_of_both_follow_one_another_on_an_array(shared, queue, add, saxpy):
    doubled = shared.kernel("kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }", "twice")
    ours = shared.array(np.zeros(1000, np.int32))
    expected = 0
    for _ in range(5):
        add(queue, (1000,), None, ours.buffer(), np.int32(3))
        doubled.enqueue(ours, global_size=1000)
        expected = (expected + 3) * 2
    ours.write()[:] += 1
    add(queue, (1000,), None, ours.buffer(queue), np.int32(3))
    assert (ours.read() == expected + 4).all()


def test_what_was_enqueued_with_a_buffer_is_waited_for(shared, queue, add):
    ours = shared.array(np.zeros(1000, np.int32))
    gate = cl.UserEvent(queue.context)
    add(queue, (1000,), None, ours.buffer(), np.int32(7), wait_for=[gate])
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        started = threading.Event()
        reading = pool.submit(lambda: (started.set(), ours.read().copy())[1])
        assert started.wait(60) and not reading.done()
        gate.set_status(cl.command_execution_status.COMPLETE)
        assert (reading.result() == 7).all()


@pytest.mark.parametrize("borrowed", [False, True])
def test_a_buffer_outlives_its_array_and_its_runtime(runtime, queue, add, borrowed):
    shared = kiln.Runtime(queues=[queue], store=runtime.store.folder)
    values = np.arange(100000, dtype=np.int32)
    ours = shared.from_dlpack(values.copy()) if borrowed else shared.array(values)
    buffer = ours.buffer()
    add(queue, (100000,), None, buffer, np.int32(5))
    del ours, shared
    gc.collect()
    # Memory that had been let go would have other contents now.
    others = [np.full(100000, -1, np.int32) for _ in range(8)]
    found = np.empty_like(values)
    cl.enqueue_copy(queue, found, buffer)
    assert np.array_equal(found, values + 5) and others[0][0] == -1


def test_an_array_outlives_its_buffer(shared, queue, add):
    ours = shared.array(np.arange(1000, dtype=np.int32))
    buffer = ours.buffer()
    add(queue, (1000,), None, buffer, np.int32(5))
    del buffer
    gc.collect()
    assert np.array_equal(ours.read(), np.arange(1000) + 5)


def test_a_buffer_is_for_a_queue_of_the_runtime(runtime, queue):
    with pytest.raises(kiln.BadInputError, match="of no context of this Runtime"):
        runtime.zeros(10).buffer(queue)
    with pytest.raises(TypeError, match="expected a queue"):
        runtime.zeros(10).buffer("a queue")
    ours = runtime.array(np.arange(10, dtype=np.int32))
    theirs = cl.CommandQueue.from_int_ptr(runtime.queues[0])
    found = np.empty(10, np.int32)
    cl.enqueue_copy(theirs, found, ours.buffer(runtime.queues[0]))
    assert found.tolist() == list(range(10))


def test_dlpack_of_opencl_memory_goes_both_ways(shared, queue, add):
    values = np.arange(64, dtype=np.int32).reshape(4, 16)
    ours = shared.array(values)
    add(queue, (64,), None, ours.buffer(), np.int32(1))
    for version in (None, (1, 0)):
        capsule = ours.__dlpack__(dl_device=(4, 0), max_version=version)
        assert ("dltensor_versioned" in repr(capsule)) == (version is not None)
        taken = shared.from_dlpack(capsule)
        assert taken.shape == (4, 16) and np.array_equal(taken.read(), values + 1)
        with pytest.raises(TypeError, match="not taken yet"):
            shared.from_dlpack(capsule)
    with pytest.raises(BufferError, match=r"found the device \(4, 1\)"):
        ours.__dlpack__(dl_device=(4, 1))
    with pytest.raises(BufferError, match="copy=True"):
        shared.from_dlpack(ours.__dlpack__(dl_device=(4, 0)), copy=True)
    capsule = ours.__dlpack__(dl_device=(4, 0))
    del ours
    gc.collect()
    assert np.array_equal(shared.from_dlpack(capsule).read(), values + 1)


def test_a_kernel_keeps_nothing_of_foreign_memory(shared, queue):
    kernel = shared.kernel("kernel void k(global int *x) { x[0] += 1; }", "k")
    buffer = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 256)
    counted = buffer.get_info(cl.mem_info.REFERENCE_COUNT)
    for _ in range(3):
        kernel(buffer, global_size=1)
    gc.collect()
    assert buffer.get_info(cl.mem_info.REFERENCE_COUNT) == counted


def test_what_is_no_object_of_opencl_is_a_type_error(runtime):
    with pytest.raises(TypeError, match="expected a queue"):
        kiln.Runtime(queues=["a queue"])
    with pytest.raises(kiln.BadInputError):
        kiln.Runtime("cpu", queues=[1])
