"""kiln.blas: every routine, type, kind of array, layout and stride against NumPy; plans; refusals."""
import os

import numpy as np
import pytest

import kiln
from blas_cases import ROUTINES, Cases
from conftest import DEVICE, IS_LONG, SAXPY
from kiln import blas

ROUNDS = 2
TOLERANCE = {"f": 2e-5, "d": 2e-13, "F": 2e-5, "D": 2e-13}
SEED = int(os.environ.get("KILN_TEST_SEED", 0)) or int.from_bytes(os.urandom(4), "little")


@pytest.fixture(scope="module")
def runtime():
    """With the store of the environment: these are many programs, the same in each run of the tests."""
    return kiln.Runtime(DEVICE)


def generator(*of):
    """Random numbers of a seed that a failed test shows; KILN_TEST_SEED repeats it."""
    print(f"KILN_TEST_SEED={SEED}", *of)
    return np.random.default_rng([SEED, *"".join(map(str, of)).encode()])


def cases(name, rounds=1):
    """Random calls of a routine, with all its types, or without KILN_LONG half of them, which change from routine
    to routine. Their first ones are the same for all kinds of arrays."""
    types, case = ROUTINES[name]
    if not IS_LONG:
        number = list(ROUTINES).index(name)
        types = ("fD", "dF")[number % 2] if len(types) == 4 else types[number // 2 % len(types)]
    for letter in types:
        for index in range(rounds):
            yield letter, case, Cases(generator(name, letter, index), letter)


@pytest.fixture
def rng(request):
    return generator(request.node.name)


def whole(view):
    """The array that a view is a part of."""
    while view.base is not None:
        view = view.base
    return view


def close(found, expected, letter):
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape
    scale = np.max(np.abs(expected), initial=1) * max(expected.size, 1) ** 0.5
    if letter in "fF" and found.dtype.kind in "fc":
        expected = expected.astype(found.dtype)
    assert np.allclose(found, expected, rtol=0, atol=TOLERANCE[letter] * scale), np.max(np.abs(found - expected))


def results_of(value):
    return value if isinstance(value, tuple) else (value,)


@pytest.mark.parametrize("name", ROUTINES)
def test_numpy_arrays_of_any_layout_are_changed_in_place_and_nothing_else_is(runtime, name):
    for letter, case, g in cases(name, ROUNDS):
        function, arguments, keywords, expected = case(g)
        arrays = [one for one in arguments if isinstance(one, np.ndarray)]
        before = [whole(one).copy() for one in arrays]
        print(letter, keywords, [(one.shape, one.strides) if isinstance(one, np.ndarray) else one for one in arguments])
        results = results_of(function(*arguments, **keywords, runtime=runtime))
        for result, values in zip(results, expected):
            close(result, values, letter)
        for array, parent in zip(arrays, before):
            for result in results:
                if result is array:
                    # What lies around the view is as it was.
                    inside = np.zeros(parent.shape, bool)
                    np.lib.stride_tricks.as_strided(
                        inside.reshape(-1)[_offset(array) :],
                        array.shape,
                        [stride // array.itemsize for stride in array.strides],
                    )[...] = True
                    assert np.array_equal(whole(array)[~inside], parent[~inside], equal_nan=True)
                    break
            else:
                assert np.array_equal(whole(array), parent, equal_nan=True)


def _offset(view):
    """Elements from the beginning of the whole array to the first one of a view."""
    start = view.__array_interface__["data"][0] - whole(view).__array_interface__["data"][0]
    return start // view.itemsize


@pytest.mark.parametrize("name", ROUTINES)
def test_kiln_arrays_are_taken_on_the_device(runtime, name):
    for letter, case, g in cases(name):
        g.order = "C"
        function, arguments, keywords, expected = case(g)
        given = [runtime.array(one) if isinstance(one, np.ndarray) else one for one in arguments]
        results = results_of(function(*given, **keywords))
        for result, values in zip(results, expected):
            assert isinstance(result, kiln.Array)
            close(result.read() - (name == "iamax"), values, letter)


@pytest.mark.parametrize("name", ROUTINES)
def test_arrays_of_pyopencl_are_taken_where_they_are(runtime, name):
    cl = pytest.importorskip("pyopencl", reason="python3-pyopencl is not installed")
    cl_array = pytest.importorskip("pyopencl.array")
    device = cl.Device.from_int_ptr(runtime.devices[0].int_ptr)
    queue = cl.CommandQueue(cl.Context([device]), device)
    shared = kiln.Runtime(queues=[queue], store=runtime.store.folder)
    for letter, case, g in cases(name):
        function, arguments, keywords, expected = case(g)
        given = [
            cl_array.to_device(queue, np.copy(one, "K")) if isinstance(one, np.ndarray) else one for one in arguments
        ]
        print(letter, keywords, [getattr(one, "strides", one) for one in given])
        results = results_of(function(*given, **keywords, runtime=shared))
        for result, values in zip(results, expected):
            assert isinstance(result, cl_array.Array) and result.events
            close(result.get() - (name == "iamax"), values, letter)


@pytest.mark.parametrize("letter", "fdFD")
def test_rotations_of_numbers_and_of_memory(runtime, letter):
    a, b = np.array([3], letter), np.array([4j if letter in "FD" else 4], letter)
    r, z, c, s = blas.rotg(a[0], b[0], runtime=runtime)
    turned = np.array([[c, s], [-np.conj(s), c]]) @ np.array([a[0], b[0]])
    close(turned, [r, 0], letter)
    assert abs(r) == pytest.approx(5) and c == pytest.approx(0.6)
    in_place = blas.rotg(a, b, runtime=runtime)
    assert in_place[0] is a and a[0] == r and in_place[2].dtype.kind == "f"
    on_device = blas.rotg(*(runtime.array(np.array([one], letter)) for one in (3, 4)))
    assert float(abs(on_device[0].read()[0])) == pytest.approx(5)


@pytest.mark.parametrize("letter", "fd")
def test_modified_rotations_annihilate_the_second_coordinate(runtime, letter):
    given = [np.dtype(letter).type(one) for one in (2, 3, 1.5, -2.5)]
    d1, d2, x1, y1, param = blas.rotmg(*given, runtime=runtime)
    assert y1 == given[3]
    assert d1 * x1**2 == pytest.approx(given[0] * given[2] ** 2 + given[1] * given[3] ** 2, rel=1e-5)
    x, y = np.array([given[2]], letter), np.array([given[3]], letter)
    blas.rotm(x, y, param, runtime=runtime)
    assert x[0] == pytest.approx(x1, rel=1e-5) and y[0] == pytest.approx(0, abs=1e-5)


def test_results_that_are_not_given_are_made(runtime, rng):
    g = Cases(rng, "f")
    a, b, x = g.values(5, 7), g.values(7, 3), g.values(7)
    for make in (np.asarray, runtime.array):
        kind = np.ndarray if make is np.asarray else kiln.Array
        found = blas.gemm(2, make(a), make(b), 9, runtime=runtime)
        assert type(found) is kind and np.allclose(found, 2 * a @ b)
        assert np.allclose(blas.gemv(1, make(a), make(x), runtime=runtime), a @ x)
        assert np.allclose(blas.ger(1, make(x), make(x), runtime=runtime), np.outer(x, x))
        assert np.allclose(blas.syrk(1, make(a), uplo="l", runtime=runtime), np.tril(a @ a.T))
        assert np.allclose(blas.spr(1, make(x), runtime=runtime), np.outer(x, x)[np.triu_indices(7)])
        assert np.array_equal(blas.copy(make(a), runtime=runtime), a)
    assert blas.gemm(1, a.T, b, trans_a="t", runtime=runtime).flags.c_contiguous


def test_an_array_in_betas_place_is_refused(runtime):
    a, x = np.eye(2), np.ones(2)
    with pytest.raises(kiln.BadInputError, match="gemm: beta: found array"):
        blas.gemm(1.0, a, a, a.copy(), runtime=runtime)
    with pytest.raises(kiln.BadInputError, match="gemv: beta: found array"):
        blas.gemv(1.0, a, x, x.copy(), runtime=runtime)


def test_results_that_cannot_be_in_c_order_are_in_fortran_order(runtime, rng):
    g = Cases(rng, "F")
    a, b = np.asfortranarray(g.values(5, 4)), np.asfortranarray(g.values(5, 6))
    found = blas.gemm(1, a, b, trans_a="c", runtime=runtime)
    assert found.flags.f_contiguous and np.allclose(found, a.conj().T @ b)
    assert np.allclose(np.triu(blas.herk(1, a, runtime=runtime)), np.triu(a @ a.conj().T))


def test_reductions_go_into_memory_that_is_given(runtime, rng):
    g = Cases(rng, "F")
    x = g.values(100)
    for function, letter, expected in [
        (blas.dotc, "F", np.vdot(x, x)),
        (blas.nrm2, "f", np.linalg.norm(x)),
        (blas.iamax, "I", np.argmax(abs(x.real) + abs(x.imag)) + 1),
    ]:
        arguments = (x, x) if function is blas.dotc else (x,)
        out = np.zeros((), letter)
        assert function(*arguments, out, runtime=runtime) is out and np.allclose(out, expected)
        ours = function(*map(runtime.array, arguments))
        assert ours.shape == () and ours.dtype == letter and np.allclose(ours.read(), expected)
        with pytest.raises(kiln.BadInputError, match="out: found dtype int8, expected"):
            function(*arguments, np.zeros(1, np.int8), runtime=runtime)


def test_real_factors_multiply_no_imaginary_part(runtime):
    x = np.array([complex(1, np.inf)], "F")
    blas.scal(2.0, x, runtime=runtime)
    assert x[0] == complex(2, np.inf)


def test_arrays_of_several_axes_are_vectors_of_their_elements(runtime, rng):
    x = Cases(rng, "d").values(3, 4, 5)
    assert blas.asum(x, runtime=runtime) == pytest.approx(np.abs(x).sum())
    y = np.ones_like(x)
    assert blas.axpy(2.0, x, y, runtime=runtime) is y and np.array_equal(y, 2 * x + 1)
    with pytest.raises(kiln.BadInputError, match=r"axpy: x: found strides \(20, 1, 5\)"):
        blas.axpy(2.0, x.transpose(0, 2, 1), y.transpose(0, 2, 1), runtime=runtime)


def test_columns_of_one_matrix_change_places(runtime):
    a = np.arange(12, dtype=np.float32).reshape(4, 3)
    blas.swap(a[:, 0], a[:, 2], runtime=runtime)
    assert a.tolist() == [[2, 1, 0], [5, 4, 3], [8, 7, 6], [11, 10, 9]]


def test_memory_may_begin_anywhere(runtime, rng):
    g = Cases(rng, "D")
    for shift in (0, 8, 16, 40, 64):
        raw = np.zeros(16 * 6 + 128, np.uint8)
        x = raw[shift : shift + 96].view("D")
        x[:] = g.values(6)
        expected = x * 2j
        blas.scal(2j, x, runtime=runtime)
        assert np.allclose(x, expected) and not raw[:shift].any() and not raw[shift + 96 :].any()


def test_calls_on_arrays_follow_one_another_with_kernels_and_the_host(runtime, rng):
    a, b = Cases(rng, "f").values(64), Cases(rng, "f").values(64)
    x, y = runtime.array(a), runtime.array(b)
    saxpy = runtime.kernel(SAXPY, "saxpy")
    for round in range(1, 4):
        blas.axpy(1.0, x, y)
        saxpy.enqueue(x, y, 1.0, global_size=64)
        blas.scal(2.0, y)
        b = (b + 2 * a) * 2
        y.write()[0] += 1
        b[0] += 1
        assert np.allclose(y.read(), b), round


def test_a_call_waits_for_the_events_it_was_given(runtime, rng):
    x, y = (runtime.array(Cases(rng, "f").values(64)) for _ in range(2))
    event = runtime.kernel(SAXPY, "saxpy").enqueue(x, y, 1.0, global_size=64)
    before = x.read() + 0
    assert np.allclose(blas.scal(3.0, x, after=[event]).read(), 3 * before)
    numbers = np.ones(3, "f")
    assert blas.scal(3.0, numbers, after=[event], runtime=runtime).tolist() == [3, 3, 3]


def test_a_plan_runs_its_call_again_and_others_of_the_same_shape(runtime, rng):
    g = Cases(rng, "f")
    a, b = g.values(20, 30), g.values(30, 10)
    c = np.zeros((20, 10), "f")
    plan = blas.plan(blas.gemm, 1.0, a, b, 0.0, c, runtime=runtime)
    assert not c.any() and plan.workspace_bytes >= 0
    assert plan() is c and np.allclose(c, a @ b)
    a[:] = 1
    assert np.allclose(plan(), a @ b)
    other = np.ones_like(c)
    assert plan(2.0, a, b, 1.0, other) is other and np.allclose(other, 2 * a @ b + 1)
    with pytest.raises(kiln.BadInputError, match="does not fit the plan: k is 29, the plan's is 30"):
        plan(1.0, a[:, :29], b[:29], 0.0, c)
    ours = blas.plan(blas.dot, *map(runtime.array, (a, a)))
    assert np.allclose(ours().read(), (a * a).sum())


def test_an_explanation_names_the_kernels(runtime, rng):
    g = Cases(rng, "d")
    a = g.values(20, 20)
    sequence = blas.explain(blas.gemm, 1.0, a, a, runtime=runtime)
    assert {"kernel", "family", "device", "parameters", "key", "found_in"} <= sequence.steps[-1].keys()
    assert sequence.steps[-1]["family"] == "blas.gemm" and "product" in str(sequence)
    assert sequence.to_dict()["workspace_bytes"] == sequence.workspace_bytes
    with pytest.raises(TypeError, match="expected a routine of kiln.blas"):
        blas.explain(np.dot, a, a)


def refusal(call):
    with pytest.raises(kiln.BadInputError) as found:
        call()
    assert "\n" not in str(found.value)
    return str(found.value)


def test_what_does_not_fit_is_refused_by_its_name(runtime):
    a, b, x = np.zeros((3, 4), "f"), np.zeros((4, 5), "f"), np.zeros(4, "f")
    square = np.zeros((4, 4), "F")
    frozen = np.zeros((3, 5), "f")
    frozen.flags.writeable = False
    for call, text in [
        (lambda: blas.gemm(1, a, a), "gemm: b: found shape (3, 4), expected (4, any): op(a) has 4 columns"),
        (lambda: blas.gemm(1, a, b, 0, x), "gemm: c: found shape (4,), expected a matrix: two axes, or three with the items of a batch first"),
        (lambda: blas.gemm(1, a, b, 0, b), "gemm: c: found shape (4, 5), expected (3, 5): rows of op(a), columns of op(b)"),
        (lambda: blas.gemm(1, a, b.astype("d")), "gemm: b: found dtype float64, expected float16, float32 or int8, or a kind that stored_a and its likes name"),
        (lambda: blas.gemm(1, a, runtime.array(b)), "gemm: b: found a kiln.Array, expected a NumPy array as a is"),
        (lambda: blas.gemm(1, a.astype("i"), b), "gemm: a: found dtype int32, expected float16, float32, float64, complex64, complex128 or int8, or a kind that stored_a and its likes name"),
        (lambda: blas.gemm(1, a.astype(">f4"), b), "gemm: a: found elements in another byte order (>f4), expected those of this machine"),
        (lambda: blas.gemm(1, a, b, 0, frozen), "gemm: c: found a read-only array, expected one that may be written"),
        (lambda: blas.gemm(1j, a, b), "gemm: alpha: found 1j, expected a number without an imaginary part"),
        (lambda: blas.gemm("1", a, b), "gemm: alpha: found '1', expected a number"),
        (lambda: blas.gemm(1, a, b, trans_a="x"), "gemm: trans_a: found 'x', expected one of 'n', 't', 'c'"),
        (lambda: blas.gemm(1, a, b, order="K"), "gemm: order: found 'K', expected 'C', 'F' or None"),
        (lambda: blas.gemm(1, a[:, ::2], b), "gemm: a: found strides (4, 2), expected contiguous rows or columns (numpy.ascontiguousarray makes them so)"),
        (lambda: blas.gemm(1, a[:0], b), "gemm: a: found shape (0, 4), expected one element at least"),
        (lambda: blas.gemm(1, [[1.0]], b), "gemm: a: found list, expected an array of NumPy, kiln or pyopencl"),
        (lambda: blas.gemv(1, a, x[:3]), "gemv: x: found shape (3,), expected (4,): op(a)'s columns"),
        (lambda: blas.axpy(1, x, x[:3]), "axpy: y: found shape (3,), expected (4,) as x has"),
        (lambda: blas.axpy(1, np.broadcast_to(x[:1], 4), x), "axpy: x: found stride 0, expected elements of their own"),
        (lambda: blas.iamax(x[::-1]), "iamax: x: found stride -1, expected a positive one"),
        (lambda: blas.symv(1, a, x), "symv: a: found shape (3, 4), expected as many rows as columns"),
        (lambda: blas.symv(1, square, square[0]), "symv: a: found dtype complex64, expected float32 or float64"),
        (lambda: blas.hemv(1, b[:, :4], x), "hemv: a: found dtype float32, expected complex64 or complex128"),
        (lambda: blas.spmv(1, x, x), "spmv: a: found shape (4,) and strides (1,), expected a packed triangle: n (n + 1) / 2 contiguous elements"),
        (lambda: blas.trsm(1, b[:, :4], a), "trsm: a: found shape (4, 4), expected (3, 3): b has 3 rows"),
        (lambda: blas.gbmv(1, a, x, kl=2, ku=2), "gbmv: a: found shape (3, 4) with kl=2 and ku=2, expected kl + ku + 1 at most 4"),
        (lambda: blas.hemm(1, square, np.asfortranarray(np.zeros((4, 2), "F")), 0, np.zeros((4, 2), "F")),
         "hemm: b: found strides (1, 4), expected contiguous rows, for which the order of this call is \"C\""),
        (lambda: blas.herk(1j, square), "herk: alpha: found 1j, expected a number without an imaginary part"),
        (lambda: blas.herk(1, square, trans_a="t"), "cherk: BLAS does not define this combination of options"),
    ]:
        assert refusal(lambda: call()) == text


@pytest.mark.parametrize(
    "name, letters, others",
    [
        ("side", "lr", ("left", "lll", "x", "", "rl", "l ", 0, None, b"l")),
        ("uplo", "ul", ("uqqq", "upper", "ul", "n", "", "U ", 1, None, ["u"])),
        ("trans_a", "ntc", ("nqqq", "transpose", "nt", "u", "", True, None, ("n",))),
        ("diag", "un", ("unit", "uu", "t", "", 1.0, None)),
    ],
)
def test_options_are_single_letters_of_either_case(runtime, name, letters, others):
    a = np.triu(np.arange(1, 10, dtype="f").reshape(3, 3))
    expected = ", ".join(repr(one) for one in letters)
    for letter in letters:
        found = [blas.trmm(1, a, np.eye(3, dtype="f"), runtime=runtime, **{name: one}) for one in (letter, letter.upper())]
        assert np.array_equal(*found) and found[0].any()
    for word in others:
        text = f"trmm: {name}: found {word!r}, expected one of {expected}"
        assert refusal(lambda: blas.trmm(1, a, a.copy(), runtime=runtime, **{name: word})) == text


def test_the_default_runtime_is_one(rng):
    from kiln.blas import _calls

    x = Cases(rng, "f").values(10)
    assert blas.dot(x, x) == pytest.approx((x * x).sum())
    assert _calls.default_runtime() is _calls.default_runtime()


def test_importing_the_module_loads_no_driver():
    import subprocess
    import sys

    code = "import kiln.blas; print('pocl' in open('/proc/self/maps').read())"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


def test_every_routine_is_there_with_its_text():
    assert set(ROUTINES) | {"rotg", "rotmg", "plan", "explain", "Plan"} == set(blas.__all__)
    for name in blas.__all__:
        assert getattr(blas, name).__doc__, name


def test_a_result_that_shares_memory_with_an_operand_is_refused(runtime):
    m = np.ones((40, 40), np.float32)
    x = np.arange(10.0)
    device = runtime.array(m)
    for call in [
        lambda: blas.gemm(1.0, m, m.copy(), 0.0, m, runtime=runtime),
        lambda: blas.axpy(2.0, x[:-1], x[1:], runtime=runtime),
        lambda: blas.copy(x[::-1], x, runtime=runtime),
        lambda: blas.gemm(1.0, device, device, 0.0, device),
    ]:
        with pytest.raises(kiln.BadInputError, match="found memory that . has, too"):
            call()
    assert (m == 1).all() and np.array_equal(x, np.arange(10.0))
    # Parts that lie between one another have no element in common.
    blas.swap(m[:, 0], m[:, 1], runtime=runtime)
    blas.axpy(1.0, x[::2], x[1::2], runtime=runtime)
    assert np.array_equal(x[1::2], [1, 5, 9, 13, 17])
