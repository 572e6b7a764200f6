"""Cache files and files of results: whole at any moment, damaged, of others."""
import errno
import gzip
import json
import os

import numpy as np
import pytest

import kiln
from kiln.tune import cache_file, files
from tune_cases import COUNT, modes


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
    header = {"device_name": "d", "kernel_name": "k", "problem_size": 64, "tune_params_keys": ["block_size_x", "MODE"]}
    found = {**header, member: value, "cache": {}}
    text = json.dumps(found)
    cache.write_text(text)
    with pytest.raises(kiln.BadInputError, match=f"other.json: found {member}"):
        cache_file.CacheFile(cache, header)
    assert cache.read_text() == text
    if member == "kernel_name":  # the search says it, too
        del found["device_name"]
        cache.write_text(json.dumps(found))
        with pytest.raises(kiln.BadInputError, match="other.json: found kernel_name 'another', expected 'fill'"):
            modes(0, cache=cache)


def test_what_is_no_cache_is_refused(tmp_path):
    for text in ("[1]", "{", '{"cache": 3}', "nothing"):
        (tmp_path / "none.json").write_text(text)
        with pytest.raises(kiln.CorruptError, match="none.json: found no cache file"):
            cache_file.CacheFile(tmp_path / "none.json", {})
        assert (tmp_path / "none.json").read_text() == text
    with pytest.raises(kiln.CorruptError, match="none.json: found no cache file"):
        modes(0, cache=tmp_path / "none.json")


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
