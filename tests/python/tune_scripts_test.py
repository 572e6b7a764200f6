"""Scripts written for Kernel Tuner, run with their import lines changed and nothing else."""
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

import kiln
from kiln.tune import cache_file

SCRIPTS = pathlib.Path(__file__).parent / "kernel_tuner_scripts"
IMPORTS = {
    r"^import kernel_tuner$": "import kiln as kernel_tuner",
    r"^from kernel_tuner import": "from kiln import",
    r"^from kernel_tuner\.observers import": "from kiln.tune.observers import",
    r"^from kernel_tuner\.file_utils import": "from kiln.tune.files import",
}


def run(name, folder):
    """Runs a script in a folder; returns what it printed."""
    text = (SCRIPTS / f"{name}.py").read_text()
    for pattern, line in IMPORTS.items():
        text = re.sub(pattern, line, text, flags=re.M)
    assert not re.search(r"^(import|from) kernel_tuner", text, re.M)
    file = folder / f"{name}.py"
    file.write_text(text)
    done = subprocess.run(
        [sys.executable, "-B", file.name],
        cwd=folder,
        env=os.environ,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def replayed(name, folder, kernel_name, problem_size, tune_params, **more):
    return kiln.tune_kernel(
        kernel_name, "", problem_size, [], tune_params, cache=folder / name, simulation_mode=True,
        quiet=True, **more,
    )


def test_every_script_is_tried_here():
    text = pathlib.Path(__file__).read_text()
    for file in SCRIPTS.glob("*.py"):
        assert f'run("{file.stem}"' in text, file


def test_vector_add(tmp_path):
    printed = run("vector_add", tmp_path)
    results = json.loads((tmp_path / "vector_add_results.json").read_text())
    assert [one["block_size_x"] for one in results] == [32, 64, 128, 192]
    best = min(results, key=lambda one: one["time"])
    again, env = replayed("vector_add.json", tmp_path, "vector_add", 100000, {"block_size_x": [32, 64, 128, 192]})
    assert env["best_config"]["block_size_x"] == best["block_size_x"]
    assert [one["times"] for one in again] == [one["times"] for one in results]
    assert env["device_name"] in printed and f"block_size_x={best['block_size_x']}, time=" in printed
    # Nothing is measured a second time: the results are the cache's.
    run("vector_add", tmp_path)
    assert json.loads((tmp_path / "vector_add_results.json").read_text()) == results


def test_convolution(tmp_path):
    run("convolution", tmp_path)
    found = cache_file.read(tmp_path / "convolution.json")
    best = max(found["cache"].values(), key=lambda one: one["GFLOP/s"])
    _, env = replayed(
        "convolution.json", tmp_path, "convolution", (96, 64), found["tune_params"],
        restrictions=["block_size_x * block_size_y >= 64", "tile_size_x == 1 or block_size_y == 8"],
        objective="GFLOP/s",
    )
    assert env["best_config"] == best


def test_matmul(tmp_path):
    run("matmul", tmp_path)
    found = cache_file.read(tmp_path / "matmul.json")
    assert found["objective"] == "time" and len(found["cache"]) == 5
    # Some do not fit some devices.
    fitting = [one for one in found["cache"].values() if not isinstance(one["time"], str)]
    best = min(fitting, key=lambda one: one["time"])
    known = [dict(one) for one in found["cache"].values()]
    _, env = replayed(
        "matmul.json", tmp_path, "matmul", (64, 64), found["tune_params"],
        restrictions=lambda p: any(all(p[name] == one[name] for name in p) for one in known),
    )
    assert env["best_config"] == best


def test_reduction(tmp_path):
    run("reduction", tmp_path)
    measured = kiln.tune.read_t4(tmp_path / "reduction-output.json")
    assert len(measured) == 3 and all(one["failure"] is None for one in measured)
    written = json.loads((tmp_path / "reduction-output.json").read_text())
    by_config = {
        (one["configuration"]["block_size_x"], one["configuration"]["num_blocks"]): one["measurements"]
        for one in written["results"]
    }
    for one in measured:
        times = by_config[(one["values"]["block_size_x"], one["values"]["num_blocks"])]
        assert one["seconds"] * 1e3 == pytest.approx(next(m["value"] for m in times if m["name"] == "time"))
        assert {m["name"] for m in times} == {"time", "GB/s"}


def test_stencil(tmp_path):
    assert "block_size_x=32, block_size_y=2, unroll=1" in run("stencil", tmp_path)


def test_pnpoly(tmp_path):
    run("pnpoly", tmp_path)
    stored = json.loads((tmp_path / "pnpoly.json").read_text())
    assert stored["version_number"] == "1.0" and stored["kernel_name"] == "cn_pnpoly"
    best = min(stored["data"], key=lambda one: one["time"])
    assert all(one["time"] <= 1.5 * best["time"] for one in stored["data"])
    header = (tmp_path / "pnpoly_targets.h").read_text()
    assert f"TARGET_{best['device_name']}" in header
    assert f"#define block_size_x {best['tunable_parameters']['block_size_x']}\n" in header
    # A program that includes it compiles for the device.
    program = (tmp_path / "pnpoly_targets.h").read_text() + "kernel void k(global int *x) { x[0] = block_size_x; }"
    x = kiln.Runtime("cpu").array([0], "int32")
    kiln.Runtime("cpu").kernel(program, "k", macros={"TARGET_" + best["device_name"]: 1})(
        x, global_size=1, local_size=1
    )
    assert x.read()[0] == best["tunable_parameters"]["block_size_x"]


def test_expdist(tmp_path):
    printed = run("expdist", tmp_path)
    results = json.loads((tmp_path / "expdist_results.json").read_text())
    assert all(one["pairs"] == pytest.approx(360_000 / one["time"]) for one in results)
    best = max(results, key=lambda one: one["pairs"])
    # A run of each that was measured, and last the best one.
    found = re.findall(r"block_size_x=(\d+), .*pairs=([\d.]+)", printed)
    assert found[-1] == (str(best["block_size_x"]), f"{best['pairs']:.3f}")
