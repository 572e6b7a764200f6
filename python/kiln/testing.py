"""For tests of one's own kernels and specification files."""
import contextlib
import tempfile

import numpy as np

import kiln


@contextlib.contextmanager
def runtime(devices="cpu"):
    """A Runtime with an empty store of its own, which goes at the end: nothing of the user's is used.

    >>> from kiln import testing
    >>> with testing.runtime("cpu") as runtime:
    ...     runtime.store.entries()
    []
    """
    with tempfile.TemporaryDirectory(prefix="kiln-test-") as folder:
        made = kiln.Runtime(devices, store=folder)
        try:
            yield made
        finally:
            made.finish()


def assert_splits_equal(file, splits=(), devices="cpu/2", rtol=0.0, **symbols):
    """Every split of a specification file gives what one device computes, or is refused.

    splits: those to try; none: "0" to "10". Returns the verdicts.
    """
    with runtime(devices) as made:
        verdicts = made.verify(file, splits=list(splits), rtol=rtol, **symbols)
    wrong = [f"{one.split}: {one.reason}" for one in verdicts if one.outcome == "wrong"]
    if wrong:  # no `assert`, here and below: python -O leaves those out
        raise AssertionError(f"{file}: wrong with the split " + "; ".join(wrong))
    return verdicts


def assert_kernel(kernel, arguments, expected, rtol=1e-5, atol=0.0, **launch):
    """A kernel changes its arguments to what is expected, and writes nothing outside of them.

    arguments: as for a call; arrays are copied first. expected: by position, arrays. launch:
    global_size, local_size. Integers are compared exactly.

    >>> import numpy as np
    >>> from kiln import testing
    >>> source = "kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }"
    >>> with testing.runtime() as runtime:
    ...     twice = runtime.kernel(source, "twice")
    ...     testing.assert_kernel(twice, [np.array([1, 2], np.int32)], {0: [2, 4]}, global_size=2)
    """
    copies = [one.copy() if isinstance(one, np.ndarray) else one for one in arguments]
    kernel(*copies, check_bounds=True, **launch)
    for position, wanted in expected.items():
        found = np.asarray(copies[position])
        where = f"{kernel.name}, argument {position}"
        wanted = np.asarray(wanted)
        if found.shape != wanted.shape:
            raise AssertionError(f"{where}: shape {found.shape}, expected {wanted.shape}")
        if found.dtype.kind in "iub":
            np.testing.assert_array_equal(found, wanted, err_msg=where)
        else:
            np.testing.assert_allclose(found, wanted, rtol=rtol, atol=atol, err_msg=where)
