"""The store: looking, upkeep, packs; and that a second process compiles nothing."""
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import kiln
from conftest import SAXPY

SPECS = pathlib.Path(__file__).parents[2] / "examples" / "specs"


@pytest.fixture
def filled(tmp_path):
    runtime = kiln.Runtime("cpu", store=str(tmp_path / "store"))
    runtime.kernel(SAXPY, "saxpy")(np.ones(64, np.float32), np.ones(64, np.float32), 1.0, global_size=64)
    runtime.finish()
    return runtime.store


def test_entries_can_be_looked_at(filled):
    (entry,) = filled.entries(kind="artifact")
    assert entry.kind == "artifact" and "saxpy" in entry.label and len(entry.key) == 64
    assert filled.entry(entry.key[:12]).key == entry.key
    assert len(filled.content(entry)) == entry.size
    assert "source length" in filled.facts(entry) and filled.difference(entry, entry) == ""
    assert entry.to_dict()["key"] == entry.key
    assert filled.explain(entry) and filled.statistics()["artifacts"]["entries"] == 1


def test_upkeep(filled):
    assert filled.verify()["entries"] > 0
    assert filled.gc(dry_run=True)["dry_run"] is True
    (entry,) = filled.entries(kind="artifact")
    assert filled.remove(entry) and not filled.remove(entry)
    assert filled.clear() > 0 and filled.entries() == []
    with pytest.raises(kiln.BadInputError, match="expected artifact, plan or record"):
        filled.entries(kind="program")
    with pytest.raises(kiln.NotFoundError):
        filled.entry("0123456789")


def test_packs_go_to_another_store(filled, tmp_path):
    report = filled.export_pack(tmp_path / "all.kiln", kind="artifact")
    assert report["entries"] == 1 and report["left_out"] == 0
    other = kiln.Store(tmp_path / "other")
    assert other.import_pack(tmp_path / "all.kiln", dry_run=True)["imported"] == report["entries"]
    assert other.entries() == []
    assert other.import_pack(tmp_path / "all.kiln")["imported"] == report["entries"]
    assert [e.key for e in other.entries()] == [e.key for e in filled.entries(kind="artifact")]
    (tmp_path / "bad.kiln").write_bytes(b"no pack")
    with pytest.raises(kiln.Error):
        other.import_pack(tmp_path / "bad.kiln")
    with pytest.raises(kiln.NotFoundError, match="absent.kiln"):
        other.import_pack(tmp_path / "absent.kiln")


def test_a_second_process_compiles_nothing(tmp_path):
    code = f"""
import kiln
runtime = kiln.Runtime("cpu", store={str(tmp_path / "store")!r})
result = runtime.run({str(SPECS / "saxpy.json")!r}, dataset=64)
print(*(step["layer"] for program in result.to_dict()["explain"] for step in program["steps"] if step["answered"]), sep=",")
runtime.finish()
"""

    def start():
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()

    assert "compile" in start().split(",")
    assert "local store" in start().split(",") and "compile" not in start().split(",")


def test_a_runtime_without_a_store_says_so():
    with pytest.raises(kiln.BadInputError):
        kiln.Runtime("cpu", store="off").store
