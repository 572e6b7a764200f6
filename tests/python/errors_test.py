"""Exceptions: by class, by built-in class, with the command's line as text."""
import builtins

import numpy as np
import pytest

import kiln
from conftest import SAXPY

BUILT_IN = {
    "bad_input": ValueError,
    "not_found": FileNotFoundError,
    "io": OSError,
    "corrupt": ValueError,
    "unsupported": NotImplementedError,
    "refused": RuntimeError,
    "build": RuntimeError,
    "device": RuntimeError,
    "timeout": builtins.TimeoutError,
    "internal": RuntimeError,
}


def test_each_code_has_a_class_that_is_also_the_built_in_one():
    assert set(kiln.errors.BY_CODE) == set(BUILT_IN)
    for code, error in kiln.errors.BY_CODE.items():
        assert error.code == code
        assert issubclass(error, kiln.Error) and issubclass(error, BUILT_IN[code])
        assert str(error("text")) == "text"


def test_a_missing_file_is_not_found(runtime):
    with pytest.raises(kiln.NotFoundError, match="no_such.json"):
        runtime.run("no_such.json")


def test_an_unknown_device_is_not_found():
    with pytest.raises(kiln.Error) as found:
        kiln.Runtime("~no such device", store="off").devices
    assert found.value.code == "not_found"
    assert "\n" not in str(found.value)


def test_a_kernel_that_does_not_compile_has_the_log(runtime):
    kernel = runtime.kernel("kernel void f(global int *a) { a[0] = undeclared; }", "f")
    with pytest.raises(kiln.BuildError) as found:
        kernel(np.zeros(4, np.int32), global_size=4)
    assert "undeclared" in found.value.log
    assert "does not compile" in str(found.value).splitlines()[0]


def test_wrong_arguments_are_named_by_their_position(saxpy, xy):
    x, y, _ = xy
    for arguments, text in [
        ((x, y), "takes 3 arguments; 2 are given"),
        ((x, y, "2"), "argument 2: found str"),
        ((x, y[::2], 2.0), "argument 1: found an array that is not contiguous"),
        ((x, y, 2.0, 3.0), "takes 3 arguments; 4 are given"),
        ((x, y, np.float64(2)), "argument 2 of kernel saxpy: double is given; the kernel takes float a"),
        ((x, y, np.int32(2)), "argument 2 .* int is given"),
        ((x.astype(float), y, 2.0), r"argument 0 .* double is given; the kernel takes float \*x"),
        ((x, y.astype(np.int32), 2.0), "argument 1 .* int is given"),
        ((x, y, 1e60), "argument 2 .* the number 1e\\+60 is given"),
        ((x, y, True), "argument 2: found a bool"),
        ((x, y[:0], 2.0), "argument 1: found an array without elements"),
        ((x, kiln.Out(3), 2.0), "argument 1: found int in kiln.In"),
        ((x, x, 2.0), "arguments 0 and 1 share memory"),
        ((x, y, 2**70), "argument 2: found an integer of more than 64 bits"),
        ((x.astype(">f4"), y, 2.0), "another byte order"),
        ((np.array([None] * 4096), y, 2.0), "expected numbers or structures"),
    ]:
        with pytest.raises(kiln.BadInputError, match=text):
            saxpy(*arguments, global_size=4096)


def test_a_kernel_that_is_not_there_is_said_to_be_none(runtime, xy):
    with pytest.raises(kiln.BadInputError, match="no kernel 'saxy'.*saxpy"):
        runtime.kernel(SAXPY, "saxy")(*xy[:2], 2.0, global_size=4096)


@pytest.mark.parametrize("call, text", [
    (lambda rt: kiln.Runtime(3), "Runtime(): devices: found 3, expected a str or None"),
    (lambda rt: kiln.Runtime("cpu", storage="off"), "Runtime(): unexpected keyword argument 'storage', expected one of devices, store, context, queues"),
    (lambda rt: kiln.Runtime("cpu", "off"), "Runtime(): found 2 arguments by their place, expected 1 at most"),
    (lambda rt: rt.kernel(SAXPY), "Runtime.kernel(): missing argument 'name', expected a str"),
    (lambda rt: rt.kernel(SAXPY, "saxpy", macros=["A"]), "Runtime.kernel(): macros: found an object of type list, expected a dict"),
    (lambda rt: rt.kernel(SAXPY, "saxpy", options=[np.zeros(999)]), "Runtime.kernel(): options: found an object of type list, expected a sequence of str"),
    (lambda rt: rt.kernel(SAXPY, "saxpy", name="k"), "Runtime.kernel(): name: found two values, expected one"),
    (lambda rt: rt.run(np.zeros(999)), "Runtime.run(): file: found an object of type ndarray, expected a path"),
    (lambda rt: rt.run("a.json", seed="x"), "Runtime.run(): seed: found 'x', expected an int"),
    (lambda rt: rt.verify(), "Runtime.verify(): missing argument 'file', expected a path"),
    (lambda rt: rt.array(), "Runtime.array(): missing argument 'values', expected one"),
    (lambda rt: rt.zeros("a"), "Runtime.zeros(): shape: found 'a', expected an int or a sequence of them"),
    (lambda rt: kiln.Array(4), "Array(): an Array is of a Runtime, expected Runtime.array(), zeros(), wrap() or from_dlpack()"),
    (lambda rt: kiln.check(3), "check(): file: found 3, expected a path"),
    (lambda rt: rt.kernel(SAXPY, "saxpy")(global_size="4"), "kernel saxpy: global_size: found '4', expected a positive int or up to three of them"),
])
def test_arguments_that_do_not_fit_are_told_in_a_line(runtime, call, text):
    with pytest.raises(TypeError) as found:
        call(runtime)
    assert str(found.value) == text


def test_functions_still_say_what_they_take():
    assert kiln.Runtime.kernel.__name__ == "kernel"
    for function in (kiln.Runtime.__init__, kiln.Runtime.kernel, kiln.Runtime.run, kiln.check):
        assert function.__doc__.startswith(f"{function.__name__}(") and "->" in function.__doc__.splitlines()[0]


def test_wrong_keywords_are_type_errors(saxpy, xy):
    x, y, _ = xy
    with pytest.raises(TypeError, match="missing keyword argument 'global_size'"):
        saxpy(x, y, 2.0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'globalsize'"):
        saxpy(x, y, 2.0, globalsize=4)
    with pytest.raises(TypeError, match="local_size"):
        saxpy(x, y, 2.0, global_size=4, local_size="large")
    with pytest.raises(kiln.BadInputError, match="does not divide"):
        saxpy(x, y, 2.0, global_size=4096, local_size=1000)
