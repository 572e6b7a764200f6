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


def run(name, folder, **environment):
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
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# Without a store the driver compiles, and its own cache has the programs of an earlier run of these tests; a
# search's own programs go with it.
WITHOUT_STORE = {"KILN_STORE": "off"}


def replayed(name, folder, kernel_name, problem_size, tune_params, **more):
    return kiln.tune_kernel(
        kernel_name, "", problem_size, [], tune_params, cache=folder / name, simulation_mode=True,
        quiet=True, **more,
    )


def test_every_script_is_tried_here():
    text = pathlib.Path(__file__).read_text()
    for file in SCRIPTS.glob("*.py"):
        assert f'run("{file.stem}"' in text, file


def test_what_scripts_import_is_there_or_says_that_it_is_not(tmp_path):
    import kiln as kernel_tuner

    for module, names in {
        "util": "ErrorConfig InvalidConfig CompilationFailedConfig RuntimeFailedConfig StopCriterionReached "
                "get_best_config get_config_string read_cache",
        "file_utils": "store_output_file store_metadata_file",
        "integration": "store_results create_device_targets",
        "observers": "BenchmarkObserver IterationObserver OutputObserver PrologueObserver",
    }.items():
        for name in names.split():
            assert getattr(getattr(kernel_tuner, module), name).__doc__, name
    for module, name in (
        ("kernelbuilder", "PythonKernel"), ("accuracy", "AccuracyObserver"), ("observers", "NVMLObserver"),
    ):
        assert not hasattr(getattr(kernel_tuner, module), name)
        with pytest.raises(kiln.UnsupportedError, match=f"^kernel_tuner's {name} is not in Kiln: .*expected"):
            getattr(getattr(kernel_tuner, module), name)
    kernel_tuner.file_utils.store_metadata_file(tmp_path / "deep" / "metadata")
    written = json.loads((tmp_path / "deep" / "metadata.json").read_text())
    assert kiln.devices()[0].name in {one["name"] for one in written["hardware"]["devices"]}


def test_a_cache_alone_is_searched(measured):
    results, env = kiln.tune_cache(measured, quiet=True)
    assert len(results) == 12 and (env["best_config"]["X"], env["best_config"]["Y"]) == (8, 2)
    assert kiln.tune.get_best_config(results) == env["best_config"]
    line = kiln.tune.get_config_string(env["best_config"], ["X", "time"], {"time": "ms"})
    assert line == "X=8, time=1.000ms"
    for restrictions in ("Y != 2", ["Y != 2"], lambda p: p["Y"] != 2, [lambda Y, **_: Y != 2]):
        results, _ = kiln.tune_cache(
            measured, restrictions, strategy="mls", strategy_options={"max_fevals": 4}, quiet=True
        )
        assert len(results) == 4 and {one["Y"] for one in results} <= {1, 3}
    entries = json.loads(measured.read_text())
    del entries["cache"]["8,2"]
    measured.write_text(json.dumps(entries))
    results, _ = kiln.tune_cache(measured, quiet=True, objective="Y", objective_higher_is_better=True)
    assert len(results) == 11 and results.best["Y"] == 3
    del entries["tune_params"]
    measured.write_text(json.dumps(entries))
    with pytest.raises(kiln.CorruptError, match="measured.json: found no 'tune_params', expected it"):
        kiln.tune_cache(measured)
    with pytest.raises(kiln.BadInputError, match="results: found none with a number as 'time'"):
        kiln.tune.get_best_config([{"time": "InvalidConfig"}])


@pytest.mark.parametrize(
    "given, said",
    [
        ({"simulation_mode": True}, "simulation_mode: found no cache_filepath"),
        ({"cache_filepath": "x"}, "cache_filepath: found a cache without simulation_mode"),
        ({"objective": "GFLOP/s"}, "objective: found 'GFLOP/s', expected \"time\""),
        ({"strategy": "magic"}, "strategy: found 'magic', expected"),
        ({"strategy_options": {"max_fevals": 0}}, "strategy_options: max_fevals: found 0"),
        ({"strategy": object()}, "strategy: found an object, expected a name"),
        ({"device": 1.5}, "device: found 1.5"),
        ({}, "absent.json"),
    ],
)
def test_what_a_tuning_problem_cannot_have_is_refused(given, said):
    with pytest.raises(kiln.Error, match=said) as caught:
        kiln.tune_kernel_T1("absent.json", **given)
    assert "\n" not in str(caught.value)


def test_a_tuning_problem_is_replayed_from_a_cache(measured):
    metadata, t4 = kiln.tune_kernel_T1("", measured, simulation_mode=True, strategy="brute_force")
    assert len(t4["results"]) == 12 and metadata["requirements"]["kiln"] == kiln.version()
    results, env = kiln.tune_kernel_T1("", measured, simulation_mode=True, output_T4=False)
    assert results.best == env["best_config"]


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
    run("matmul", tmp_path, **WITHOUT_STORE)
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
    run("reduction", tmp_path, **WITHOUT_STORE)
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
    assert "block_size_x=32, block_size_y=2, unroll=1" in run("stencil", tmp_path, **WITHOUT_STORE)


def test_pnpoly(tmp_path):
    run("pnpoly", tmp_path, **WITHOUT_STORE)
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
    printed = run("expdist", tmp_path, **WITHOUT_STORE)
    results = json.loads((tmp_path / "expdist_results.json").read_text())
    assert all(one["pairs"] == pytest.approx(360_000 / one["time"]) for one in results)
    best = max(results, key=lambda one: one["pairs"])
    # A run of each that was measured, and last the best one.
    found = re.findall(r"block_size_x=(\d+), .*pairs=([\d.]+)", printed)
    assert found[-1] == (str(best["block_size_x"]), f"{best['pairs']:.3f}")
