"""The examples in Python, as a user starts them; their results against what is known of them."""
import ast
import importlib.util
import json
import os
import pathlib
import sys
import subprocess
import re

import numpy as np
import pytest

import kiln

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples" / "python"


def example(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def no_constants():
    """A process has one namespace of constants."""
    yield
    from kiln.op2.constants import Const

    for constant in list(Const._defined.values()):
        constant.remove_from_namespace()


def test_every_example_is_tried_here():
    text = pathlib.Path(__file__).read_text()
    for file in EXAMPLES.glob("*.py"):
        assert f'example("{file.stem}")' in text, file
    for file in EXAMPLES.glob("*.ipynb"):
        assert f'cells("{file.stem}")' in text, file


def test_airfoil_comes_to_the_known_change(capsys):
    example("airfoil").main(20, 30, 100)
    found = float(re.search(r"rms ([\d.e+-]+)", capsys.readouterr().out).group(1))
    # That of the C++ program on the same mesh: kiln mesh naca0012 -I 20 -J 30; airfoil GRID 100.
    assert found == pytest.approx(2.07422e-04, rel=1e-5)


def test_aero_has_the_published_history(capsys):
    history = example("aero").main(20, 30, 4)
    assert [steps for steps, _ in history] == [14, 32, 14, 33]
    assert [rms for _, rms in history] == pytest.approx(
        [6.4005359585694e-04, 2.234468834258e-04, 6.86672957241e-06, 5.48329390186e-06], rel=1e-9
    )
    assert len(capsys.readouterr().out.splitlines()) == 4


def test_poisson_converges_with_the_square_of_the_width(tmp_path):
    poisson = example("poisson")
    errors = [poisson.solve(n)[3] for n in (8, 16, 32)]
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(4, rel=0.1)


def test_poisson_draws_a_picture(tmp_path, capsys):
    pytest.importorskip("matplotlib", reason="python3-matplotlib is not installed")
    example("poisson").main(8, str(tmp_path / "u.png"))
    assert (tmp_path / "u.png").read_bytes().startswith(b"\x89PNG")
    assert "128 triangles" in capsys.readouterr().out


def test_jac_is_jacobis_iteration():
    jac = example("jac")
    pairs, right = jac.problem(12)
    matrix = np.zeros((144, 144))
    np.add.at(matrix, tuple(pairs.T), 0.25)
    u = np.zeros(144)
    for _ in range(6):
        u = matrix @ u + 0.25 * right
    assert np.allclose(jac.main(12, 6), u)


def test_all_specification_files_run(capsys):
    example("specs").main("cpu")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(list((EXAMPLES.parent / "specs").glob("*.json")))


def test_arrays_of_pyopencl_are_shared(capsys):
    pytest.importorskip("pyopencl", reason="python3-pyopencl is not installed")
    example("pyopencl_arrays").main()
    assert "the last one 131071" in capsys.readouterr().out


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.py")), ids=lambda file: file.stem)
def test_examples_say_how_they_are_started(file):
    if file.stem == "pyopencl_arrays":
        pytest.importorskip("pyopencl", reason="python3-pyopencl is not installed")

    def run(*words):
        return subprocess.run([sys.executable, "-B", file, *words], capture_output=True, text=True)

    text = ast.get_docstring(ast.parse(file.read_text()), clean=False).strip()
    asked = run("--help")
    assert (asked.returncode, asked.stderr) == (0, "") and asked.stdout.startswith("usage: ")
    assert text in asked.stdout
    # Each placeholder of the first lines is an argument, and nothing else is.
    named = re.search(rf"python3 examples/python/{file.name}(.*)", text).group(1)
    places = re.findall(r"[\w.]+", named)
    assert all(place in asked.stdout.split("\n\n")[0] for place in places)
    for words in (["--stepz", "3"], ["1"] * (len(places) + 1)):
        wrong = run(*words)
        assert wrong.returncode == 2 and wrong.stdout == "" and "Traceback" not in wrong.stderr
        assert wrong.stderr.splitlines()[-1].startswith(f"{file.name}: error: unrecognized arguments")


@pytest.mark.parametrize("name, words", [("airfoil", ["20", "x"]), ("aero", ["20.5"]), ("jac", ["0"]),
                                         ("poisson", ["-8"]), ("specs", ["no such device"]),
                                         ("tune_matrix_product", ["64", "many"])])
def test_examples_name_the_argument_that_is_wrong(name, words):
    ended = subprocess.run(
        [sys.executable, "-B", EXAMPLES / f"{name}.py", *words], capture_output=True, text=True
    )
    assert ended.returncode == 2 and ended.stdout == "" and "Traceback" not in ended.stderr
    last = ended.stderr.splitlines()[-1]
    assert last.startswith(f"{name}.py: error: ") and words[-1] in last


def cells(name):
    """The text of a notebook's code cells, which has the form of nbformat 4.5 and no results in it."""
    notebook = json.loads((EXAMPLES / f"{name}.ipynb").read_text())
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    names = [cell["id"] for cell in notebook["cells"]]
    assert len(set(names)) == len(names) and all(re.fullmatch(r"[\w-]{1,64}", one) for one in names)
    found = []
    for cell in notebook["cells"]:
        expected = {"cell_type", "id", "metadata", "source"}
        if cell["cell_type"] == "code":
            expected |= {"execution_count", "outputs"}
            assert cell["execution_count"] is None and cell["outputs"] == []
            found.append("".join(cell["source"]))
        assert set(cell) == expected
    return found


def shown(cell, names):
    """Runs a cell as a notebook does: the value of its last expression, None where it has none."""
    parsed = ast.parse(cell)
    last = parsed.body.pop() if isinstance(parsed.body[-1], ast.Expr) else None
    exec(compile(parsed, "<cell>", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


def test_the_notebook_runs_and_shows_what_it_says(monkeypatch, capsys):
    monkeypatch.chdir(EXAMPLES)
    names = {"__name__": "__main__"}
    values = [shown(cell, names) for cell in cells("kiln")]
    pages = [value._repr_html_() for value in values if hasattr(value, "_repr_html_")]
    devices, run, split, result, timeline, search = pages
    assert "<th>platform</th>" in devices and names["kiln"].devices()[0].name in devices
    assert re.fullmatch(r"<p>[\d.]+ (s|ms|us|ns)</p>", run)
    assert split.count("<rect") == 4 and "<th>work-groups</th>" in split
    assert "float32" in result and result.count("<rect") == 4
    assert timeline.count("<rect") == len(names["result"].timeline) > 2 and "kernel" in timeline
    assert "9 configurations, 0 failed" in search and "<th>block_size_x</th>" in search
    side = names["side"]
    assert {4.0: (side - 2) ** 2, 3.0: 4 * (side - 2), 2.0: 4} in values
    assert names["env"]["best_config"] in values and "WIDTH" in names["env"]["best_config"]
    assert any(kind == "artifact" for kind, _, _ in values[-1])


def test_a_tuned_matrix_product_is_found_on_record(tmp_path):
    file = example("tune_matrix_product").__file__

    def run(*words):
        done = subprocess.run(
            [sys.executable, "-B", file, *words],
            env={**os.environ, "KILN_STORE": str(tmp_path / "store")},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    printed = run("64", "2", str(tmp_path / "results.json"))
    chosen = re.search(r"^TS=\d+ WPT=\d+, off by ([\d.e+-]+)$", printed, re.M)
    assert float(chosen.group(1)) < 1e-2 and "on record" not in printed
    measured = kiln.tune.read_t4(tmp_path / "results.json")
    assert len(measured) == 2 and all(one["values"]["BY"] == one["values"]["TS"] for one in measured)
    assert run("64", "2") == f"on record\n{chosen.group()}\n"
