"""kiln.testing, and how results look in notebooks."""
import ast
import pathlib
import xml.etree.ElementTree as xml

import numpy as np
import pytest

import kiln
from kiln import testing

SPECS = pathlib.Path(__file__).parents[2] / "examples" / "specs"


def test_splits_that_are_equal_pass():
    verdicts = testing.assert_splits_equal(SPECS / "saxpy.json", splits=["5"], dataset=256)
    assert [verdict.outcome for verdict in verdicts] == ["equal"]


def test_a_runtime_for_tests_leaves_nothing_behind():
    with testing.runtime() as runtime:
        folder = pathlib.Path(runtime.store.folder)
        runtime.run(SPECS / "saxpy.json", dataset=64)
        assert runtime.store.entries()
    assert not folder.exists()


def test_kernels_are_held_against_what_is_expected(saxpy):
    x, y = np.arange(64, dtype=np.float32), np.ones(64, np.float32)
    testing.assert_kernel(saxpy, [x, y, 2.0], {1: 1 + 2 * x}, global_size=64)
    assert (y == 1).all()
    with pytest.raises(AssertionError, match="saxpy, argument 1"):
        testing.assert_kernel(saxpy, [x, y, 2.0], {1: 2 * x}, global_size=64)
    with pytest.raises(AssertionError, match="shape"):
        testing.assert_kernel(saxpy, [x, y, 2.0], {1: x[:3]}, global_size=64)


def test_a_kernel_that_writes_outside_does_not_pass(runtime):
    kernel = runtime.kernel("kernel void k(global int *a) { a[get_global_id(0) + 1] = 1; }", "k")
    with pytest.raises(kiln.DeviceError):
        testing.assert_kernel(kernel, [np.zeros(8, np.int32)], {}, global_size=8)


def test_checks_stay_under_python_O():
    for file in pathlib.Path(kiln.__file__).parent.rglob("*.py"):
        nodes = ast.walk(ast.parse(file.read_text()))
        assert not [one.lineno for one in nodes if isinstance(one, ast.Assert)], file


def well_formed(text):
    return xml.fromstring(f"<div>{text}</div>")


def test_devices_are_a_table():
    devices = kiln.devices()
    page = well_formed(devices._repr_html_())
    assert len(page.findall(".//tbody/tr")) == len(devices) and devices[0].name in devices._repr_html_()
    assert devices[0].name in devices[0]._repr_html_()


def test_runs_are_bars_and_tables(runtime):
    two = kiln.Runtime("cpu/2", store=runtime.store.folder)
    result = two.run(SPECS / "saxpy.json", dataset=4096, partition="5")
    page = well_formed(result._repr_html_())
    assert len(page.findall(".//svg/rect")) == 2 * len(result.summary.shares)
    assert "saxpy.json" in "".join(page.itertext())
    assert well_formed(result.summary._repr_html_()) is not None
