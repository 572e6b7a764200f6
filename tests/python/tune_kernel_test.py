"""kiln.tune_kernel beyond what scripts show: failures, caches, strategies, refusals, Ctrl-C."""
import errno
import gzip
import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
from multiprocessing.connection import Connection

import numpy as np
import pytest

import kiln
from kiln.tune import METHODS, cache_file, files, recorded
from kiln.tune.bench import Bench
from kiln.tune.geometry import Geometry
from kiln.tune.observers import BenchmarkObserver
from kiln.tune.sources import Sources
from kiln.tune.space import Space
from kiln.tune.worker import CandidateFailed, Worker

HUB = pathlib.Path(__file__).parents[2].parent / "shared" / "data" / "hub"

# MODE 1 writes something else, 2 does not compile, 3 writes to an address that is none, 4 never ends.
MODES = """
kernel void fill(global int *x, int n) {
#if MODE == 2
#error not this one
#endif
#if MODE == 3
  x = (global int *)8;
#endif
#if MODE == 4
  volatile global int *stay = x;
  do stay[0] += 2; while (stay[0] != 1);
#endif
  const int i = get_global_id(0);
  if (i < n) x[i] = MODE == 1 ? 7 : i;
}
"""
COUNT = 256


def modes(*tried, **more):
    """Tunes MODES; the array must become 0, 1, 2, …"""
    given = np.zeros(COUNT, np.int32)
    more = {"answer": [np.arange(COUNT, dtype=np.int32), None], "quiet": True, "iterations": 2, **more}
    results, env = kiln.tune_kernel(
        "fill", MODES, COUNT, [given, np.int32(COUNT)], {"block_size_x": [64], "MODE": [*tried]}, **more
    )
    assert not given.any()
    return {one["MODE"]: one for one in results}, env


@pytest.fixture
def measured(tmp_path):
    """A cache file of 12 configurations, best at X=8, Y=2."""
    entries = {}
    for x in (1, 2, 4, 8):
        for y in (1, 2, 3):
            time = 1 + abs(x - 8) + abs(y - 2)
            entries[f"{x},{y}"] = {
                "X": x, "Y": y, "time": float(time), "times": [time, time], "compile_time": 100.0,
                "verification_time": 0, "benchmark_time": 20.0, "strategy_time": 0, "framework_time": 0,
                "timestamp": "2024-01-01 00:00:00+00:00",
            }
    entries["8,3"]["time"] = "RuntimeFailedConfig"
    path = tmp_path / "measured.json"
    path.write_text(json.dumps({
        "device_name": "a GPU", "kernel_name": "k", "problem_size": [64], "tune_params_keys": ["X", "Y"],
        "tune_params": {"X": [1, 2, 4, 8], "Y": [1, 2, 3]}, "objective": "time", "cache": entries,
    }))
    return path


def replay(path, tune_params=None, **more):
    more = {"quiet": True, "simulation_mode": True, "cache": path, **more}
    return kiln.tune_kernel("k", "", 64, [], tune_params or {"X": [1, 2, 4, 8], "Y": [1, 2, 3]}, **more)


# ---- Failures


def test_configurations_that_fail_end_nothing_but_themselves(capfd):
    found, env = modes(2, 1, 3, 4, 0, hang_time=8.0, verbose=True)
    assert env["best_config"] is found[0] and found[0]["time"] > 0
    marks = {mode: (type(one["time"]).__name__, one["time"].failure) for mode, one in found.items() if mode}
    assert marks == {
        1: ("RuntimeFailedConfig", "wrong_result"),
        2: ("CompilationFailedConfig", "build"),
        3: ("RuntimeFailedConfig", "crash"),
        4: ("RuntimeFailedConfig", "timeout"),
    }
    assert "element 0: found 7, expected 0" in found[1]["time"].reason
    assert "not this one" in found[2]["time"].reason
    assert "SIGSEGV" in found[3]["time"].reason
    assert all(one["time"] == type(one["time"]).__name__ for mode, one in found.items() if mode)
    printed = capfd.readouterr().out
    assert "failed (crash): block_size_x=64, MODE=3" in printed


def test_where_all_fail_the_first_ones_reason_is_raised():
    with pytest.raises(kiln.BuildError, match="none of 1 configurations .* not this one"):
        modes(2)
    with pytest.raises(kiln.BadInputError, match="MODE=1: wrong_result: argument 0, element 0"):
        modes(1)
    with pytest.raises(kiln.BadInputError, match="argument 0"):
        kiln.tune_kernel("fill", MODES, COUNT, [np.int32(1), np.int32(1)], {"MODE": [0]}, quiet=True)


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
        ({"restrictions": [3]}, "restrictions: found int"),
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
        "tune_params": {"X": [1, 2]}, "quiet": True, **given,
    }
    with pytest.raises(kiln.Error, match=said) as caught:
        kiln.tune_kernel(**arguments)
    assert "\n" not in str(caught.value)


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
    results, _ = kiln.tune_kernel(*given, {"block_size_x": [64]}, answer=[turned, None], quiet=True, device="cpu")
    assert results.best["block_size_x"] == 64
    assert np.array_equal(kiln.run_kernel(*given, {"block_size_x": 64})[0], turned)


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


# ---- Caches


def test_a_cache_is_whole_at_any_moment(tmp_path):
    """Kernel Tuner closes the brackets of a file that was left while a search ran, as here."""
    cache = tmp_path / "running"
    seen = []

    def look(result):
        text = (tmp_path / "running.json").read_text().strip()
        assert text.endswith((",", "{"))
        seen.append(len(json.loads(text.rstrip(",") + "}\n}")["cache"]))
        return len(seen)

    modes(0, 5, 6, cache=cache, metrics={"seen": look})
    assert seen == [0, 1, 2]
    text = (tmp_path / "running.json").read_text()
    assert text.endswith("}}\n}")
    found = json.loads(text)
    assert [*found] == [
        "device_name", "kernel_name", "problem_size", "tune_params_keys", "tune_params", "objective", "cache"
    ]
    assert found["tune_params"] == {"block_size_x": [64], "MODE": [0, 5, 6]}
    assert found["problem_size"] == COUNT and [*found["cache"]] == ["64,0", "64,5", "64,6"]
    assert {"time", "times", "compile_time", "benchmark_time", "verification_time", "framework_time",
            "strategy_time", "timestamp"} < set(found["cache"]["64,0"])


def test_a_cache_is_gone_on_with(tmp_path):
    cache = tmp_path / "cut.json"
    modes(0, cache=cache)
    text = cache.read_text().replace('"times": [', '"times": [12.5, ')
    cache.write_text(text[:-3] + ',\n"64,6": {"block_size_x": 64, "MO')
    found, _ = modes(0, 6, cache=cache)
    assert found[0]["times"][0] == 12.5 and found[6]["times"][0] != 12.5
    assert [*json.loads(cache.read_text())["cache"]] == ["64,0", "64,6"]


@pytest.mark.parametrize(
    "end, kept",
    [("}\n}", ["1", "2"]), ("}\n}\n", ["1", "2"]), ("", ["1", "2"]), (",", ["1", "2"]), (",\n", ["1", "2"]),
     (',\n"3": {"X": 3, "ti', ["1", "2"]), (',\n"3": {"X": 3}', ["1", "2", "3"])],
)
def test_a_cache_that_was_left_at_any_point_is_read(tmp_path, end, kept):
    path = tmp_path / "left.json"
    header = {"device_name": "d", "kernel_name": "k", "tune_params_keys": ["X"], "note": "kept"}
    text = json.dumps({**header, "cache": {}})[:-2] + '\n"1": {"X": 1, "time": 2.5},\n"2": {"X": 2}'
    path.write_text(text + end)
    assert [*cache_file.read(path)["cache"]] == kept
    file = cache_file.CacheFile(path, {"device_name": "d", "kernel_name": "k"})
    assert file.entries["1"]["time"] == 2.5
    file.add((9,), {"X": 9, "time": np.float32(0.5), "times": np.zeros(2)})
    file.close()
    found = json.loads(path.read_text())
    assert [*found["cache"]] == [*kept, "9"] and found["note"] == "kept"
    assert found["cache"]["9"] == {"X": 9, "time": 0.5, "times": [0, 0]}


def test_two_searches_do_not_write_one_cache(tmp_path):
    path, header = tmp_path / "shared.json", {"device_name": "d", "kernel_name": "k"}
    first = cache_file.CacheFile(path, header)
    first.add((1,), {"X": 1})
    with pytest.raises(kiln.IoError, match="shared.json: another search writes it"):
        cache_file.CacheFile(path, header)
    first.add((2,), {"X": 2})
    first.close()
    second = cache_file.CacheFile(path, header)
    second.close()
    assert [*second.entries] == [*json.loads(path.read_text())["cache"]] == ["1", "2"]


@pytest.mark.parametrize(
    "member, value", [("device_name", "another"), ("kernel_name", "another"), ("problem_size", [65]),
                      ("tune_params_keys", ["MODE", "block_size_x"])]
)
def test_a_cache_of_something_else_is_refused(tmp_path, member, value):
    cache = tmp_path / "other.json"
    modes(0, cache=cache)
    found = json.loads(cache.read_text())
    found[member] = value
    text = json.dumps(found)
    cache.write_text(text)
    with pytest.raises(kiln.BadInputError, match=f"other.json: found {member}"):
        modes(0, cache=cache)
    assert cache.read_text() == text


def test_what_is_no_cache_is_refused(tmp_path):
    for text in ("[1]", "{", '{"cache": 3}', "nothing"):
        (tmp_path / "none.json").write_text(text)
        with pytest.raises(kiln.CorruptError, match="none.json: found no cache file"):
            modes(0, cache=tmp_path / "none.json")
        assert (tmp_path / "none.json").read_text() == text


def test_a_damaged_cache_is_corrupt(tmp_path):
    whole = gzip.compress(b'{"cache": {}}', mtime=0)
    for content in (whole[:10] + b"\xff" * 20, whole[:-9], whole[:-8] + b"\0" * 8, b'{"cache": {"1": 3}}'):
        (tmp_path / "bad.json").write_bytes(content)
        with pytest.raises(kiln.CorruptError, match="bad.json: "):
            cache_file.read(tmp_path / "bad.json")


def test_an_entry_that_the_disk_refuses_leaves_the_others(tmp_path):
    class Full:
        def __init__(self, file):
            self.file = file

        def __getattr__(self, name):
            return getattr(self.file, name)

        def write(self, data):
            self.file.write(data[:5])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    file = cache_file.CacheFile(tmp_path / "full.json", {"kernel_name": "k"})
    file.add((1,), {"X": 1})
    good, file._file = file._file, Full(file._file)
    with pytest.raises(kiln.IoError, match="full.json: No space left"):
        file.add((2,), {"X": 2})
    file._file = good
    file.add((3,), {"X": 3})
    file.close()
    assert json.loads(file.path.read_text())["cache"] == {"1": {"X": 1}, "3": {"X": 3}}


# ---- Files of results


def test_stored_results_have_their_own_objective_and_any_iterable(tmp_path, monkeypatch):
    results = [{"X": x, "GFLOP/s": 10.0 * x, "time": 1.0} for x in (1, 2)]
    stored, header = tmp_path / "stored.json", tmp_path / "targets.h"

    def store(size):
        files.store_results(
            stored, "k", "", iter(["X"]), size, results, {"device_name": "a GPU"}, top=60, objective="GFLOP/s"
        )

    store(64)
    files.create_device_targets(header, stored)
    assert header.read_text().count("#define X 2\n") == 2
    with pytest.raises(kiln.BadInputError, match="stored.json: found results without 'time'"):
        files.create_device_targets(header, stored, "time")
    before = [stored.read_text(), header.read_text()]

    def refuse(source, target):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", refuse)
    for write in (
        lambda: store(128),
        lambda: files.create_device_targets(header, stored),
        lambda: files.store_output_file(stored, results, ["X"]),
    ):
        with pytest.raises(kiln.IoError, match="No space left"):
            write()
    assert [stored.read_text(), header.read_text()] == before and len([*tmp_path.iterdir()]) == 2


# ---- Strategies, by replay


def test_a_replay_measures_nothing(measured):
    before = measured.read_text()
    results, env = replay(measured, metrics={"double": "2 * time"})
    assert len(results) == 12 and env["best_config"]["X"] == 8 and env["best_config"]["Y"] == 2
    assert env["best_config"]["double"] == 2 and env["simulated_time"] == 12 * 120
    assert isinstance(results[-1]["time"], kiln.tune.RuntimeFailedConfig) and "double" not in results[-1]
    assert env["device_name"] == "a GPU" and env["total_compile_time"] == 1200
    assert measured.read_text() == before
    with pytest.raises(kiln.BadInputError, match="the cache has no configuration '1,9'"):
        replay(measured, {"X": [1], "Y": [9]})


@pytest.mark.parametrize("strategy", [*METHODS, "forest", "annealing"])
def test_every_strategy_searches(measured, strategy):
    objectives = {"time": False, "Y": True} if strategy.startswith("nsga") else None
    options = {"max_fevals": 9}
    results, env = replay(measured, strategy=strategy, strategy_options=options, seed=2, objectives=objectives)
    assert len(results) == 9 == len({(one["X"], one["Y"]) for one in results})
    again, _ = replay(measured, strategy=strategy, strategy_options=options, seed=2, objectives=objectives)
    assert again == results
    if objectives is None:
        assert env["best_config"]["time"] == min(one["time"] for one in results if one["time"] != "RuntimeFailedConfig")


def test_several_objectives_have_a_front(measured):
    _, env = replay(measured, objectives={"time": False, "Y": True})
    assert {(one["X"], one["Y"]) for one in env["best_config"]} == {(8, 2), (4, 3)}
    _, env = replay(measured, objective="X", objective_higher_is_better=False, strategy="forest")
    assert env["best_config"]["X"] == 1


def test_limits_and_other_options(measured):
    with pytest.warns(UserWarning, match="strategy_options: popsize: Kiln's 'genetic'"):
        results, _ = replay(measured, strategy="pso", strategy_options={"popsize": 3, "max_fevals": 2})
    assert len(results) == 2
    results, _ = replay(measured, strategy="random_sample", strategy_options={"fraction": 0.25})
    assert len(results) == 3
    # Each takes 0.12 simulated seconds.
    results, _ = replay(measured, strategy="mls", strategy_options={"time_limit": 0.5})
    assert 1 <= len(results) <= 5
    results, _ = replay(measured, strategy="mls", strategy_options={"max_fevals": 1, "x0": [4, 3]})
    assert (results[0]["X"], results[0]["Y"]) == (4, 3)


def test_a_search_starts_from_another_devices(measured, tmp_path):
    other = json.loads(measured.read_text())
    other["device_name"] = "another GPU"
    (tmp_path / "other.json").write_text(json.dumps(other))
    options = {"max_fevals": 1, "start_from": tmp_path / "other.json"}
    results, _ = replay(measured, strategy="bayes_opt", strategy_options=options)
    assert (results[0]["X"], results[0]["Y"]) == (8, 2)


def test_a_strategy_of_ones_own_may_use_costs(measured):
    from kiln.tune import CostFunc

    class Downhill:
        def tune(self, searchspace, runner, tuning_options):
            cost = CostFunc(searchspace, tuning_options, runner)
            self.options = tuning_options
            at = (1, 1)
            while True:
                best = min(searchspace.get_neighbors(at), key=cost)
                if cost(best) >= cost(at):
                    return cost.results
                at = best

    strategy = Downhill()
    results, env = replay(measured, strategy=strategy)
    assert strategy.options.simulated_time == env["simulated_time"] == 120 * len(results)
    assert (env["best_config"]["X"], env["best_config"]["Y"]) == (8, 2) and len(results) < 12


@pytest.mark.skipif(not HUB.exists(), reason="no ../shared/data/hub, the benchmark hub's spaces")
def test_the_hubs_convolution_is_replayed():
    path = HUB / "convolution_A4000.json.gz"
    found = cache_file.read(path)
    known = {key: one["time"] for key, one in found["cache"].items() if isinstance(one["time"], float)}
    everything = set(found["cache"])

    def search(**more):
        return kiln.tune_kernel(
            "convolution_kernel", "", (4096, 4096), [], found["tune_params"], cache=path, quiet=True,
            simulation_mode=True, restrictions=lambda p: cache_file.key_of(p.values()) in everything, **more,
        )

    results, env = search()
    assert len(results) == len(everything) and env["best_config"]["time"] == min(known.values())
    least = min(one["seconds"] for one in kiln.tune.read_t4(path) if one["failure"] is None)
    assert env["best_config"]["time"] == pytest.approx(least * 1e3)
    results, env = search(strategy="bayes_opt", strategy_options={"max_fevals": 300}, seed=1)
    assert len(results) == 300 and env["best_config"]["time"] <= min(known.values()) / 0.95


# ---- On record, looks


def test_what_was_found_is_on_record(tmp_path, monkeypatch):
    monkeypatch.setenv("KILN_STORE", str(tmp_path / "store"))
    problem = ("fill", MODES, "COUNT", [np.zeros(COUNT, np.int32), np.int32(COUNT)])
    params = {"block_size_x": [32, 64], "MODE": [0], "COUNT": [COUNT]}
    script = (
        "import numpy as np, kiln, sys; problem = {problem}; "
        "print(kiln.tune.best_on_record(*problem, {params}, restrictions=['block_size_x > 32']))"
    )

    def on_record():
        import subprocess
        import sys

        text = script.format(
            problem=f"('fill', {MODES!r}, 'COUNT', [np.zeros({COUNT}, np.int32), np.int32({COUNT})])", params=params
        )
        done = subprocess.run([sys.executable, "-B", "-c", text], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    # Functions cannot be compared with those of another process.
    assert kiln.tune.best_on_record(*problem, params, restrictions=[lambda **p: True]) is None
    assert on_record() == "None"
    _, env = kiln.tune_kernel(*problem, params, restrictions=["block_size_x > 32"], quiet=True, iterations=2)
    assert on_record() == str({"COUNT": COUNT, "MODE": 0, "block_size_x": 64})


@pytest.mark.parametrize("defines, is_on_record", [(None, True), ({}, False), ({"N": "4"}, False)])
def test_searches_with_defines_are_not_on_record(defines, is_on_record):
    params = {"block_size_x": [32]}
    problem = recorded.problem_of(
        Sources("fill", MODES, None, None), Geometry(COUNT, (None,) * 3, None, defines, params), None, [], params
    )
    assert (problem is not None) == is_on_record


def test_results_have_a_look(measured):
    results, _ = replay(measured)
    assert isinstance(results, list) and json.loads(json.dumps(results[0])) == results[0]
    html = results._repr_html_()
    assert "12 configurations, 1 failed" in html and html.count("<tr>") == 1 + 10 + 2
    assert results.best["X"] == 8


def test_results_are_drawn(measured, tmp_path):
    matplotlib = pytest.importorskip("matplotlib", reason="python3-matplotlib is not installed")
    matplotlib.use("Agg")
    axes = replay(measured)[0].plot()
    lines = {line.get_label(): line for line in axes.get_lines()}
    assert [*lines["evaluations"].get_xdata()] == [*range(1, 12)]
    best = [*lines["best so far"].get_ydata()]
    assert best == sorted(best, reverse=True) and best[-1] == 1
    assert [*lines["failed"].get_xdata()] == [12]
    axes.figure.savefig(tmp_path / "search.png")
    assert (tmp_path / "search.png").read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib_plots_say_so(measured, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(kiln.UnsupportedError, match="plots need matplotlib"):
        replay(measured)[0].plot()
