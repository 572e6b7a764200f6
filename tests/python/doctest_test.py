"""The examples in docstrings, of Python's modules and of the extension modules, run as they stand."""
import doctest
import importlib
import pkgutil

import pytest

import kiln


def modules():
    yield kiln
    for module in pkgutil.walk_packages(kiln.__path__, "kiln."):
        yield importlib.import_module(module.name)


FOUND = {}
for _module in modules():
    for _test in doctest.DocTestFinder(exclude_empty=True).find(_module):
        if _test.examples:
            FOUND.setdefault(_test.name, _test)


@pytest.mark.parametrize("name", sorted(FOUND))
def test_examples_give_what_they_say(name):
    output = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    result = runner.run(FOUND[name], out=output.append)
    assert result.failed == 0 and result.attempted > 0, "".join(output)


def test_classes_of_both_kinds_have_examples():
    wanted = {"kiln._kiln.Kernel", "kiln.op2", "kiln.op2.data.Dat", "kiln.op2.loops.par_loop", "kiln.testing.runtime"}
    assert wanted <= set(FOUND)
