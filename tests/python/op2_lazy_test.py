"""kiln.op2: loops wait, run in their order when they are needed, and are compiled once."""
import inspect
import os
import signal
import threading
import time

import numpy as np
import pytest

import kiln
from kiln import op2
from kiln.op2 import loops
from kiln.op2.kernels import Kernel
from kiln.op2.trace import trace

N = 42
COUNT = "static void count(unsigned int *x) { (*x) += 1; }"
COPY = "void copy(unsigned int *to, unsigned int *from) { *to = *from; }"
SUM = "void sum(unsigned int *total, unsigned int *x) { *total += *x; }"


@pytest.fixture(autouse=True)
def lazy():
    op2.configuration["lazy_evaluation"] = True
    trace.evaluate_all()


@pytest.fixture
def cells():
    return op2.Set(N)


def dat(cells, dtype=np.uint32):
    return op2.Dat(cells, np.zeros(N), dtype)


def test_a_loop_waits_until_its_result_is_asked_for(cells):
    total = op2.Global(1, 0, np.uint32)
    op2.par_loop(op2.Kernel(COUNT, "count"), cells, total(op2.INC))
    assert total._data[0] == 0 and total.data[0] == N and total.data[0] == N


def test_asking_for_one_result_leaves_others(cells):
    a, b = op2.Global(1, 0, np.uint32), op2.Global(1, 0, np.uint32)
    for total in (a, b):
        op2.par_loop(op2.Kernel(COUNT, "count"), cells, total(op2.INC))
    assert b.data[0] == N and a._data[0] == 0 and a.data[0] == N


def test_only_what_is_needed_runs(cells):
    total, x, y = op2.Global(1, 0, np.uint32), dat(cells), dat(cells)
    add = op2.par_loop(op2.Kernel(COUNT, "count"), cells, x(op2.RW))
    copy = op2.par_loop(op2.Kernel(COPY, "copy"), cells, y(op2.WRITE), x(op2.READ))
    sums = op2.par_loop(op2.Kernel(SUM, "sum"), cells, total(op2.INC), x(op2.READ))
    assert all(trace.in_queue(loop) for loop in (add, copy, sums)) and sum(x._data) == 0
    assert total.data[0] == N
    assert not trace.in_queue(add) and trace.in_queue(copy) and not trace.in_queue(sums)
    assert sum(x.data) == N and sum(y.data) == N and not trace.in_queue(copy)


def test_who_writes_waits_for_readers(cells):
    x, y = dat(cells), dat(cells)
    op2.par_loop(op2.Kernel(COUNT, "count"), cells, x(op2.RW))
    op2.par_loop(op2.Kernel(COPY, "copy"), cells, y(op2.WRITE), x(op2.READ))
    x.data[:] = 77
    assert trace._trace == [] and (y.data == 1).all()


def test_a_global_waits_for_readers_before_it_is_changed(cells):
    factor, x = op2.Global(1, 3, np.uint32), dat(cells)
    op2.par_loop(op2.Kernel(COPY, "copy"), cells, x(op2.WRITE), factor(op2.READ))
    assert factor.data_ro[0] == 3 and len(trace._trace) == 1
    factor.data[0] = 5
    assert trace._trace == [] and (x.data == 3).all()


def test_reading_runs_writers_alone(cells):
    x, y = dat(cells), dat(cells)
    op2.par_loop(op2.Kernel(COUNT, "count"), cells, x(op2.RW))
    op2.par_loop(op2.Kernel(COPY, "copy"), cells, y(op2.WRITE), x(op2.READ))
    assert (x.data_ro == 1).all() and len(trace._trace) == 1


def test_the_queue_has_a_length(cells):
    x = dat(cells)
    op2.configuration["lazy_max_trace_length"] = 3
    try:
        for waiting in (1, 2, 0, 1):
            op2.par_loop(op2.Kernel(COUNT, "count"), cells, x(op2.RW))
            assert len(trace._trace) == waiting
    finally:
        op2.configuration["lazy_max_trace_length"] = 100
    assert (x.data == 4).all()


def test_a_loop_that_fails_is_not_run_again(cells):
    x, y = dat(cells), dat(cells)
    op2.par_loop(op2.Kernel("void bad(unsigned int *x) { nothing(); }", "bad"), cells, x(op2.RW))
    op2.par_loop(op2.Kernel(COUNT, "count"), cells, y(op2.RW))
    with pytest.raises(Exception, match="nothing"):
        trace.evaluate_all()
    assert len(trace._trace) == 1 and (y.data == 1).all()


BAD = "void bad(unsigned int *x) { nothing(); }"


def line_of(function, text):
    """"FILE:LINE" of a line of a function."""
    lines, first = inspect.getsourcelines(function)
    return f"{__file__}:{first + next(at for at, line in enumerate(lines) if text in line)}"


def test_an_error_names_the_kernel_and_the_line_of_the_call(cells):
    x, y = dat(cells), dat(cells)
    op2.par_loop(op2.Kernel(BAD, "bad"), cells, x(op2.RW))  # the call
    op2.par_loop(op2.Kernel(COUNT, "count"), cells, y(op2.RW))
    here = test_an_error_names_the_kernel_and_the_line_of_the_call
    with pytest.raises(kiln.BadInputError) as found:
        x.data
    assert str(found.value).startswith(f"{line_of(here, '# the call')}: loop of bad: bad:1:29: ")
    op2.configuration["lazy_evaluation"] = False
    with pytest.raises(kiln.BadInputError) as found:
        op2.par_loop(op2.Kernel(BAD, "bad"), cells, x(op2.RW))  # at once
    assert str(found.value).startswith(f"{line_of(here, '# at once')}: loop of bad: ")
    assert str(found.value).count("loop of bad") == 1


def test_every_call_of_a_prepared_loop_has_its_line(cells):
    x, count = dat(cells), op2.Kernel(COUNT, "count")
    op2.par_loop(count, cells, x(op2.RW))
    trace.evaluate_all()
    calls = [
        op2.par_loop(count, cells, x(op2.RW)),  # first
        op2.par_loop(count, cells, x(op2.RW)),  # second
        op2.ParLoop(count, cells, x(op2.RW)).enqueue(),  # third
    ]
    here = test_every_call_of_a_prepared_loop_has_its_line
    assert [call.place for call in calls] == [line_of(here, f"# {n}") for n in ("first", "second", "third")]
    assert (x.data == 4).all()


def test_errors_of_functions_of_python_stay_as_they_are(cells):
    x = dat(cells)

    def spoil(x):
        raise ValueError("spoilt")

    op2.par_loop(spoil, cells, x(op2.RW))  # the call
    with pytest.raises(ValueError) as found:
        x.data
    place = line_of(test_errors_of_functions_of_python_stay_as_they_are, "# the call")
    assert str(found.value) == "spoilt" and found.value.__notes__ == [f"{place}: loop of spoil"]


def test_programs_are_counted_by_what_changes_their_text(cells):
    cache = loops.JITModule._cache
    nodes = op2.Set(N)
    one, two = op2.Map(cells, nodes, 1, np.arange(N)), op2.Map(cells, nodes, 2, np.arange(2 * N) // 2)
    a, x, y = dat(cells), dat(nodes), dat(nodes)

    def programs(*arguments, code=COPY, name="copy"):
        op2.par_loop(op2.Kernel(code, name), cells, *arguments)
        trace.evaluate_all()
        return len(cache)

    cache.clear()
    assert programs(a(op2.WRITE), x(op2.READ, one[0])) == 1
    assert programs(a(op2.WRITE), x(op2.READ, one[0])) == 1
    assert programs(a(op2.WRITE), y(op2.READ, one[0])) == 1
    assert programs(a(op2.WRITE), y(op2.READ, one[0]), code=COPY.upper().lower() + " ") == 2
    assert programs(a(op2.WRITE), x(op2.READ, two[0])) == 3
    assert programs(a(op2.WRITE), x(op2.READ, two[1])) == 4
    swap = "void swap(unsigned int *a, unsigned int *b) { unsigned t = *a; *a = *b; *b = t; }"
    cache.clear()
    assert programs(x(op2.RW, one[0]), y(op2.RW, one[0]), code=swap, name="swap") == 1
    assert programs(y(op2.RW, one[0]), x(op2.RW, one[0]), code=swap, name="swap") == 1


def test_kernels_of_the_same_code_with_other_macros_are_other_programs(cells):
    x, code = dat(cells), "void k(unsigned int *x) { *x = C; }"
    for c in (1, 2):
        op2.par_loop(op2.Kernel(code, "k", user_code=f"#define C {c}"), cells, x(op2.WRITE))
        assert (x.data == c).all()


@pytest.mark.parametrize("make", [lambda cells, t: op2.Dat(cells, dtype=t), lambda cells, t: op2.Global(1, 0, t)])
def test_other_types_are_other_programs(cells, make):
    loops.JITModule._cache.clear()
    for count, dtype in enumerate((np.uint32, np.int32, np.float64), 1):
        data = make(cells, dtype)
        op2.par_loop(op2.Kernel("static void k(void *x) {}", "k"), cells, data(op2.INC))
        trace.evaluate({data}, set())
        assert len(loops.JITModule._cache) == count


def test_kernels_are_counted():
    Kernel._cache.clear()
    first = op2.Kernel("void k(void *x) {}", "k")
    assert op2.Kernel("void k(void *x) {}", "k") is first and len(Kernel._cache) == 1
    op2.Kernel("void k(void *x) {}", "l")
    op2.Kernel("void l(void *x) {}", "k")
    assert len(Kernel._cache) == 3


def test_what_is_read_after_ctrl_c_is_what_the_next_loop_starts_from(cells):
    data = dat(cells)
    # New to every store: its compilation is what the signal comes into.
    add = op2.Kernel(f"void add(unsigned int *x) {{ *x += 100; }} // {time.time_ns()}", "add")
    op2.par_loop(add, cells, data(op2.RW))
    try:
        threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        data.data
        signal.sigtimedwait([signal.SIGINT], 1)
    except KeyboardInterrupt:
        pass
    found = int(data.data_ro[0])
    op2.par_loop(op2.Kernel(COUNT, "count"), cells, data(op2.RW))
    assert data.data_ro[0] == found + 1
