"""The package's types: mypy finds nothing in the examples and mistakes in programs that have some, and
stubtest no difference between the stubs and the modules as they are built."""
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
CONFIG = ROOT / "pyproject.toml"
pytest.importorskip("mypy", reason="mypy is not installed")


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """NumPy's types are read once."""
    return tmp_path_factory.mktemp("mypy")


def run(module, *words):
    ended = subprocess.run(
        [sys.executable, "-m", module, *map(str, words)], capture_output=True, text=True, cwd=ROOT
    )
    return ended.returncode, ended.stdout + ended.stderr


def mypy(cache, *files):
    return run("mypy", "--strict", f"--config-file={CONFIG}", f"--cache-dir={cache}", *files)


def test_the_stubs_say_what_the_modules_have():
    allowed = pathlib.Path(__file__).with_name("stubtest_allowed.txt")
    # Which of them are met differs between releases of mypy.
    options = ["--concise", f"--allowlist={allowed}", "--ignore-unused-allowlist"]
    code, output = run("mypy.stubtest", "kiln", *options, f"--mypy-config-file={CONFIG}")
    assert code == 0, output


def test_the_examples_are_typed(cache):
    code, output = mypy(cache, *sorted((ROOT / "examples/python").glob("*.py")))
    assert code == 0, output


CALLS = """
import numpy as np
import kiln
from kiln import mesh_files, op2, testing

runtime = kiln.Runtime("cpu")
saxpy = runtime.kernel("kernel void k(global float *x) {}", "k", macros={"N": 4})
x = np.ones(4, np.float32)
nodes = op2.Set(4)
values = op2.Dat(nodes ** 2)
a = np.ones((4, 4), np.float32)
total = op2.Global(1)
total.data = 0
loop = op2.par_loop(op2.Kernel("", "k"), nodes, values(op2.READ), total(op2.INC))
reveal_type(saxpy(x, runtime.array(x), 2.0, global_size=4))
reveal_type(saxpy.enqueue(x, kiln.LocalMemory(4), global_size=(2, 2), after=[]).done)
reveal_type(runtime.run("a.json", dataset=4).outputs[0])
reveal_type(runtime.store.entries(kind="plan")[0].size)
reveal_type(kiln.devices()[0].type)
reveal_type(values + 1)
reveal_type(total.data)
reveal_type(loop)
reveal_type(mesh_files.read("grid.h5").map("pcell").arity)
reveal_type(kiln.blas.gemm(1.0, a, a, trans_a="t"))
reveal_type(kiln.blas.gemv(1, runtime.array(a), runtime.array(x)))
with testing.runtime() as made:
    reveal_type(made)
"""
KINDS = [
    "RunSummary",
    "bool",
    "ndarray",
    "int",
    "DeviceType",
    "Dat",
    "ndarray",
    "ParLoop",
    "int",
    "ndarray",
    "Array",
    "Runtime",
]


def test_calls_have_the_types_of_their_results(cache, tmp_path):
    program = tmp_path / "calls.py"
    program.write_text(CALLS)
    code, output = mypy(cache, program)
    assert code == 0, output
    found = re.findall(r'Revealed type is "(.*)"', output)
    # Releases of NumPy differ in what stands in brackets.
    assert [one.partition("[")[0].rpartition(".")[2] for one in found] == KINDS


MISTAKES = {
    "kiln.Rumtime()": "attr-defined",
    "kiln.Runtime(devices=1)": "arg-type",
    "kiln.Array(x)": "arg-type",
    "runtime.kernel('', 'k')(x)": "call-arg",
    "runtime.kernel('', 'k')(x, global_size='4')": "arg-type",
    "runtime.zeros(4).shape + 1": "operator",
    "kiln.blas.axpy(1.0, 2.0, x)": "type-var",
    "op2.Set(4, 5)": "arg-type",
    "op2.Dat(4)": "arg-type",
    "op2.Dat(op2.Set(4))(1)": "arg-type",
    "op2.Dat(op2.Set(4)).data = x": "misc",
    "op2.par_loop(op2.Kernel('', 'k'), 4)": "call-overload",
}


def test_mistakes_are_found(cache, tmp_path):
    program = tmp_path / "mistakes.py"
    head = "import numpy as np\nimport kiln\nfrom kiln import op2\nruntime = kiln.Runtime()\nx = np.ones(4)\n"
    program.write_text(head + "\n".join(MISTAKES) + "\n")
    code, output = mypy(cache, program)
    lines = head.count("\n") + 1
    found = dict(re.findall(r"mistakes\.py:(\d+): error: .*\[([\w-]+)\]", output))
    for number, (mistake, kind) in enumerate(MISTAKES.items(), lines):
        assert found.get(str(number)) == kind, f"{mistake}\n{output}"
    assert code == 1
