"""The examples in Python, as a user starts them; their results against what is known of them."""
import importlib.util
import pathlib
import re

import numpy as np
import pytest

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


def test_airfoil_comes_to_the_known_change(capsys):
    example("airfoil").main(20, 30, 100)
    found = float(re.search(r"rms ([\d.e+-]+)", capsys.readouterr().out).group(1))
    # That of the C++ program on the same mesh: kiln mesh naca0012 -I 20 -J 30; airfoil GRID 100.
    assert found == pytest.approx(2.07422e-04, rel=1e-5)


def test_poisson_converges_with_the_square_of_the_width(tmp_path):
    poisson = example("poisson")
    errors = [poisson.solve(n)[3] for n in (8, 16, 32)]
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(4, rel=0.1)


def test_poisson_draws_a_picture(tmp_path, capsys):
    pytest.importorskip("matplotlib", reason="python3-matplotlib is not installed")
    example("poisson").main("8", str(tmp_path / "u.png"))
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
    assert np.allclose(jac.main("12", "6"), u)


def test_all_specification_files_run(capsys):
    example("specs").main("cpu")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(list((EXAMPLES.parent / "specs").glob("*.json")))


def test_arrays_of_pyopencl_are_shared(capsys):
    pytest.importorskip("pyopencl", reason="python3-pyopencl is not installed")
    example("pyopencl_arrays").main()
    assert "the last one 131071" in capsys.readouterr().out
