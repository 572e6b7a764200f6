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
assert op2.base is base and op2.base._trace is base._trace and op2.exceptions is exceptions
from pyop2.configuration import Configuration
assert Configuration()["debug"] is False and isinstance(configuration, Configuration)
from pyop2.fusion.interface import fuse, loop_chain, slope
assert slope is None
for refused in (fuse, loop_chain):
    try:
        refused("name", [])
        raise SystemExit("not refused")
    except NotImplementedError:
        pass
op2.exit()
"""


def test_a_program_runs_unchanged():
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert (ended.stdout, ended.stderr) == ("[1.0, 2.0, 2.0, 1.0] True True\n", "")


def test_installing_comes_before_importing():
    code = "import sys, types; sys.modules['pyop2'] = types.ModuleType('pyop2'); import kiln.op2; kiln.op2.install()"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pyop2 is imported already" in ended.stderr


def test_columns_have_their_targets_one_after_another():
    import numpy as np

    from kiln.op2.compatibility import compute_ind_extr

    nums, mesh2d, levels = np.array([4, 5, 2]), np.array([3, 3, 1]), np.array([[0, 1], [0]], dtype=object)
    cell2node = [[0, 1, 2], [1, 2, 3]]
    found = compute_ind_extr(nums, 6, 2, 11, mesh2d, np.array([[2, 0], [0, 0], [0, 0]]), levels, 10, cell2node, 12)
    assert found.tolist() == [0, 1, 11, 12, 22, 23, 11, 12, 22, 23, 33, 34]
    found = compute_ind_extr(nums, 1, 2, 11, mesh2d, np.array([[0, 0], [0, 0], [0, 1]]), levels, 10, [[0], [1]], 2)
    assert found.tolist() == [0, 10]


def test_objects_outlive_an_exit():
    from kiln import op2

    before = dict(op2.configuration)
    nodes = op2.Set(3)
    x = op2.Dat(nodes, [1.0, 2, 3])
    op2.exit()
    assert not op2.initialised()
    op2.init(lazy_evaluation=True)
    y = op2.Dat(nodes, [1.0, 1, 1])
    op2.par_loop(op2.Kernel("void k(double *x, double *y) { *x += *y; }", "k"), nodes, x(op2.RW), y(op2.READ))
    assert x.data.tolist() == [2, 3, 4]
    op2.configuration.reconfigure(**before)
