"""kiln.op2: other threads go on while a call waits for the device."""
import subprocess
import sys

import pytest

pytest.importorskip("pyopencl", reason="python3-pyopencl is not installed")

# The queue stops at an event that the other thread completes. With the interval of an hour this thread
# gets the interpreter's lock only when the main one lets go of it, and that has nothing else to wait for.
PROGRAM = """
import os, sys, threading
import numpy as np
import pyopencl as cl
import kiln
from kiln import op2

device = cl.Device.from_int_ptr(kiln.Runtime(os.environ.get("KILN_TEST_DEVICE", "cpu")).devices[0].int_ptr)
context = cl.Context([device])
queue = cl.CommandQueue(context, device)
op2.init(queue=queue)
nodes, edges = op2.Set(3), op2.Set(2)
x, total = op2.Dat(nodes, [1.0, 2.0, 3.0]), op2.Global(1, 0.0)
edge2node = op2.Map(edges, nodes, 2, [0, 1, 1, 2])
matrix = op2.Mat(op2.Sparsity(nodes, edge2node))
rod = op2.Kernel("void rod(double A[2][2]) { A[0][0] += 1; A[1][1] += 1; }", "rod")
add = op2.Kernel("void add(double *t, double *x) { t[0] += x[0]; }", "add")

def loops():
    op2.par_loop(add, nodes, total(op2.INC), x(op2.READ))
    op2.par_loop(rod, edges, matrix(op2.INC, (edge2node[op2.i[0]], edge2node[op2.i[1]])))

loops()
assert total.data[0] == 6 and matrix.values[1, 1] == 2
total.data = 0

gate, go = cl.UserEvent(context), threading.Lock()
go.acquire()
progress = []

def other():
    go.acquire()
    progress.append("other")
    gate.set_status(cl.command_execution_status.COMPLETE)

thread = threading.Thread(target=other)
thread.start()
cl.enqueue_barrier(queue, wait_for=[gate])
queue.flush()
sys.setswitchinterval(3600)
go.release()
progress.append("main")
loops()
CALL
progress.append("done")
thread.join()
print(*progress)
"""


@pytest.mark.parametrize(
    "call",
    [
        "assert total.data[0] == 6",
        "assert total.data_ro[0] == 6",
        "matrix.addto_values([0], [0], [[1.0]]); assert matrix.values[0, 0] == 3",
        "matrix.set_values([0], [0], [[7.0]]); assert matrix.values[0, 0] == 7",
        "assert matrix.values[1, 1] == 4",
        "assert matrix.array.sum() == 8",
    ],
)
def test_a_wait_leaves_the_interpreter_to_others(call):
    # Where the lock is held the program never ends.
    ended = subprocess.run(
        [sys.executable, "-B", "-c", PROGRAM.replace("CALL", call)], capture_output=True, text=True, timeout=300
    )
    assert (ended.stdout, ended.stderr) == ("main other done\n", "")
