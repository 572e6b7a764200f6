"""The wheel: what is in it, and that what is unpacked runs."""
import base64
import csv
import hashlib
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest

import kiln

# Its folder has the package's sources, too, which are not to be found in the place of what is built.
_SPEC = importlib.util.spec_from_file_location(
    "build_backend", pathlib.Path(__file__).parents[2] / "python" / "build_backend.py"
)
build_backend = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(build_backend)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Of the package as it lies in the build, whose modules find the build's libraries."""
    folder = tmp_path_factory.mktemp("wheel")
    stage = folder / "stage"
    shutil.copytree(pathlib.Path(kiln.__file__).parent, stage / "kiln")
    return folder / build_backend.write_wheel(folder, stage)


def test_the_record_has_every_file_and_its_digest(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        info = next(name for name in names if name.endswith("/RECORD"))
        rows = list(csv.reader(archive.read(info).decode().splitlines()))
        assert sorted(row[0] for row in rows) == sorted(names)
        for name, digest, size in rows:
            if name == info:
                continue
            data = archive.read(name)
            found = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert (digest, int(size)) == (f"sha256={found}", len(data)), name


def test_types_go_along(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {"kiln/py.typed", "kiln/__init__.pyi", "kiln/_kiln.pyi", "kiln/op2/data.pyi"} <= names


def test_the_metadata_say_what_it_is(wheel):
    with zipfile.ZipFile(wheel) as archive:
        folder = f"kiln-{kiln.version()}.dist-info"
        metadata = archive.read(f"{folder}/METADATA").decode()
        tags = archive.read(f"{folder}/WHEEL").decode()
    assert f"Name: kiln\nVersion: {kiln.version()}\n" in metadata and "Requires-Dist: numpy" in metadata
    assert f"Tag: {build_backend.tag()}" in tags and build_backend.tag() in wheel.name


def test_the_same_files_give_the_same_wheel(wheel, tmp_path):
    again = build_backend.write_wheel(tmp_path, wheel.parent / "stage")
    assert (tmp_path / again).read_bytes() == wheel.read_bytes()


def test_what_is_unpacked_runs(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    code = "import kiln; print(kiln.__file__, kiln.Runtime('cpu', store='off').devices[0].type.name)"
    ended = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True
    )
    assert ended.stdout == f"{tmp_path}/kiln/__init__.py CPU\n", ended.stderr


def test_a_package_that_was_not_built_is_no_wheel(tmp_path):
    (tmp_path / "stage").mkdir()
    with pytest.raises(FileNotFoundError, match="run ./dev wheel"):
        build_backend.write_wheel(tmp_path, tmp_path / "stage")
