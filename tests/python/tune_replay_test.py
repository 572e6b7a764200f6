"""Strategies, by replay of recorded measurements; what is on record; how results look."""
import json

import numpy as np
import pytest

import kiln
from kiln.tune import METHODS, cache_file, recorded
from kiln.tune.geometry import Geometry
from kiln.tune.sources import Sources
from tune_cases import COUNT, HUB, MODES, replay


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
        return kiln.tune.best_on_record(*problem, params, restrictions=["block_size_x > 32"])

    def on_record_elsewhere():
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
    assert on_record() is None
    _, env = kiln.tune_kernel(*problem, params, restrictions=["block_size_x > 32"], quiet=True, iterations=2)
    found = {"COUNT": COUNT, "MODE": 0, "block_size_x": 64}
    # This process has looked for it before.
    assert on_record() == found and on_record_elsewhere() == str(found)
    # The store of now counts, not the one that this process had first.
    monkeypatch.setenv("KILN_STORE", str(tmp_path / "another"))
    assert on_record() is None
    monkeypatch.setenv("KILN_STORE", "off")
    assert on_record() is None
    monkeypatch.setenv("KILN_STORE", str(tmp_path / "store"))
    assert on_record() == found


@pytest.mark.parametrize(
    "given, said",
    [
        ({"restrictions": 3}, "restrictions: found int, expected a list"),
        ({"tune_params": {"X": 3}}, "tune_params: X: found 3, expected a list"),
        ({"tune_params": []}, "tune_params: expected a dict"),
        ({"problem_size": None}, "problem_size: found None"),
        ({"arguments": 3}, "arguments: found int, expected a list"),
        ({"device": 1.5}, "device: found 1.5, expected a number"),
    ],
)
def test_what_can_be_no_search_is_not_looked_for(given, said):
    search = {"kernel_name": "k", "kernel_source": MODES, "problem_size": 1, "arguments": [], "tune_params": {"X": [1]}}
    with pytest.raises(kiln.BadInputError, match=said):
        kiln.tune.best_on_record(**{**search, **given})


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
