"""The store: looking, upkeep, packs; and that a second process compiles nothing."""
import os
import pathlib
import shutil
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


def test_entries_differ_by_what_they_were_made_of(filled):
    runtime = kiln.Runtime("cpu", store=str(filled.folder))
    longer = SAXPY + "// another"
    runtime.kernel(longer, "saxpy")(np.ones(64, np.float32), np.ones(64, np.float32), 1.0, global_size=64)
    runtime.finish()
    one, two = filled.entries(kind="artifact")
    assert "source length" in filled.difference(one, two)


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


def test_signed_packs_are_trusted_by_those_who_list_the_key(filled, tmp_path, monkeypatch):
    key = kiln.SigningKey.generate()
    assert len(key.public_key) == 64 and key.public_key[:16] in repr(key)
    key.save(tmp_path / "key")
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    with pytest.raises(kiln.BadInputError, match="is there already"):
        key.save(tmp_path / "key")
    assert kiln.SigningKey.read(tmp_path / "key").public_key == key.public_key
    filled.export_pack(tmp_path / "plain.kiln", kind="artifact")
    filled.export_pack(tmp_path / "signed.kiln", kind="artifact", signing_key=key)
    assert kiln.sign_pack(tmp_path / "plain.kiln", tmp_path / "key", tmp_path / "later.kiln") == 1
    assert (tmp_path / "later.kiln").read_bytes() == (tmp_path / "signed.kiln").read_bytes()
    trusted = tmp_path / "trusted-keys"
    monkeypatch.setenv("KILN_TRUSTED_KEYS", str(trusted))
    other = kiln.Store(tmp_path / "other")
    trusted.write_text(kiln.SigningKey.generate().public_key + "\n")
    (entry,) = kiln.verify_pack(tmp_path / "signed.kiln")
    assert entry["signer"] == key.public_key and not entry["trusted"] and "not listed" in entry["reason"]
    assert kiln.verify_pack(tmp_path / "plain.kiln")[0]["reason"] == "unsigned"
    assert other.import_pack(tmp_path / "signed.kiln")["refused"] == 1
    trusted.write_text(key.public_key + "\n")
    assert kiln.verify_pack(tmp_path / "signed.kiln")[0]["trusted"]
    assert other.import_pack(tmp_path / "plain.kiln")["refused"] == 1
    assert other.import_pack(tmp_path / "signed.kiln")["imported"] == 1


@pytest.mark.skipif(not shutil.which("dpkg-deb"), reason="dpkg is not installed")
def test_a_system_store_is_a_package(filled, tmp_path):
    report = filled.export_system(tmp_path / "store.deb", kind="artifact", package="my-store", version="2")
    assert report["name"] == "my-store" and report["version"] == "2" and report["entries"] == 1
    listed = subprocess.run(["dpkg-deb", "--field", tmp_path / "store.deb", "Package"], capture_output=True, text=True)
    assert listed.stdout == "my-store\n"
    with pytest.raises(kiln.BadInputError):
        filled.export_system(tmp_path / "store.deb", package="My Store")


@pytest.fixture
def redis(tmp_path):
    """A server with a socket in a folder of its own."""
    if not shutil.which("redis-server"):
        pytest.skip("redis-server is not installed")
    place = tmp_path / "redis.sock"
    server = subprocess.Popen(
        ["redis-server", "--port", "0", "--unixsocket", place, "--save", "", "--dir", tmp_path],
        stdout=subprocess.PIPE,
        text=True,
    )
    for line in server.stdout:
        if "ready to accept" in line.lower() or "accept connections" in line.lower():
            break
    yield f"unix://{place}"
    server.terminate()
    server.wait()
    server.stdout.close()


def test_entries_go_by_the_shared_store(filled, tmp_path, redis):
    mine = kiln.Store(filled.folder, shared=redis, shared_timeout_ms=5000)
    sent = mine.push(kind="artifact")
    assert sent["done"] == 1 and sent["failed"] == 0 and sent["reasons"] == [] and sent["bytes"] > 0
    theirs = kiln.Store(tmp_path / "theirs", shared=redis, shared_timeout_ms=5000)
    assert theirs.pull()["done"] == 1
    assert [e.key for e in theirs.entries()] == [e.key for e in filled.entries(kind="artifact")]
    assert theirs.pull()["present"] == 1


def test_a_shared_store_that_is_not_there_is_no_silence(filled, tmp_path, monkeypatch):
    monkeypatch.setenv("KILN_SHARED_STORE", "off")
    with pytest.raises(kiln.BadInputError, match="shared"):
        kiln.Store(filled.folder).push()
    nowhere = kiln.Store(filled.folder, shared=f"unix://{tmp_path}/none.sock")
    report = nowhere.push()
    assert report["failed"] == len(filled.entries()) and report["reasons"][0]["reason"]
    with pytest.raises(kiln.Error):
        nowhere.pull()


def test_recorded_calls_are_compiled_beforehand(tmp_path):
    record = tmp_path / "calls.jsonl"
    code = f"""
import numpy as np, kiln
from kiln import blas
runtime = kiln.Runtime("cpu", store={str(tmp_path / "first")!r})
blas.axpy(1.0, np.ones(8), np.ones(8), runtime=runtime)
runtime.run({str(SPECS / "saxpy.json")!r}, dataset=64)
"""
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "KILN_RECORD": str(record)})
    runtime = kiln.Runtime("cpu", store=str(tmp_path / "second"))
    result = runtime.prebuild(record)
    assert {call["kind"] for call in result["calls"]} >= {"blas", "spec"}, result
    assert all(call["failure"] is None and call["programs"] for call in result["calls"])
    assert result["compiled"] == len(result["keys"]) > 1
    assert runtime.prebuild(record)["compiled"] == 0
    (tmp_path / "none.jsonl").write_text("no record")
    with pytest.raises(kiln.BadInputError):
        runtime.prebuild(tmp_path / "none.jsonl")


def test_applications_that_are_not_on_record_are_named(filled):
    runtime = kiln.Runtime("cpu", store=filled.folder)
    assert filled.applications() == []
    for call in (filled.used_by, filled.keys_used_by, runtime.prebuild_used_by):
        with pytest.raises(kiln.NotFoundError, match="my-program"):
            call("my-program")
