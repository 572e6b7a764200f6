"""Runtime.timeline(): what calls of kernels within a block took, and when."""
import numpy as np
import pytest

import kiln
from conftest import SAXPY


def names(spans, category):
    return [span.name for span in spans if span.category == category]


def test_calls_within_the_block_have_spans_of_the_host_and_the_device(runtime, saxpy, xy):
    x, y, _ = xy
    a, b = runtime.array(x), runtime.array(y)
    saxpy(a, b, 1.0, global_size=4096)
    with runtime.timeline() as spans:
        assert spans == []
        saxpy(a, b, 1.0, global_size=4096)
        event = saxpy.enqueue(x, y, 1.0, global_size=4096)
        saxpy(x, y, 2.0, global_size=4096)
    assert event.done and names(spans, "call") == ["call saxpy"] * 3 and names(spans, "kernel") == ["saxpy"] * 3
    saxpy(a, b, 1.0, global_size=4096)
    assert len(spans) == 6 and [span.start_ns for span in spans] == sorted(span.start_ns for span in spans)
    lane = f"device 0: {runtime.devices[0].name}"
    assert {span.lane for span in spans} == {"host", lane}
    calls, kernels = ([span for span in spans if span.category == of] for of in ("call", "kernel"))
    for call, kernel in zip(calls, kernels):
        assert call.start_ns <= call.end_ns and kernel.start_ns < kernel.end_ns
    assert kernels[1].end_ns - kernels[1].start_ns == event.nanoseconds
    assert spans._repr_html_().count("<rect") == 6 and spans.to_dicts()[0]["lane"] == "host"


def test_other_runtimes_and_failed_blocks_are_left_out(runtime, saxpy, xy, tmp_path):
    x, y, _ = xy
    other = kiln.Runtime("cpu", store=str(tmp_path / "store"))
    with other.timeline() as spans, runtime.timeline() as ours:
        saxpy(x, y, 1.0, global_size=4096)
    assert spans == [] and len(ours) == 2
    timeline = runtime.timeline()
    with pytest.raises(ZeroDivisionError):
        with timeline as spans:
            saxpy(x, y, 1.0, global_size=4096)
            1 / 0
    assert spans == []
    with timeline as spans:
        saxpy(x, y, 1.0, global_size=4096)
    assert len(spans) == 2


def test_a_run_that_is_placed_is_one_span_of_the_host(runtime, saxpy):
    # New memory each time: results of splits start from what the arrays held.
    with runtime.timeline() as spans:
        saxpy(np.ones(4096, np.float32), np.ones(4096, np.float32), 2.0, global_size=4096, partition="auto")
    assert [(span.lane, span.name) for span in spans] == [("host", "call saxpy")]


def test_a_queue_without_times_is_refused(runtime, xy):
    cl = pytest.importorskip("pyopencl", reason="python3-pyopencl is not installed")
    device = cl.Device.from_int_ptr(runtime.devices[0].int_ptr)
    context = cl.Context([device])
    queue = cl.CommandQueue(context, device)
    adopted = kiln.Runtime(context=context, queues=[queue], store=runtime.store.folder)
    kernel = adopted.kernel(SAXPY, "saxpy")
    x, y, expected = xy
    with pytest.raises(kiln.UnsupportedError, match="^timeline: found a queue that takes no times"):
        with adopted.timeline():
            kernel(x, y, 2.0, global_size=4096)
    assert np.array_equal(y, expected)
