"""Importing the package, and what it loads."""
import subprocess
import sys

import pytest

import kiln


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_importing_loads_neither_opencl_nor_the_library():
    loaded = run("import kiln, numpy; print(open('/proc/self/maps').read())")
    assert "numpy" in loaded
    assert "OpenCL" not in loaded and "libkiln" not in loaded and "pocl" not in loaded


def test_drivers_come_with_the_first_use_of_a_device():
    loaded = run(
        "import kiln; rt = kiln.Runtime('cpu', store='off')\n"
        "before = 'pocl' in open('/proc/self/maps').read()\n"
        "rt.devices; print(before, 'pocl' in open('/proc/self/maps').read())"
    )
    assert loaded.split() == ["False", "True"]


def test_all_names_that_are_listed_are_there():
    for name in kiln.__all__:
        assert getattr(kiln, name) is not None, name
        assert name in dir(kiln)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Rumtime'"):
        kiln.Rumtime


def test_names_have_docstrings():
    for name in kiln.__all__:
        assert getattr(kiln, name).__doc__, name


def test_the_version_is_that_of_the_library():
    assert kiln.__version__ == kiln.version()
    assert kiln.version().count(".") == 2
