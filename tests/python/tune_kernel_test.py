"""kiln.tune_kernel beyond what scripts show: failures, Ctrl-C, refusals, spaces."""
import errno
import json
import os
import pickle
import signal
import socket
import struct
import subprocess
from multiprocessing.connection import Connection

import numpy as np
import pytest

import kiln
from kiln.tune.bench import Bench
from kiln.tune.observers import BenchmarkObserver
from kiln.tune.space import Space
from kiln.tune.worker import CandidateFailed, Worker
from tune_cases import COUNT, MODES, have_programs, modes, replay


# ---- Failures


def test_configurations_that_fail_end_nothing_but_themselves(capfd):
    found, env = modes(2, 1, 3, 0, verbose=True)
    assert env["best_config"] is found[0] and found[0]["time"] > 0
    marks = {mode: (type(one["time"]).__name__, one["time"].failure) for mode, one in found.items() if mode}
    assert marks == {
        1: ("RuntimeFailedConfig", "wrong_result"),
        2: ("CompilationFailedConfig", "build"),
        3: ("RuntimeFailedConfig", "crash"),
    }
    assert "element 0: found 7, expected 0" in found[1]["time"].reason
    assert "not this one" in found[2]["time"].reason and "\n" not in found[2]["time"].reason
    assert "not this one" in found[2]["time"].log and pickle.loads(pickle.dumps(found[2]["time"])).log
    assert "SIGSEGV" in found[3]["time"].reason
    assert all(one["time"] == type(one["time"]).__name__ for mode, one in found.items() if mode)
    printed = capfd.readouterr().out
    assert "failed (crash): block_size_x=64, MODE=3" in printed


def test_a_configuration_that_hangs_ends_nothing_but_itself():
    # What does not hang was compiled before, and takes milliseconds of this time.
    found, env = modes(4, 0, hang_time=3.0)
    assert (type(found[4]["time"]).__name__, found[4]["time"].failure) == ("RuntimeFailedConfig", "timeout")
    assert "it did not end within 3 s" in found[4]["time"].reason
    assert env["best_config"] is found[0] and found[0]["time"] > 0


def test_where_all_fail_the_first_ones_reason_is_raised():
    with pytest.raises(kiln.BuildError, match="none of 1 configurations .* not this one") as caught:
        modes(2)
    first, _, log = str(caught.value).partition("\n")
    assert first.endswith("not this one") and caught.value.log == log and "not this one" in log
    with pytest.raises(kiln.BadInputError, match="MODE=1: wrong_result: argument 0, element 0"):
        modes(1)
    with pytest.raises(kiln.BadInputError, match="argument 0"):
        kiln.tune_kernel(
            "fill", MODES, COUNT, [np.int32(1), np.int32(1)], {"block_size_x": [64], "MODE": [0]}, quiet=True
        )


def test_failures_are_in_caches_and_files(tmp_path):
    cache = tmp_path / "modes.json"
    found, _ = modes(0, 1, 2, cache=cache)
    entries = json.loads(cache.read_text())["cache"]
    assert entries["64,1"]["time"] == "RuntimeFailedConfig"
    assert entries["64,2"]["time"] == "CompilationFailedConfig"
    again, env = modes(0, 1, 2, cache=cache)
    assert isinstance(again[2]["time"], kiln.tune.CompilationFailedConfig)
    assert env["best_config"]["times"] == found[0]["times"]
    kiln.tune.store_output_file(tmp_path / "t4", [*found.values()], ["block_size_x", "MODE"])
    failures = {one["values"]["MODE"]: one["failure"] for one in kiln.tune.read_t4(tmp_path / "t4.json")}
    assert failures == {0: None, 1: "wrong_result", 2: "build"}


def test_too_large_groups_are_no_part_of_the_space(capsys):
    have_programs(block_size_x=64, MODE=0)
    results, env = kiln.tune_kernel(
        "fill", MODES, COUNT, [np.zeros(COUNT, np.int32), np.int32(COUNT)],
        {"block_size_x": [64, 1 << 20], "MODE": [0]}, quiet=True, iterations=1,
    )
    assert [one["block_size_x"] for one in results] == [64]
    assert capsys.readouterr().out == ""


def test_ctrl_c_ends_a_search_with_what_was_measured(tmp_path):
    cache = tmp_path / "interrupted.json"
    called = []

    def metric(result):
        called.append(result["MODE"])
        if len(called) == 2:
            os.kill(os.getpid(), signal.SIGINT)
            while True:  # until the signal is handled
                pass
        return 1

    found, env = modes(0, 5, 6, metrics={"m": metric}, cache=cache)
    assert [*found] == [0] and env["interrupted"] and env["best_config"] is found[0]
    assert [*json.loads(cache.read_text())["cache"]] == ["64,0"]
    with pytest.raises(KeyboardInterrupt):
        called[:] = [None]
        modes(0, metrics={"m": metric})


def test_ctrl_c_while_a_candidate_runs(monkeypatch):
    wait, waits = Worker._wait, []

    def interrupted(self, seconds):
        waits.append(seconds)
        if len(waits) == 4:  # opened, and the first candidate's run and times
            raise KeyboardInterrupt
        return wait(self, seconds)

    monkeypatch.setattr(Worker, "_wait", interrupted)
    found, env = modes(0, 5, 6, answer=None)
    assert [*found] == [0] and env["interrupted"]


class Silent(BenchmarkObserver):
    def get_results(self):
        return {}


def test_an_observed_run_that_fails_ends_nothing_but_itself(monkeypatch):
    observed, calls = Bench.observed_times, []

    def first_fails(self, iterations, observers):
        calls.append(iterations)
        if len(calls) == 1:
            raise kiln.DeviceError("lost")
        return observed(self, iterations, observers)

    monkeypatch.setattr(Bench, "observed_times", first_fails)
    found, _ = modes(0, 5, observers=[Silent()])
    assert (found[0]["time"].failure, found[0]["time"].reason) == ("launch", "lost") and found[5]["time"] > 0


def test_an_observer_that_refuses_the_device_leaves_no_process(monkeypatch):
    class Refusing(Silent):
        def register_device(self, dev):
            raise LookupError("my own")

    workers, start = [], Worker._start
    monkeypatch.setattr(Worker, "_start", lambda self: workers.append(self) or start(self))
    with pytest.raises(LookupError, match="my own"):
        modes(0, observers=[Refusing()])
    assert [one._process for one in workers] == [None]


def test_a_process_that_ends_within_a_reply_has_crashed():
    ours, theirs = socket.socketpair()
    worker = Worker.__new__(Worker)
    worker._channel, worker._process = Connection(ours.detach()), subprocess.Popen(["true"])
    theirs.sendall(struct.pack("!i", 100) + b"part")
    theirs.shutdown(socket.SHUT_WR)
    with pytest.raises(CandidateFailed, match="it ended its process"), theirs:
        worker._ask("times", (), 60)


def test_a_process_that_does_not_start_leaves_no_socket(monkeypatch):
    pairs, pair = [], socket.socketpair

    def fail(*arguments, **more):
        raise OSError(errno.EAGAIN, "no process")

    monkeypatch.setattr(socket, "socketpair", lambda: pairs.append(pair()) or pairs[-1])
    monkeypatch.setattr(subprocess, "Popen", fail)
    with pytest.raises(OSError, match="no process"):
        Worker(0, 0, "off", [], 1.0)
    assert [one.fileno() for one in pairs[0]] == [-1, -1]


# ---- Arguments


@pytest.mark.parametrize(
    "given, said",
    [
        ({"smem_args": {"size": 1}}, "smem_args: shared memory of CUDA"),
        ({"cmem_args": {"c": np.zeros(1)}}, "cmem_args: constant memory of CUDA"),
        ({"texmem_args": {"t": np.zeros(1)}}, "texmem_args: textures of CUDA"),
        ({"compiler": "gcc"}, "compiler: "),
        ({"parallel": 2}, "parallel: "),
        ({"lang": "CUDA"}, "lang: found 'CUDA'"),
        ({"lang": "C"}, "lang: found 'C'"),
        ({"kernel_source": "__global__ void k() {}"}, "kernel_source: found CUDA"),
        ({"strategy": "magic"}, "strategy: found 'magic', expected .*brute_force, .*forest"),
        ({"objective": "joy"}, "objective: found 'joy', expected objective_higher_is_better"),
        ({"observers": [print]}, "observers: found builtin_function_or_method"),
        ({"metrics": ["time"]}, "metrics: found list, expected a dict"),
        ({"metrics": {"m": 1}}, "metrics: m: found int"),
        ({"iterations": 0}, "iterations: found 0"),
        ({"tune_params": {}}, "tune_params: expected"),
        ({"tune_params": {"time": [1]}}, "tune_params: found the name 'time'"),
        ({"tune_params": {"X": 3}}, "tune_params: X: found 3, expected a list"),
        ({"tune_params": {"X": [None]}}, "tune_params: X: found NoneType"),
        ({"tune_params": [1]}, "tune_params: expected a dict"),
        ({"tune_params": {3: [1]}}, "tune_params: found the name 3, expected a text"),
        ({"tune_params": {"a b": [1]}}, "tune_params: found the name 'a b', expected a macro's name"),
        ({"tune_params": {"X": []}}, "tune_params: X: found no value, expected one"),
        ({"tune_params": {"X": [float("nan")]}}, "tune_params: X: found nan, expected finite"),
        ({"tune_params": {"X": [1j]}}, "tune_params: X: found complex, expected numbers or texts"),
        ({"tune_params": {"X": [(1, 2)]}}, "tune_params: X: found tuple, expected numbers or texts"),
        ({"restrictions": [3]}, "restrictions: found int"),
        ({"restrictions": 3}, "restrictions: found int, expected a list of texts or functions"),
        ({"restrictions": {"X": 1}}, "restrictions: found dict, expected a list"),
        ({"restrictions": ["X >"]}, "restrictions: 'X >': invalid syntax, expected an expression"),
        ({"restrictions": "X == 1; Y"}, "restrictions: 'X == 1; Y': invalid syntax"),
        ({"restrictions": lambda: True}, r"restrictions: <lambda>\(\): too many positional .* 1 arguments"),
        ({"restrictions": [lambda Z: Z]}, r"restrictions: <lambda>\(Z\): missing .*'Z'.* a function of X"),
        ({"restrictions": [lambda: True]}, r"restrictions: <lambda>\(\): got an unexpected keyword.*'X'"),
        ({"restrictions": lambda p: p["Z"]}, "restrictions: the function <lambda> asks for 'Z', expected one of X"),
        ({"restrictions": [(lambda Z: Z, ["Z"])]}, "restrictions: found the name 'Z' of a function's argument"),
        ({"metrics": {3: "time"}}, "metrics: found the name 3, expected a text"),
        ({"metrics": {"m": "time *"}}, "metrics: m: 'time .': invalid syntax, expected an expression"),
        ({"metrics": {"m": "tme"}}, "metrics: m: 'tme': name 'tme' is not defined, expected one of X, time"),
        ({"metrics": {"m": "m + 1"}}, r"metrics: m: 'm \+ 1': found 'm', which comes of itself, expected"),
        ({"metrics": {"m": "n", "n": "m"}}, "metrics: m: 'n': found 'n', which comes later, expected"),
        ({"metrics": {"m": lambda: 1}}, r"metrics: m: <lambda>\(\): too many positional"),
        ({"strategy_options": 3}, "strategy_options: found int, expected a dict"),
        ({"strategy_options": {3: 1}}, "strategy_options: found the name 3, expected a text"),
        ({"strategy_options": {"max_fevals": 0}}, "strategy_options: max_fevals: found 0, expected a positive"),
        ({"strategy_options": {"max_fevals": -3}}, "strategy_options: max_fevals: found -3, expected"),
        ({"strategy_options": {"max_fevals": 1.5}}, "strategy_options: max_fevals: found 1.5, expected"),
        ({"strategy_options": {"max_fevals": "10"}}, "strategy_options: max_fevals: found '10', expected"),
        ({"strategy_options": {"time_limit": -1}}, "strategy_options: time_limit: found -1, expected"),
        ({"strategy_options": {"fraction": 2}}, "strategy_options: fraction: found 2, expected a number"),
        ({"strategy_options": {"x0": 3}}, "strategy_options: x0: found 3, expected the values"),
        ({"strategy_options": {"start_from": 3}}, "strategy_options: start_from: found 3, expected a cache"),
        ({"strategy_options": {"max_feval": 3}}, "strategy_options: found 'max_feval', expected 'max_fevals'"),
        ({"strategy": ["mls"]}, r"strategy: found \['mls'\], expected an object"),
        ({"arguments": None}, "arguments: found NoneType, expected a list"),
        ({"problem_size": None}, "problem_size: found None, expected an int"),
        ({"problem_size": ()}, "problem_size: found 0 sizes, expected one to three"),
        ({"problem_size": "X +"}, r"problem_size: 'X \+': invalid syntax"),
        ({"problem_size": lambda: 1}, r"problem_size: <lambda>\(\): too many positional"),
        ({"grid_div_x": 3.5}, "grid_div_x: found 3.5, expected a list of expressions"),
        ({"grid_div_y": ["X +"]}, r"grid_div_y: 'X \+': invalid syntax"),
        ({"answer": 3}, "answer: found int, expected a list"),
        ({"atol": "small"}, "atol: found 'small', expected a number"),
        ({"verify": 3}, "verify: found int, expected a function"),
        ({"hang_time": 0}, "hang_time: found 0, expected a positive number"),
        ({"seed": "x"}, "seed: found 'x', expected an integer"),
        ({"device": None}, "device: found None, expected a number"),
        ({"objective": 3}, "objective: found 3, expected a text"),
        ({"objectives": 3}, "objectives: found 3, expected a list"),
        ({"cache": 3}, "cache: found 3, expected a file's name"),
        ({"restrictions": ["X > Z"]}, "restrictions: 'X > Z': name 'Z' is not defined"),
        ({"restrictions": ["X > 9"]}, "restrictions: no configuration|no configuration"),
        ({"answer": [None]}, "answer: found 1 entries, expected 0"),
        ({"arguments": [object()]}, "arguments: 0: found object"),
        ({"kernel_source": "absent.cl"}, "kernel_source: absent.cl: no such file"),
        ({"kernel_source": 3}, "kernel_source: found int"),
        ({"device": 99}, "device: found 99, expected a number below"),
        ({"platform": 99}, "platform: found 99, expected a number below"),
        ({"defines": {"a b": "1"}}, "defines: found the name 'a b'"),
        ({"block_size_names": "x"}, "block_size_names: expected a list"),
        ({"simulation_mode": True}, "simulation_mode: found no cache"),
        ({"strategy": "random_sample", "strategy_options": {"x0": [7]}}, "x0: found"),
    ],
)
def test_what_is_refused(given, said):
    arguments = {
        "kernel_name": "k", "kernel_source": "kernel void k() {}", "problem_size": 64, "arguments": [],
        "tune_params": {"X": [1, 2]}, "quiet": True, "block_size_names": ["X"], **given,
    }
    with pytest.raises(kiln.Error, match=said) as caught:
        kiln.tune_kernel(**arguments)
    assert "\n" not in str(caught.value)


def test_metrics_that_divide_by_zero_or_ask_for_what_is_not_there_say_so(measured):
    for metric, said in (
        ("1 / (X - X)", r"metrics: m: '1 / \(X - X\)': division by zero, with X=1"),
        ("speed", "metrics: m: 'speed': name 'speed' is not defined"),
        (lambda one: one["speed"], "metrics: m: the function <lambda> asks for 'speed', expected one of X, Y"),
    ):
        with pytest.raises(kiln.BadInputError, match=said):
            replay(measured, metrics={"m": metric})
    with pytest.raises(KeyError, match="^3$"):
        replay(measured, metrics={"m": lambda one: {}[3]})


def test_where_no_parameter_is_a_block_size_a_warning_says_what_runs(recwarn):
    given = ("fill", MODES, 2, [np.zeros(512, np.int32), np.int32(512)])
    answer = [np.arange(512, dtype=np.int32), None]
    have_programs(count=2, MODE=0)
    results, _ = kiln.tune_kernel(*given, {"MODE": [0]}, answer=answer, quiet=True, iterations=1)
    assert results[0]["time"] > 0
    (said,) = [one for one in recwarn if "block" in str(one.message)]
    assert str(said.message).startswith("tune_params: found none of block_size_x, block_size_y, block_size_z: ")
    assert said.filename == __file__ and "or block_size_names" in str(said.message)


def test_block_sizes_by_other_names_need_no_warning(recwarn):
    from kiln.tune.geometry import Geometry

    for names, params in ((None, {"BLOCK_SIZE_Y": [1]}), (["tx"], {"tx": [1]}), (["tx"], {"block_size_y": [1]})):
        Geometry(1, (None,) * 3, names, None, params).warn_without_block_sizes(params, 1)
    assert not recwarn.list
    Geometry(1, (None,) * 3, ["tx"], None, {"X": [1]}).warn_without_block_sizes({"X": [1]}, 1)
    assert "found none of tx, block_size_y, block_size_z" in str(recwarn.pop().message)


def test_positional_arguments_are_kernel_tuners():
    import inspect

    names = [*inspect.signature(kiln.tune_kernel).parameters]
    assert names[:16] == (
        "kernel_name kernel_source problem_size arguments tune_params grid_div_x grid_div_y grid_div_z "
        "restrictions answer atol verify verbose lang device platform"
    ).split()
    assert [*inspect.signature(kiln.run_kernel).parameters][4] == "params"


def test_local_memory_is_an_argument():
    text = """
kernel void turn(global int *x, local int *room) {
  const int i = get_local_id(0);
  room[i] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  x[get_global_id(0)] = room[block_size_x - 1 - i];
}"""
    x = np.arange(128, dtype=np.int32)
    given = ("turn", text, 128, [x, kiln.LocalMemory(4 * 64)])
    turned = x.reshape(-1, 64)[:, ::-1].reshape(-1)
    assert np.array_equal(kiln.run_kernel(*given, {"block_size_x": 64})[0], turned)
    results, _ = kiln.tune_kernel(*given, {"block_size_x": [64]}, answer=[turned, None], quiet=True, device="cpu")
    assert results.best["block_size_x"] == 64


def test_run_kernel_returns_arguments_after_the_run(tmp_path):
    (tmp_path / "scale.h").write_text("#define FACTOR factor\n")
    (tmp_path / "scale.cl").write_text(
        '#include "scale.h"\nkernel void scale_float(global T *x, int n) {'
        " const int i = get_global_id(0); if (i < n) x[i] *= FACTOR; }"
    )
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    found = kiln.run_kernel(
        "method", tmp_path / "scale.cl", x.size, [x, np.int32(x.size)],
        {"block_size_x": 4, "factor": 2.5, "T": "float", "method": "scale_float"},
    )
    assert found[0].shape == x.shape and np.array_equal(found[0], x * 2.5)
    assert found[1] == 12 and x[0, 1] == 1
    with pytest.raises(kiln.BuildError):
        kiln.run_kernel("k", "kernel void k() { wrong }", 1, [], {"block_size_x": 1})


# ---- Spaces


def test_restrictions_of_all_kinds_leave_the_same_space():
    params = {"X": [1, 2, 4, 8], "Y": [1, 2, 3], "MODE": ["a", "b"], "F": [0.5, 1.0], "ON": [True, False]}
    wanted = [
        (x, y, mode, f, on)
        for x in params["X"] for y in params["Y"] for mode in params["MODE"]
        for f in params["F"] for on in params["ON"]
        if x % y == 0 and x * f >= 2 and (mode == "a" or on)
    ]
    texts = ["X % Y == 0", "X * F >= 2", "MODE == 'a' or ON"]
    for restrictions in (
        texts,
        " and ".join(f"({text})" for text in texts),
        lambda p: p["X"] % p["Y"] == 0 and p["X"] * p["F"] >= 2 and (p["MODE"] == "a" or p["ON"]),
        [*texts[:2], lambda MODE, ON, **_: MODE == "a" or ON],
        [texts[0], (lambda X, F: X * F >= 2, ["X", "F"]), "MODE in 'a' or ON is True"],
        ["X % Y == 0 and math.sqrt(X * F) >= math.sqrt(2)", "{'a': True}.get(MODE, ON)"],
    ):
        space = Space(params, restrictions)
        assert space.list == wanted and len(space) == len(wanted)
        search = space.search("random", seed=1)
        asked = set()
        while (one := search.ask()) is not None:
            asked.add(space.config(search.positions(one)))
            search.tell(one, 1.0)
        assert asked == set(wanted)
    assert not Space({"X": [1]}).is_param_config_valid((2,))


def test_division_by_zero_makes_a_configuration_invalid():
    assert Space({"X": [4], "Y": [0, 1, 2]}, ["X % Y == 0"]).list == [(4, 1), (4, 2)]
    assert Space({"X": [4], "Y": [0, 1, 2]}, lambda p: p["X"] % p["Y"] == 0).list == [(4, 1), (4, 2)]


def test_a_large_space_is_searched_without_being_listed():
    params = {f"P{i}": [*range(64)] for i in range(8)}
    space = Space(params, ["P0 * P1 <= 64"])
    assert space.size > 10**12
    config = space.get_random_sample(1)[0]
    assert space.is_param_config_valid(config)
    assert all(space.is_param_config_valid(one) for one in space.get_neighbors(config))
    assert space.search("genetic", 3).ask() is not None
