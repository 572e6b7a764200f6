"""Makes the wheel (PEP 517) of the package as `./dev wheel` has put it together under build/wheel."""
import base64
import hashlib
import pathlib
import re
import subprocess
import sysconfig
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).parents[1]
STAGE = ROOT / "build" / "wheel"


def project():
    """The table [project] of pyproject.toml, with the version of the headers."""
    found = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    header = (ROOT / "include/kiln/version.hpp").read_text()
    numbers = re.findall(r"^#define KILN_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header, re.M)
    found["version"] = ".".join(numbers)
    return found


def tag():
    """Of this interpreter and this platform: an extension module is for one minor version."""
    python = sysconfig.get_config_var("py_version_nodot")
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"cp{python}-cp{python}-{platform}"


def metadata(about):
    """The file METADATA (Python's core metadata 2.1)."""
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {about['name']}",
        f"Version: {about['version']}",
        f"Summary: {about['description']}",
        f"Requires-Python: {about['requires-python']}",
        *(f"Requires-Dist: {one}" for one in about["dependencies"]),
        "Description-Content-Type: text/markdown",
        "",
        (ROOT / about["readme"]).read_text(),
    ]
    return "\n".join(lines)


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def write_wheel(folder, stage):
    """Packs the files below `stage`, and returns the wheel's name. The same files give the same bytes."""
    about = project()
    info = f"{about['name']}-{about['version']}.dist-info"
    files = {
        str(path.relative_to(stage)): (path.read_bytes(), 0o755 if path.stat().st_mode & 0o100 else 0o644)
        for path in sorted(stage.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    if not any(name.endswith(".so") for name in files):
        raise FileNotFoundError(f"{stage} has no extension modules: run ./dev wheel")
    files[f"{info}/METADATA"] = (metadata(about).encode(), 0o644)
    wheel = f"Wheel-Version: 1.0\nGenerator: kiln\nRoot-Is-Purelib: false\nTag: {tag()}\n"
    files[f"{info}/WHEEL"] = (wheel.encode(), 0o644)
    record = [f"{name},sha256={digest(data)},{len(data)}" for name, (data, _) in files.items()]
    record += [f"{info}/RECORD,,", ""]
    files[f"{info}/RECORD"] = ("\n".join(record).encode(), 0o644)
    name = f"{about['name']}-{about['version']}-{tag()}.whl"
    with zipfile.ZipFile(pathlib.Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, (data, mode) in files.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """PEP 517. Builds first what was not built yet."""
    if not (STAGE / "kiln").is_dir():
        subprocess.run([ROOT / "dev", "wheel", "--stage"], check=True)
    return write_wheel(wheel_directory, STAGE)


def get_requires_for_build_wheel(config_settings=None):
    return []
