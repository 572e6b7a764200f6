"""Caches, files of results and T4 files that are damaged: each is used right, or refused in one line."""
import json

import numpy as np
import pytest

import kiln
from kiln.tune import cache_file, files
from kiln.tune.results import Results
from tune_cases import replay

NONE = [float("nan"), float("inf"), -float("inf"), 10**400]
JSON = [*NONE, None, True, 7, 0, -3.5, "text", "", [], [1], ["a"], {}, {"a": 1}]
DEEP = "[" * 10_000 + "]" * 10_000


def damaged(value):
    """Copies of a value in which one member, however deep, is absent or something else."""
    if not isinstance(value, (dict, list)):
        return
    for at in value if isinstance(value, dict) else range(len(value)):
        def changed(to):
            copy = value.copy()
            copy[at] = to
            return copy

        absent = value.copy()
        del absent[at]
        yield absent
        yield from map(changed, JSON)
        yield from map(changed, damaged(value[at]))


def is_measured(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 10**300


def is_error_of(error, path):
    """One line that says which file."""
    return isinstance(error, kiln.Error) and "\n" not in str(error) and path.name in str(error)


def read_damaged(path, text, read):
    """What reading gives, or None where it is refused as it should be."""
    path.write_text(text)
    try:
        return read()
    except kiln.Error as error:
        assert is_error_of(error, path), f"{error!r}: {text}"
        return None


def small_cache():
    entries = {}
    for x, time in ((1, 3.0), (2, 1.5), (4, "RuntimeFailedConfig")):
        entries[f"{x},a"] = {
            "X": x, "K": "a", "time": time, "times": [time] if x < 4 else [], "GFLOP/s": 8.0 * x, "compile_time": 5.0,
            "verification_time": 0, "benchmark_time": 2.0, "strategy_time": 0, "framework_time": 0.5,
            "timestamp": "2024-01-01 00:00:00+00:00",
        }
    return {
        "device_name": "a GPU", "kernel_name": "k", "problem_size": [64], "tune_params_keys": ["X", "K"],
        "tune_params": {"X": [1, 2, 4], "K": ["a"]}, "objective": "time", "cache": entries,
    }


@pytest.mark.parametrize("objective", ["time", "GFLOP/s"])
def test_a_damaged_cache_is_replayed_right_or_refused(tmp_path, objective):
    path = tmp_path / "damaged.json"
    params = {"X": [1, 2, 4], "K": ["a"]}
    replayed, refused = 0, 0
    for found in damaged(small_cache()):
        text = json.dumps(found)
        got = None
        path.write_text(text)
        try:
            got = replay(path, params, objective=objective)
        except kiln.Error as error:
            # What is well formed is another search's, or lacks a configuration or the objective.
            known = ("simulation_mode: the cache has no configuration", "objective: found no ")
            assert is_error_of(error, path) or str(error).startswith(known), f"{error!r}: {text}"
            refused += 1
        if got is None:
            continue
        results, env = got
        times = [one["time"] for one in results if not isinstance(one.get("time", ""), str)]
        assert all(map(is_measured, times)), text
        assert all(one["X"] in params["X"] and one["K"] == "a" for one in results), text
        values = [one.get(objective) for one in results if not isinstance(one.get("time"), str)]
        values = [one for one in values if is_measured(one) or one == -3.5]
        best = env.get("best_config", {objective: None})[objective]
        assert best == (min if objective == "time" else max)(values, default=None), text
        assert is_measured(env["total_compile_time"]) or env["total_compile_time"] < 0, text
        replayed += 1
    assert replayed > 100 and refused > 300


def test_a_damaged_cache_is_gone_on_with_or_refused(tmp_path):
    path = tmp_path / "damaged.json"
    header = {name: value for name, value in small_cache().items() if name != "cache"}
    opened = 0

    def go_on():
        file = cache_file.CacheFile(path, header)
        file.add((8, "a"), {"X": 8, "K": "a", "time": 1.0})
        file.close()
        return cache_file.read(path)

    for found in damaged(small_cache()):
        again = read_damaged(path, json.dumps(found), go_on)
        if again is not None:
            assert [*again["cache"]] == [*found["cache"], "8,a"]
            opened += 1
    assert opened > 100


def test_a_search_starts_from_a_damaged_cache_or_refuses_it(tmp_path, measured):
    path = tmp_path / "damaged.json"
    started = 0
    for found in damaged(small_cache()):
        options = {"max_fevals": 1, "start_from": path}
        got = read_damaged(
            path, json.dumps(found), lambda: replay(measured, strategy="forest", strategy_options=options)
        )
        started += got is not None
    assert started > 100


@pytest.mark.parametrize("read", [cache_file.read, lambda path: files.create_device_targets(path.parent / "t.h", path)])
@pytest.mark.parametrize("kind", ["cut", "bytes", "deep", "deep member"])
def test_damaged_text_is_refused_in_one_line(tmp_path, kind, read):
    path = tmp_path / "text.json"
    good = json.dumps(small_cache()).encode()
    deep = {"device_name": DEEP, "note": DEEP, "cache": '{"1,a": ' + DEEP + "}", "data": DEEP}
    contents = {
        "cut": [good[:at] for at in range(0, len(good) - 2, 7)],
        "bytes": [good.replace(b"a GPU", b"\xff\xfe"), b"\x1f\x8b" + good, b"\0" * 9],
        "deep": [DEEP.encode(), DEEP[:10_000].encode(), ('{"cache":' * 10_000).encode()],
        "deep member": [('{"version_number": "1.0", "cache": {}, "%s": %s}' % one).encode() for one in deep.items()],
    }[kind]
    for content in contents:
        path.write_bytes(content)
        try:
            read(path)
        except kiln.Error as error:
            assert is_error_of(error, path), error
        else:
            assert kind == "cut" and read is cache_file.read, content
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(kiln.IoError, match="folder.json: Is a directory"):
        read(tmp_path / "folder.json")


def test_a_time_that_stood_for_a_failure_is_one(tmp_path):
    found = small_cache()
    found["cache"]["2,a"]["time"] = 1e20
    (tmp_path / "old.json").write_text(json.dumps(found))
    results, env = replay(tmp_path / "old.json", {"X": [1, 2], "K": ["a"]})
    assert env["best_config"]["X"] == 1 and results[1]["time"].failure == "launch"


def test_times_that_are_none_are_never_the_best():
    none = [float("nan"), float("inf"), -float("inf"), -1.0, 10**400, None, "text", True, [1], np.float32("nan")]
    results = Results([{"time": one} for one in [*none, 2.0, *none]])
    assert results.best == {"time": 2.0} and Results([{"time": one} for one in none]).best is None
    grows = Results([{"GB/s": one} for one in [*none, -2.0]], objective="GB/s", grows=True)
    assert grows.best["GB/s"] == -1.0


# ---- Files of results


def stored(path, objective="time"):
    results = [{"X": x, "time": 1.0 * x, "GB/s": 8.0 / x, "times": [1.0]} for x in (1, 2)]
    files.store_results(path, "k", "", ["X"], 64, results, {"device_name": "a GPU"}, top=200, objective=objective)
    return results


@pytest.mark.parametrize("objective", ["time", "GB/s"])
def test_a_damaged_file_of_results_is_used_right_or_refused(tmp_path, objective):
    path, header = tmp_path / "stored.json", tmp_path / "targets.h"
    stored(path, objective)
    good = json.loads(path.read_text())
    used = 0
    for found in damaged(good):
        text = json.dumps(found)

        def use():
            files.create_device_targets(header, path)
            stored(path, objective)
            return header.read_text()

        made = read_damaged(path, text, use)
        if made is not None:
            devices = {one["device_name"] for one in found["data"]}
            assert made.count("#define X ") == len(devices) + 1 and "nan" not in made and "inf" not in made, text
            used += 1
    assert 10 < used


def test_a_damaged_t4_file_is_refused_in_one_line(tmp_path):
    path = tmp_path / "t4.json"
    files.store_output_file(path, stored(tmp_path / "stored.json"), ["X"])
    good = json.loads(path.read_text())
    kiln.tune.read_t4(path)
    read = 0
    for found in damaged(good):
        got = read_damaged(path, json.dumps(found), lambda: kiln.tune.read_t4(path))
        if got is not None:
            assert all(one["seconds"] is None or is_measured(one["seconds"]) for one in got)
            read += 1
    assert read > 50
    for content in (DEEP.encode(), path.read_bytes()[:-20], b"\xff\xfe{}", b""):
        path.write_bytes(content)
        with pytest.raises(kiln.Error, match="t4.json") as caught:
            kiln.tune.read_t4(path)
        assert "\n" not in str(caught.value)
    with pytest.raises(kiln.IoError, match="Is a directory"):
        kiln.tune.read_t4(tmp_path)


@pytest.mark.parametrize(
    "write, said",
    [
        (lambda p: files.store_results(p, "k", "", ["Y"], 1, [{"X": 1}], {}), "results: 0: found no 'Y'"),
        (lambda p: files.store_results(p, "k", "", ["X"], 1, [3], {}), "results: 0: found int, expected a dict"),
        (lambda p: files.store_results(p, "k", "", ["X"], 1, None, {}), "results: found NoneType"),
        (lambda p: files.store_results(p, "k", "", ["X"], 1, [{"X": 1}], {}), "env: found no 'device_name'"),
        (lambda p: files.store_results(p, "k", "", [], 1, [], {"device_name": "d"}, top="3"), "top: found '3'"),
        (lambda p: files.store_results(p, "k", "", [], 1, [], {"device_name": "d"}), "found no result with 'time'"),
        (lambda p: files.store_output_file(p, [{"X": 1}], ["Y"]), "results: 0: found no 'Y'"),
        (lambda p: files.store_output_file(3, [], []), "output_filename: found 3"),
        (lambda p: files.create_device_targets(p, None), "results_filename: found None"),
        (lambda p: cache_file.read("a\0b"), "cache: found 'a.x00b'"),
        (lambda p: kiln.tune.read_t4(3), "file: found 3, expected a file's name"),
    ],
)
def test_what_is_no_result_is_not_written(tmp_path, write, said):
    with pytest.raises(kiln.BadInputError, match=said):
        write(tmp_path / "out.json")
    assert not [*tmp_path.iterdir()]


def test_a_metric_that_is_no_number_leaves_a_file_of_json(tmp_path):
    results = [{"X": 1, "time": 1.0, "m": float("nan"), "n": float("inf"), "o": 2.0}]
    files.store_output_file(tmp_path / "t4", results, ["X"])
    (one,) = json.loads((tmp_path / "t4.json").read_text(), parse_constant=pytest.fail)["results"]
    assert {measured["name"] for measured in one["measurements"]} == {"time", "o"}
