"""kiln.op2 in PyOP2's place: its modules are there by name, and a program runs unchanged."""
import subprocess
import sys

PROGRAM = """
import kiln.op2; kiln.op2.install()
import numpy as np
from pyop2 import op2, base, exceptions, configuration, sequential
from pyop2.base import Access, ParLoop, JITModule, MixedSet
import pyop2

op2.init(log_level="WARNING")
nodes, cells = op2.Set(4), op2.Set(3)
pairs = op2.Map(cells, nodes, 2, [0, 1, 1, 2, 2, 3])
x = op2.Dat(nodes, np.zeros(4))
op2.par_loop(op2.Kernel("void k(double *x) { x[0] += 1; x[1] += 1; }", "k"), cells, x(op2.INC, pairs[op2.i[0]]))
assert len(base._trace._trace) == 1
print(x.data.tolist(), configuration["lazy_evaluation"], op2.initialised())
assert sequential.NameTypeError is exceptions.NameTypeError
op2.exit()
"""


def test_a_program_runs_unchanged():
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert (ended.stdout, ended.stderr) == ("[1.0, 2.0, 2.0, 1.0] True True\n", "")


def test_installing_comes_before_importing():
    code = "import sys, types; sys.modules['pyop2'] = types.ModuleType('pyop2'); import kiln.op2; kiln.op2.install()"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pyop2 is imported already" in ended.stderr
