"""Asynchronous runs: waiting, awaiting, ordering, Ctrl-C."""
import asyncio
import gc
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import kiln

cl = pytest.importorskip("pyopencl", reason="python3-pyopencl is not installed")


@pytest.fixture
def shared(runtime):
    """A Runtime in a context of pyopencl, the context and a queue of it."""
    device = cl.Device.from_int_ptr(runtime.devices[0].int_ptr)
    context = cl.Context([device])
    queue = cl.CommandQueue(context, device)
    return kiln.Runtime(context=context, queues=[queue], store=runtime.store.folder), context, queue


def test_an_event_is_done_when_the_results_are_there(runtime, saxpy, xy):
    x, y, expected = xy
    event = saxpy.enqueue(x, y, 2.0, global_size=4096)
    event.wait()
    assert event.done and np.array_equal(y, expected)


def test_events_can_be_awaited_together(runtime, saxpy, xy):
    x, y, expected = xy
    arrays = [runtime.array(y) for _ in range(4)]

    async def main():
        await asyncio.gather(*(wait_for(saxpy.enqueue(x, a, 2.0, global_size=4096)) for a in arrays))

    async def wait_for(event):
        await event

    asyncio.run(main())
    for array in arrays:
        assert np.array_equal(array.read(), expected)


def test_an_await_can_run_out_of_time(shared):
    """At once, without a thread that waits on: the loop's end would wait for it."""
    runtime, context, _ = shared
    from conftest import SAXPY

    kernel = runtime.kernel(SAXPY, "saxpy")
    gate = cl.UserEvent(context)
    array = runtime.zeros(4096, np.float32)

    async def wait_for(event):
        await event

    async def main():
        event = kernel.enqueue(np.ones(4096, np.float32), array, 2.0, global_size=4096, after=[gate])
        try:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(wait_for(event), 0.05)
            # What asyncio's threads are made by.
            assert asyncio.get_running_loop()._default_executor is None
        finally:
            gate.set_status(cl.command_execution_status.COMPLETE)
        await event
        await event
        return event

    assert asyncio.run(main()).done
    assert (array.read() == 2).all()


def test_an_await_of_what_fails_raises(shared):
    _, context, _ = shared
    gate = cl.UserEvent(context)

    async def main():
        waiting = asyncio.ensure_future(wait_for(kiln.Event(gate)))
        await asyncio.sleep(0)
        gate.set_status(-5)
        with pytest.raises(kiln.DeviceError):
            await waiting
        with pytest.raises(kiln.DeviceError):
            await kiln.Event(gate)

    async def wait_for(event):
        await event

    asyncio.run(main())


def test_ctrl_c_ends_an_await_and_the_process():
    code = """
import asyncio, os, signal, threading, kiln, pyopencl as cl
rt = kiln.Runtime("cpu", store="off")
device = cl.Device.from_int_ptr(rt.devices[0].int_ptr)
gate = cl.UserEvent(cl.Context([device]))  # which nothing completes

async def main():
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    await kiln.Event(gate)

try:
    asyncio.run(main())
except KeyboardInterrupt:
    print("ended")
"""
    ended = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "ended\n", "")


def test_a_run_waits_for_events_of_others(shared, xy):
    runtime, context, _ = shared
    from conftest import SAXPY

    kernel = runtime.kernel(SAXPY, "saxpy")
    x, y, expected = xy
    gate = cl.UserEvent(context)
    array = runtime.array(y)
    event = kernel.enqueue(x, array, 2.0, global_size=4096, after=[gate])
    assert not event.done
    gate.set_status(cl.command_execution_status.COMPLETE)
    event.wait()
    assert np.array_equal(array.read(), expected)


def test_ctrl_c_ends_a_wait_and_not_the_run(shared, xy):
    runtime, context, _ = shared
    from conftest import SAXPY

    kernel = runtime.kernel(SAXPY, "saxpy")
    x, y, expected = xy
    gate = cl.UserEvent(context)
    array = runtime.array(y)
    event = kernel.enqueue(x, array, 2.0, global_size=4096, after=[gate])
    with pytest.raises(KeyboardInterrupt):
        # Inside: on a busy machine it may come before the wait.
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        event.wait()
    assert not event.done
    gate.set_status(cl.command_execution_status.COMPLETE)
    event.wait()
    assert np.array_equal(array.read(), expected)


def test_memory_lives_until_a_dropped_run_is_done(shared):
    runtime, context, _ = shared
    from conftest import SAXPY

    kernel = runtime.kernel(SAXPY, "saxpy")
    gate = cl.UserEvent(context)
    x = np.ones(1 << 16, np.float32)
    y = np.zeros(1 << 16, np.float32)
    out = runtime.array(y)
    event = kernel.enqueue(x, out, 2.0, global_size=1 << 16, after=[gate])
    del x, event
    gc.collect()
    rubbish = [np.full(1 << 16, 7, np.float32) for _ in range(8)]
    gate.set_status(cl.command_execution_status.COMPLETE)
    assert (out.read() == 2).all() and len(rubbish) == 8


def test_a_failed_event_is_an_error(shared):
    _, context, _ = shared
    gate = cl.UserEvent(context)
    event = kiln.Event(gate)
    assert not event.done and event.int_ptr == gate.int_ptr
    gate.set_status(-5)
    assert event.done
    with pytest.raises(kiln.DeviceError):
        event.wait()


def test_one_event_or_none_may_stand_for_a_list(saxpy, xy):
    x, y, expected = xy
    first = saxpy.enqueue(x, y, 2.0, global_size=4096, after=None)
    saxpy.enqueue(x, y, 0.0, global_size=4096, after=first).wait()
    assert np.array_equal(y, expected)
    for wrong in (1, 7, True, [2], "e"):
        with pytest.raises(TypeError, match="expected an event"):
            saxpy.enqueue(x, y, 0.0, global_size=4096, after=wrong)


def test_a_forked_child_is_told_that_it_cannot_wait():
    code = """
import os, kiln, numpy as np
rt = kiln.Runtime("cpu", store="off")
k = rt.kernel("kernel void k(global int *x) { for (int i = 0; i < 300000000; ++i) x[i & 1048575] = i; }", "k")
event = k.enqueue(np.zeros(1 << 20, np.int32), global_size=1)
child = os.fork()
if child == 0:
    for ask in (event.wait, lambda: event.done):
        try:
            ask()
        except kiln.UnsupportedError as error:
            print("refused" if "fork" in str(error) else error, flush=True)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
event.wait()
"""
    done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["refused", "refused"], done


def test_a_process_may_end_with_an_event_of_numpy_arrays():
    code = """
import kiln, numpy as np
rt = kiln.Runtime("cpu", store="off")
k = rt.kernel("kernel void k(global int *x) { for (int i = 0; i < 30000000; ++i) x[i & 1048575] = i; }", "k")
event = k.enqueue(np.zeros(1 << 20, np.int32), global_size=1)
"""
    assert subprocess.run([sys.executable, "-B", "-c", code]).returncode == 0


def test_a_process_ends_though_an_event_never_does():
    code = """
import kiln, numpy as np, pyopencl as cl
context = cl.create_some_context(interactive=False)
rt = kiln.Runtime(context=context, queues=[cl.CommandQueue(context)], store="off")
gate = cl.UserEvent(context)
k = rt.kernel("kernel void k(global int *x) { x[0] = 1; }", "k")
event = k.enqueue(np.zeros(1, np.int32), global_size=1, after=[gate])
print("end", flush=True)
"""
    ended = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, timeout=60)
    assert ended.stdout == "end\n"


def test_a_process_may_end_while_runs_go_on():
    code = """
import kiln, numpy as np
rt = kiln.Runtime("cpu", store="off")
k = rt.kernel("kernel void k(global float *a) { int i = get_global_id(0); for (int n = 0; n < 20000; ++n) a[i] += 1; }", "k")
a = rt.zeros(4096, np.float32)
for _ in range(10):
    k.enqueue(a, global_size=4096)
print("end")
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "end\n", "")
