"""kiln.op2 in PyOP2's place: its modules are there by name, and a program runs unchanged."""
import subprocess
import sys

import pytest

from kiln.op2.compatibility import MODULES

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


def run(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)


@pytest.mark.parametrize("name", MODULES)
def test_every_module_is_imported_in_each_way(name):
    ended = run(
        "import kiln.op2; kiln.op2.install(); kiln.op2.install()\n"
        f"import pyop2.{name}; from pyop2 import {name}; from pyop2.{name} import Dat\n"
        f"print(Dat is kiln.op2.Dat)"
    )
    assert (ended.stdout, ended.stderr) == ("True\n", "")


@pytest.mark.parametrize(
    "line, begin, end",
    [
        ("import pyop2.plan", "found pyop2.plan,", "(loops make their plans, which cannot be asked for)"),
        ("from pyop2 import plan", "found pyop2.plan,", "(loops make their plans, which cannot be asked for)"),
        ("from pyop2.petsc_base import Mat", "found pyop2.petsc_base,", "(there are no objects of PETSc)"),
        ("import pyop2.of_no_name", "found pyop2.of_no_name,", "pyop2.op2, base, exceptions"),
    ],
)
def test_other_modules_are_refused_by_name(line, begin, end):
    ended = run(
        "import kiln.op2; kiln.op2.install()\n"
        f"try:\n    {line}\nexcept ModuleNotFoundError as error:\n    print(error)\n"
        "import pyop2\nassert not hasattr(pyop2, 'nothing')"
    )
    assert ended.stderr == "" and len(ended.stdout.splitlines()) == 1
    assert ended.stdout.startswith(begin + " expected a module that kiln.op2 offers") and end in ended.stdout


def test_parts_of_programs_are_timed():
    ended = run(
        "import kiln.op2; kiln.op2.install()\n"
        "import logging; logging.basicConfig(format='%(message)s')\n"
        "from pyop2 import op2\nfrom pyop2.profiling import timed_function, timed_region, timed_stage\n"
        "op2.init(log_level='INFO')\n"
        "@timed_function('sum')\ndef add(a, b): return a + b\n"
        "with timed_stage('all'), timed_region('a part'): print(add(1, b=2))"
    )
    assert ended.stdout == "3\n"
    assert [line.partition(":")[0] for line in ended.stderr.splitlines()] == ["sum", "a part", "all"]


TIMES = """
from kiln import op2
op2.init(timeline={timeline})
nodes = op2.Set(1000)
x, total = op2.Dat(nodes), op2.Global(1, 0.0)
op2.par_loop(op2.Kernel("void before(double *x) {{ x[0] = 1; }}", "before"), nodes, x(op2.WRITE))
with op2.timeline() as spans:
    assert spans == []
    for _ in range(3):
        op2.par_loop(op2.Kernel("void add(double *x) {{ x[0] += 1; }}", "add"), nodes, x(op2.RW))
    op2.par_loop(op2.Kernel("void sum(double *t, double *x) {{ t[0] += x[0]; }}", "sum"), nodes, total(op2.INC), x(op2.READ))
assert total.data[0] == 4000
names = [span.name for span in spans if span.category == "kernel"]
assert names == ["add"] * 3 + ["sum"], names
assert all(span.start_ns <= span.end_ns for span in spans) and {{span.lane for span in spans}} > {{"host"}}
assert spans._repr_html_().count("<rect") == len(spans) and spans.to_dicts()[0]["lane"]
with op2.timeline() as spans:
    pass
assert [span for span in spans if span.category == "kernel"] == []
print("as expected")
"""


def test_a_timeline_has_the_loops_that_ran_within():
    ended = run(TIMES.format(timeline=True))
    assert (ended.stdout, ended.stderr) == ("as expected\n", "")
    ended = run(TIMES.format(timeline=False))
    assert ended.stderr.splitlines()[-1].endswith(
        "op2.timeline: the objects were made without times, expected op2.init(timeline=True) before the first of them"
    )


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
