"""kiln.blas.gemm beyond BLAS: elements of other kinds, batches, groups, what comes after; refusals."""
import os

import numpy as np
import pytest

import kiln
from conftest import DEVICE
from kiln import blas

SEED = int(os.environ.get("KILN_TEST_SEED", 0)) or int.from_bytes(os.urandom(4), "little")
UNIT = {"float16": 2.0**-11, "float32": 2.0**-24}


@pytest.fixture(scope="module")
def runtime():
    return kiln.Runtime(DEVICE)


@pytest.fixture
def rng(request):
    print(f"KILN_TEST_SEED={SEED}")
    return np.random.default_rng([SEED, *request.node.name.encode()])


def close(found, a, b, expected=None):
    """Within the bound of docs/products.md for products of a and b; `expected`: what was made of them."""
    wide, k = np.abs(a.astype("d")) @ np.abs(b.astype("d")), a.shape[-1]
    expected = a.astype("d") @ b.astype("d") if expected is None else expected
    bound = (k + 8) * UNIT["float32"] * (wide + 1) * 4 + np.abs(expected) * UNIT.get(found.dtype.name, 0) * 1.01
    assert found.shape == expected.shape
    assert np.all(np.abs(found.astype("d") - expected) <= bound), np.max(np.abs(found - expected))


def weights(rng, rows, k, group):
    """int4 elements as bytes, their scales, and what they mean."""
    numbers = rng.integers(-8, 8, (rows, k))
    packed = ((numbers[:, ::2] & 15) | (numbers[:, 1::2] & 15) << 4).astype("uint8")
    scales = rng.uniform(0.5, 2, (rows, -(-k // group))).astype("float16")
    return packed, scales, numbers * np.repeat(scales.astype("f"), group, axis=1)[:, :k]


@pytest.mark.parametrize("trans_a", "nt")
@pytest.mark.parametrize("trans_b", "nt")
def test_halves_make_halves_and_mix_with_floats(runtime, rng, trans_a, trans_b):
    a, b = rng.uniform(-1, 1, (13, 21)).astype("float16"), rng.uniform(-1, 1, (21, 9)).astype("float16")
    given_a, given_b = (a if trans_a == "n" else a.T.copy()), (b if trans_b == "n" else b.T.copy())
    options = {"trans_a": trans_a, "trans_b": trans_b, "runtime": runtime}
    c = blas.gemm(1, given_a, given_b, **options)
    assert c.dtype == np.float16
    close(c, a, b)
    c = blas.gemm(1, given_a, given_b.astype("f"), **options)
    assert c.dtype == np.float32
    close(c, a, b)
    close(blas.gemm(1, np.asfortranarray(given_a), given_b, **options), a, b)


def test_products_of_bytes_are_exact(runtime, rng):
    a, b = rng.integers(-128, 128, (14, 1000), "int8"), rng.integers(-128, 128, (1000, 11), "int8")
    c = blas.gemm(1, a, b, runtime=runtime)
    assert c.dtype == np.int32
    np.testing.assert_array_equal(c, a.astype("i") @ b.astype("i"))
    np.testing.assert_array_equal(blas.gemm(-2, a, b, 3, c.copy(), runtime=runtime), c)


def test_other_kinds_are_named(runtime, rng):
    a = rng.uniform(-1, 1, (6, 8)).astype("f")
    bits = (a.view("uint32") >> 16).astype("uint16")
    b = (bits.astype("uint32") << 16).view("f").T.copy()
    close(blas.gemm(1, bits, b, stored_a="bfloat16", runtime=runtime), b.T, b)
    # e4m3: sign, 4 bits of exponent with bias 7, 3 of fraction; 0x38 is 1, 0xC0 is -2.
    small = np.array([[0x38, 0xC0]], "uint8")
    ones = np.ones((2, 1), "f")
    assert blas.gemm(1, small, ones, stored_a="e4m3", runtime=runtime) == -1
    c = blas.gemm(1, small, ones, stored_a="e4m3", stored_c="bfloat16", runtime=runtime)
    assert c.dtype == np.uint16 and c == 0xBF80


@pytest.mark.parametrize("columns", [1, 3])
def test_weights_in_groups_have_their_scales(runtime, rng, columns):
    packed, scales, meant = weights(rng, 10, 192, 64)
    x = rng.uniform(-1, 1, (192, columns)).astype("f")
    close(blas.gemm(1, packed, x, stored_a="int4", group_a=64, scale_a=scales, runtime=runtime), meant, x)
    # The same as the second factor, by its transpose; a part of its rows.
    y = blas.gemm(
        1, x.T.copy(), packed[2:], stored_b="int4", group_b=64, scale_b=scales[2:], trans_b="t", runtime=runtime
    )
    close(y, x.T, meant[2:].T)


def test_results_go_through_what_comes_after(runtime, rng):
    a, b = rng.uniform(-1, 1, (13, 7)).astype("f"), rng.uniform(-1, 1, (7, 13)).astype("f")
    row, column = rng.uniform(-1, 1, (13, 1)).astype("f"), rng.uniform(-1, 1, 13).astype("float16")
    skip = rng.uniform(-1, 1, (13, 13)).astype("float16")
    product = a.astype("d") @ b.astype("d")
    silu = lambda x: x / (1 + np.exp(-x))
    for options, expected in [
        ({"bias": column}, product + column),
        ({"bias": row, "activation": "relu"}, np.maximum(product + row, 0)),
        ({"scale": row, "bias": column, "residual": skip}, product * row + column + skip),
        ({"scale": column, "activation": "silu", "residual": skip}, silu(product * column) + skip),
    ]:
        close(blas.gemm(1, a, b, **options, runtime=runtime), a, b, expected)
        close(blas.gemm(1, a, b, 0, np.zeros((13, 13), "f"), **options, runtime=runtime), a, b, expected)
    doubles = blas.gemm(1, a.astype("d"), b.astype("d"), bias=row.astype("d"), activation="relu", runtime=runtime)
    np.testing.assert_allclose(doubles, np.maximum(product + row, 0), rtol=0, atol=1e-13)


@pytest.mark.parametrize("letter", "fdFD")
def test_a_first_axis_is_a_batch(runtime, rng, letter):
    a, b = rng.uniform(-1, 1, (5, 6, 4)).astype(letter), rng.uniform(-1, 1, (5, 4, 3)).astype(letter)
    tolerance = {"rtol": 0, "atol": 1e-5}
    for left, right in [(a, b), (a[1], b), (a, b[2]), (a[::2], b[:3]), (np.swapaxes(np.swapaxes(a, 1, 2).copy(), 1, 2), b)]:
        c = blas.gemm(1, left, right, runtime=runtime)
        np.testing.assert_allclose(c, left @ right, **tolerance)
        again = blas.gemm(2, left, right, -1, c.copy(), runtime=runtime)
        np.testing.assert_allclose(again, left @ right, **tolerance)


def test_arrays_of_kiln_and_plans_take_them(runtime, rng):
    host = rng.uniform(-1, 1, (3, 6, 6)).astype("float16")
    a, b = runtime.array(host), runtime.array(host[::-1].copy())
    c = blas.gemm(1, a, b, runtime=runtime)
    close(np.asarray(c), host, host[::-1])
    plan = blas.plan(blas.gemm, 1, a, b, 0, c, runtime=runtime)
    plan(1, b, a, 0, c)
    close(np.asarray(c), host[::-1], host)
    assert "half" in str(plan) or plan.workspace_bytes >= 0
    with pytest.raises(kiln.BadInputError, match="does not fit the plan"):
        plan(1, b, a, 0, c, activation="relu")


def test_rows_have_the_same_bits_in_any_batch(runtime, rng):
    a, b = rng.uniform(-1, 1, (20, 300)).astype("f"), rng.uniform(-1, 1, (300, 17)).astype("f")
    whole = blas.gemm(1, a, b, invariant=True, runtime=runtime)
    for rows in (1, 3, 20):
        part = blas.gemm(1, a[:rows], b, invariant=True, runtime=runtime)
        assert part.tobytes() == whole[:rows].tobytes()


@pytest.mark.parametrize("type", ["float32", "float64", "complex64", "complex128"])
def test_items_of_a_batch_have_the_bits_of_a_product_alone(runtime, rng, type):
    is_complex = np.dtype(type).kind == "c"
    if is_complex and runtime.devices[0].type.name != "CPU":
        pytest.skip("the order of the result counts for complex numbers on GPUs")

    def some(*shape):
        values = rng.uniform(-1, 1, shape) + (1j * rng.uniform(-1, 1, shape) if is_complex else 0)
        return values.astype(type)

    a, b = some(3, 20, 300), some(300, 17)
    batch = blas.gemm(1, a, b, invariant=True, runtime=runtime)
    for item, one in enumerate(a):
        for rows in (1, 3, 20):
            for order in "CF":
                c = np.empty((rows, 17), type, order=order)
                left = np.array(one[:rows], order=order)
                blas.gemm(1, left, b, 0, c, invariant=True, runtime=runtime)
                assert c.tobytes("C") == batch[item, :rows].tobytes("C")


def test_doubles_go_by_way_of_bytes(runtime, rng):
    a, b = rng.uniform(-1, 1, (24, 40)), rng.uniform(-1, 1, (40, 24))
    steps = blas.explain(blas.gemm, 1, a, b, emulated=True, runtime=runtime).steps
    assert any("emulated" in step["family"] for step in steps)
    np.testing.assert_allclose(blas.gemm(1, a, b, emulated=True, runtime=runtime), a @ b, rtol=0, atol=1e-14)


def test_an_emulated_product_is_not_invariant(runtime, rng):
    a = rng.uniform(-1, 1, (8, 8))
    for call in (blas.gemm, lambda *args, **given: blas.plan(blas.gemm, *args, **given)):
        with pytest.raises(kiln.BadInputError, match="gemm: found invariant and emulated, expected one of them"):
            call(1, a, a, 0, np.zeros((8, 8)), invariant=True, emulated=True, runtime=runtime)


def test_what_does_not_fit_is_refused(runtime):
    half, single, double = np.zeros((4, 4), "float16"), np.zeros((4, 4), "f"), np.zeros((4, 4))
    byte, batch = np.zeros((4, 4), "uint8"), np.zeros((3, 4, 4), "f")
    for call, text in [
        (lambda: blas.gemm(1, half, double), "gemm: b: found dtype float64, expected float16"),
        (lambda: blas.gemm(1, double, double, bias=half[0]), "gemm: bias: found dtype float16, expected float64 as a has"),
        (lambda: blas.gemm(1, double.astype("i"), single), "gemm: a: found dtype int32, expected float16"),
        (lambda: blas.gemm(1, single, single, 0, double), "gemm: c: found dtype float64, expected float16, float32"),
        (lambda: blas.gemm(1, double, half), "gemm: b: found dtype float16, expected float64 as a has"),
        (lambda: blas.gemm(1, byte, single), "gemm: a: found dtype uint8, expected float16"),
        (lambda: blas.gemm(1, byte, single, stored_a="half"), "gemm: a: found dtype uint8, expected float16 for elements"),
        (lambda: blas.gemm(1, byte, single, stored_a="q4"), "gemm: a: found kind 'q4', expected one of 'bfloat16'"),
        (lambda: blas.gemm(1, byte, single, stored_a=["half"]), "gemm: stored_a: found ['half'], expected the name of"),
        (lambda: blas.gemm(1, single, byte, stored_b=4), "gemm: stored_b: found 4, expected the name of a kind"),
        (lambda: blas.gemm(1, single, single, stored_c={}), "gemm: stored_c: found {}, expected the name of a kind"),
        (lambda: blas.gemm(1, byte.T, single, stored_a="int4"), "gemm: a: found strides (1, 4), expected contiguous rows"),
        (lambda: blas.gemm(1, single, single, stored_c="int4"), "gemm: stored_c: found 'int4', expected a kind"),
        (lambda: blas.gemm(1, batch, batch[:2]), "gemm: b: found 2 items, expected 3, as a has"),
        (lambda: blas.gemm(1, batch, single, 0, single.copy()), "gemm: c: found shape (4, 4), expected (3, 4, 4)"),
        (lambda: blas.gemm(1, single, single, bias=single), "gemm: bias: found shape (4, 4), expected (4,), one for each"),
        (lambda: blas.gemm(1, single, single, activation="tanh"), "gemm: activation: found 'tanh', expected one of 'none'"),
        (lambda: blas.gemm(1, single, single, residual=batch[0, :2]), "gemm: residual: found shape (2, 4), expected (4, 4)"),
        (lambda: blas.gemm(1, single, single, group_a=2), "gemm: group_a: found 2, expected the elements of a group"),
        (lambda: blas.gemm(1, single, single, group_a=0, scale_a=half), "gemm: group_a: found 0, expected the elements"),
        (lambda: blas.gemm(1, single, single, group_a=2, scale_a=half), "gemm: scale_a: found shape (4, 4), expected (4, 2)"),
        (lambda: blas.gemm(1, single, single, group_a=1, scale_a=single), "gemm: scale_a: found dtype float32, expected float16"),
    ]:
        with pytest.raises(kiln.BadInputError) as refused:
            call()
        assert str(refused.value).startswith(text)
