"""Kernels: what arguments they take, what they change, what is prepared once."""
import gc
import sys
import threading

import numpy as np
import pytest

import kiln


def test_numpy_arrays_are_changed_in_place(saxpy, xy):
    x, y, expected = xy
    saxpy(x, y, 2.0, global_size=4096, local_size=64)
    assert np.array_equal(y, expected)
    saxpy(x, y, np.float32(-2), global_size=(4096,))
    assert (y == 1).all()


def test_arrays_of_kiln_stay_where_they_are(runtime, saxpy, xy):
    x, y, expected = xy
    device_x, device_y = runtime.array(x), runtime.array(y)
    saxpy(device_x, device_y, 2, global_size=4096)
    assert np.array_equal(device_y.read(), expected) and (y == 1).all()


def test_numbers_take_the_type_of_the_parameter(runtime):
    kernel = runtime.kernel(
        """kernel void k(global double *out, float f, double d, char c, ulong u, int i) {
             out[0] = f; out[1] = d; out[2] = c; out[3] = u; out[4] = i; }""",
        "k",
    )
    out = np.zeros(5)
    kernel(out, 1.5, 0.1, -3, 2**63, np.int32(-7), global_size=1)
    assert out.tolist() == [1.5, 0.1, -3, 2.0**63, -7]
    for number, position in [((1.5, 0.1, 200, 1, 1), 3), ((1.5, 0.1, 1, -1, 1), 4), ((1.5, 0.1, 1, 1, 2.0), 5)]:
        with pytest.raises(kiln.BadInputError, match=f"argument {position} of kernel k: the number"):
            kernel(out, *number, global_size=1)


def test_structures_vectors_and_local_memory_are_arguments(runtime):
    kernel = runtime.kernel(
        """typedef struct { int n; float f; } pair;
           kernel void k(global float *out, pair p, float4 v, local float *scratch) {
             scratch[0] = v.z; out[0] = p.n + p.f + scratch[0]; }""",
        "k",
    )
    out = np.zeros(1, np.float32)
    pair = np.zeros((), [("n", "i4"), ("f", "f4")])
    pair["n"], pair["f"] = 3, 0.25
    vector = np.array([1, 2, 4, 8], np.float32).tobytes()
    kernel(out, pair, vector, kiln.LocalMemory(64), global_size=1)
    assert out[0] == 7.25
    kernel(out, pair[()], vector, kiln.LocalMemory(64), global_size=1)
    assert out[0] == 7.25


def test_what_is_said_of_an_array_goes_before_the_text(runtime):
    kernel = runtime.kernel("kernel void k(global int *a, global int *b) { b[0] += a[0]; a[0] = 9; }", "k")
    a, b = np.full(4, 3, np.int32), np.full(4, 5, np.int32)
    kernel(kiln.In(a), kiln.Out(b), global_size=1)
    assert a[0] == 3 and b[0] == 3
    kernel(kiln.InOut(a), kiln.InOut(b), global_size=1)
    assert a[0] == 9 and b[0] == 6


def test_read_only_arrays_are_never_changed(runtime):
    kernel = runtime.kernel("kernel void k(global int *a, global int *b) { b[0] = a[0]; a[0] = 9; }", "k")
    a, b = np.full(4, 3, np.int32), np.zeros(4, np.int32)
    a.flags.writeable = False
    kernel(a, b, global_size=1)
    assert a[0] == 3 and b[0] == 3
    with pytest.raises(kiln.BadInputError, match="argument 1: found a read-only array"):
        kernel(b, kiln.Out(a), global_size=1)


def test_a_source_is_a_text_a_file_or_has_macros_and_includes(runtime, tmp_path):
    (tmp_path / "number.h").write_text("#define NUMBER 40\n")
    (tmp_path / "k.cl").write_text('#include "number.h"\nkernel void k(global int *a) { a[0] = NUMBER + ADD; }\n')
    a = np.zeros(1, np.int32)
    runtime.kernel(tmp_path / "k.cl", "k", macros={"ADD": 2})(a, global_size=1)
    assert a[0] == 42
    text = (tmp_path / "k.cl").read_text()
    runtime.kernel(text, "k", macros={"ADD": 3}, include_folders=[tmp_path])(a, global_size=1)
    assert a[0] == 43
    runtime.kernel(str(tmp_path / "k.cl"), "k", options=["-DADD=4"])(a, global_size=1)
    assert a[0] == 44
    with pytest.raises(TypeError, match="source: found 3"):
        runtime.kernel(3, "k")
    with pytest.raises(kiln.NotFoundError, match="absent.cl"):
        runtime.kernel("absent.cl", "k")


def test_a_call_of_other_memory_at_the_same_place_is_another_call(saxpy):
    for number in range(50):
        x = np.full(64, number, np.float32)
        y = np.zeros(64, np.float32)
        saxpy(x, y, 1.0, global_size=64)
        assert (y == number).all()
        del x, y


def test_a_kept_call_keeps_no_memory(runtime):
    """Of arrays that are gone, whether the kernel is called again or not."""
    kernel = runtime.kernel("kernel void k(global int *x, global int *y) { y[0] += x[0]; }", "k")
    memory = np.ones(64, np.int32)
    counted = sys.getrefcount(memory)
    other = runtime.zeros(64, np.int32)
    for wait in (True, False):
        array = runtime.from_dlpack(memory)
        if wait:
            kernel(array, other, global_size=1)
        else:
            kernel.enqueue(array, other, global_size=1).wait()
            kernel.prepare(array, other, global_size=2)
        assert sys.getrefcount(memory) > counted
        del array
        gc.collect()
        assert sys.getrefcount(memory) == counted
    array = runtime.from_dlpack(memory)
    for _ in range(3):  # one call, and more than are kept
        for size in range(1, 12):
            kernel(array, other, global_size=size)
    assert other.read()[0] >= 2
    del array
    gc.collect()
    assert sys.getrefcount(memory) == counted


def test_a_call_with_minus_zero_is_another_call(runtime):
    kernel = runtime.kernel("kernel void k(global float *x, float a) { x[0] = 1 / a; }", "k")
    x = np.zeros(1, np.float32)
    for a in (0.0, -0.0, 0.0):
        kernel(x, a, global_size=1)
        assert x[0] == np.copysign(np.inf, a)


def test_bytes_halves_complex_numbers_and_structures_fit_what_is_as_large(runtime):
    pair = np.zeros(2, [("a", "f4"), ("b", "i4")])
    for values, type_name in [
        (np.zeros(2, np.complex64), "float2"), (np.zeros(2, np.float16), "ushort"), (np.zeros(2, np.uint32), "int4"),
        (np.zeros(8), "uchar"), (np.zeros(16, np.uint8), "float4"), (pair, "int2"),
    ]:
        kernel = runtime.kernel(f"kernel void k(global {type_name} *x) {{ x[0] = 1; }}", "k")
        kernel(values, global_size=1)
        assert values.tobytes().strip(b"\0")


@pytest.mark.parametrize("sizes, local", [
    ([1024], [256]), ([96], [32]), ([64, 64], [16, 16]), ([2, 512], [2, 128]), ([16, 16, 16], [8, 8, 4]), ([7], [1]),
])
def test_a_work_group_without_a_size_divides_the_global_one(runtime, sizes, local):
    kernel = runtime.kernel(
        "kernel void k(global int *x) { for (int d = 0; d < 3; ++d) x[d] = get_local_size(d); }", "k"
    )
    found = np.zeros(3, np.int32)
    kernel(found, global_size=sizes)
    assert found[: len(sizes)].tolist() == local


def test_a_placed_call_takes_no_queue_and_no_events(saxpy, xy):
    x, y, _ = xy
    event = saxpy.enqueue(x, y, 2.0, global_size=4096)
    for more in ({"partition": "5"}, {"check_bounds": True}):
        with pytest.raises(TypeError, match="expected neither"):
            saxpy(x, y, 2.0, global_size=4096, after=[event], **more)
        with pytest.raises(TypeError, match="prepare takes"):
            saxpy.prepare(x, y, 2.0, global_size=4096, **more)
    event.wait()


def test_a_split_run_gives_the_same(runtime, saxpy, xy):
    two = kiln.Runtime("cpu/2", store=runtime.store.folder)
    x, y, expected = xy
    source = "kernel void double_it(global const float *x, global float *y) { int i = get_global_id(0); y[i] = 2 * x[i]; }"
    summary = two.kernel(source, "double_it")(x, y, global_size=4096, local_size=64, partition="5")
    assert np.array_equal(y, 2 * x)
    if len(two.devices) == 2:
        assert summary.split and [share.groups for share in summary.shares] == [32, 32]


def test_a_write_outside_is_found_where_it_is_looked_for(runtime):
    kernel = runtime.kernel("kernel void k(global int *a) { a[get_global_id(0) + 1] = 1; }", "k")
    with pytest.raises(kiln.DeviceError, match="outside"):
        kernel(np.zeros(64, np.int32), global_size=64, check_bounds=True)


def test_threads_share_a_kernel(saxpy):
    wrong = []

    def work(number):
        x = np.full(1024, number, np.float32)
        y = np.zeros(1024, np.float32)
        for _ in range(20):
            saxpy(x, y, 1.0, global_size=1024)
        if not (y == 20 * number).all():
            wrong.append(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
