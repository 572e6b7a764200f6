"""kiln.tune.kernel, spec and campaign: Kiln's own searches, in processes of their own."""
import json
import os
import pathlib
import select
import signal
import subprocess
import sys

import numpy as np
import pytest

import kiln
from kiln import tune

COUNT = 256

# LOOP is what it costs; MODE 1 is wrong, 2 does not compile.
SCALE = """
kernel void scale(global const float *x, global float *y, float a) {
#if MODE == 2
#error not this one
#endif
  const int i = get_global_id(0);
  float sum = 0;
  for (volatile int k = 0; k < LOOP; ++k) sum += 1;
  y[i] += a * x[i] + (sum - LOOP) + (MODE == 1);
}
"""


@pytest.fixture(scope="module")
def rt(tmp_path_factory):
    folder = tmp_path_factory.mktemp("searches")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(folder))
        patch.setenv("XDG_RUNTIME_DIR", str(folder))
        yield kiln.Runtime("cpu", store=str(folder / "store"))


def problem(modes=(0,), loops=(2000, 1)):
    return {
        "source": SCALE,
        "name": "scale",
        "arguments": [np.arange(COUNT, dtype=np.float32), np.ones(COUNT, np.float32), 3.0],
        "parameters": {"GROUP": [16], "MODE": [*modes], "LOOP": [*loops]},
        "global_size": COUNT,
        "local_size": "[GROUP]",
    }


MODES = (0, 1, 2)


@pytest.fixture(scope="module")
def told():
    return []


@pytest.fixture(scope="module")
def found(rt, told):
    """Of a search over MODES."""
    given = problem(modes=MODES, loops=(1,))
    assert tune.on_record(rt, **given) is None
    found = tune.kernel(rt, **given, budget=120, method="exhaustive", progress=told.append)
    assert (given["arguments"][1] == 1).all()
    return found


def test_a_search_finds_the_best_and_lists_all(found, told):
    assert found.best == {"GROUP": 16, "LOOP": 1, "MODE": 0} and found.stored
    assert (found.evaluated, found.failed, found.space) == (3, 2, 3)
    assert (found.global_size, found.local_size) == ((COUNT,), (16,))
    by_mode = {one["values"]["MODE"]: one for one in found.configurations}
    assert by_mode[0]["failure"] is None and by_mode[0]["seconds"] > 0
    assert by_mode[1]["failure"] == "wrong_result" and by_mode[1]["seconds"] is None
    assert by_mode[2]["failure"] == "build" and "not this one" in by_mode[2]["message"]
    assert told[-1]["evaluated"] == 3 and told[-1]["configurations"] == 3


def test_the_winner_is_on_record(rt, found):
    recorded = tune.on_record(rt, **problem(modes=MODES, loops=(1,)))
    assert recorded.values == found.best and recorded.seconds == pytest.approx(found.seconds)
    assert recorded.global_size == (COUNT,) and recorded.local_size == (16,)


def test_a_result_is_plain_data(found):
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["best"] == found.best and len(plain["configurations"]) == 3
    failures = {one["values"]["MODE"]: one["failure"] for one in tune.read_t4(tune.t4(found).encode())}
    assert failures == {0: None, 1: "wrong_result", 2: "build"}
    html = found._repr_html_()
    assert "wrong_result" in html and "GROUP=16" in html
    assert repr(found).startswith("<kiln.tune.Result 'scale") and isinstance(found, tune.Result)


def test_a_search_is_drawn(found):
    matplotlib = pytest.importorskip("matplotlib", reason="python3-matplotlib is not installed")
    matplotlib.use("Agg")
    labels = {line.get_label() for line in found.plot().get_lines()}
    assert labels == {"evaluations", "best so far", "failed"}


INTERRUPTED = """
import os, signal, sys
sys.path.insert(0, {folder!r})
import kiln
from kiln import tune
from tune_searches_test import problem

def interrupt(now):
    if now["evaluated"] == 2:
        os.killpg(0, signal.SIGINT)

rt = kiln.Runtime("cpu", store={store!r})
given = problem(loops=(1, 2, 3, 4, 5, 6))
found = tune.kernel(rt, **given, method="exhaustive", progress=interrupt)
assert found.decided_by == "interrupted" and 2 <= found.evaluated <= 4, found.to_dict()
assert tune.on_record(rt, **given).values == found.best
print("went on")
"""


def test_ctrl_c_at_a_terminal_ends_a_search_with_the_best_so_far(rt):
    """It comes to all processes of the terminal's group, the helper that searches among them."""
    script = INTERRUPTED.format(folder=str(pathlib.Path(__file__).parent), store=rt.store.folder)
    done = subprocess.run(
        [sys.executable, "-B", "-c", script], start_new_session=True, capture_output=True, text=True
    )
    assert done.stdout == "went on\n", done.stderr


# A kernel of SCALE's arguments that never ends where LOOP is 2.
STUCK = """
kernel void scale(global const float *x, global float *y, float a) {
  volatile global float *stay = y;
  if (LOOP == 2)
    do stay[0] += 2; while (stay[0] != 1.5f);
}
"""

STOPPED = """
import os, signal, sys, threading
sys.path.insert(0, {folder!r})
import kiln
from kiln import tune
from tune_searches_test import STUCK, problem

def interrupt(seconds):
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.daemon = True
    timer.start()

rt = kiln.Runtime("cpu", store={store!r})
given = {{**problem(loops={loops}), "source": STUCK}}
options = {{"method": "exhaustive", "budget": 900, "hang_time": 900, "fresh": True}}
"""


def searchers(session):
    """What still runs of the processes of searches in a session; those that are ending are waited for."""
    found = []
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = status.read_text().partition("(")[2].rpartition(")")
            if name != "kiln-tune" or rest.split()[3] != str(session):
                continue
            process = os.pidfd_open(int(status.parent.name))
        except OSError:
            continue
        if not select.select([process], [], [], 60)[0]:
            found.append(status.parent.name)
        os.close(process)
    return found


def stopped(rt, loops, script):
    """The exit status and output of a script that Ctrl-C comes to; its searches have left no process."""
    head = STOPPED.format(folder=str(pathlib.Path(__file__).parent), store=rt.store.folder, loops=loops)
    process = subprocess.Popen(
        [sys.executable, "-B", "-c", head + script], start_new_session=True, stdout=subprocess.PIPE, text=True,
        stderr=subprocess.DEVNULL,
    )
    output = process.communicate()[0]
    assert searchers(process.pid) == []
    return process.returncode, output


@pytest.mark.parametrize("signals", [1, 2])
def test_ctrl_c_ends_a_search_whose_reference_hangs(rt, signals):
    """With one signal or several, no process is left, and the interpreter ends."""
    script = f"""
for number in range({signals}):
    interrupt(1 + number / 8)
tune.kernel(rt, **given, **options)
"""
    assert stopped(rt, (2,), script) == (-signal.SIGINT, "")


def test_ctrl_c_while_a_candidate_hangs_gives_the_best_so_far(rt):
    script = """
found = tune.kernel(rt, **given, **options, progress=lambda now: interrupt(0.5))
assert found.decided_by == "interrupted" and found.evaluated == 1, found.to_dict()
assert tune.on_record(rt, **given).values == found.best == {"GROUP": 16, "MODE": 0, "LOOP": 1}
print(found.journal)
"""
    code, output = stopped(rt, (1, 2), script)
    assert code == 0 and pathlib.Path(output.strip()).exists()


def test_a_reference_has_the_time_of_a_candidate(rt):
    with pytest.raises(kiln.TimeoutError, match="the reference.* did not end within 2 s"):
        tune.kernel(rt, **{**problem(loops=(2,)), "source": STUCK}, hang_time=2)


def test_progress_ends_a_search(rt):
    found = tune.kernel(
        rt, **problem(loops=(11, 12, 13, 14)), method="exhaustive", progress=lambda now: now["evaluated"] < 2
    )
    assert found.decided_by == "interrupted" and found.evaluated < 4

    def fail(now):
        raise LookupError("my own")

    with pytest.raises(LookupError, match="my own"):
        tune.kernel(rt, **problem(), progress=fail)


def test_what_was_measured_elsewhere_goes_on_record(rt):
    given = problem(loops=(21, 22))
    tune.record(rt, {"GROUP": 16, "MODE": 0, "LOOP": 21}, 1e-3, **given)
    assert tune.on_record(rt, **given).values == {"GROUP": 16, "LOOP": 21, "MODE": 0}
    with pytest.raises(kiln.BadInputError, match="expected a configuration"):
        tune.record(rt, {"GROUP": 16, "MODE": 0, "LOOP": 9}, 1e-3, **given)


def test_a_campaign_shares_a_time_and_outlives_failures(rt, scale_file):
    told = []
    wrong = {**problem(), "name": "absent"}
    file = {"file": scale_file, "seed": 1}
    found = tune.campaign(
        rt, [problem(loops=(1,)), wrong, file], budget=240, evaluations=2,
        progress=lambda number, now: told.append(number),
    )
    assert found[0].best["LOOP"] == 1 and 0 in told and 2 in told and len(found) == 3
    assert isinstance(found[1], kiln.Error) and "'absent'" in str(found[1])
    assert found[2].best == {"GROUP": 16, "LOOP": 1, "MODE": 0} and found[2].stored
    ended = tune.campaign(
        rt, [problem(loops=(7, 8, 9)), problem(loops=(7,))], method="exhaustive", progress=lambda *_: False
    )
    assert len(ended) == 1 and ended[0].decided_by == "interrupted"


@pytest.fixture
def scale_file(tmp_path):
    """The problem as a file (T1): modes 0 and 2, of 0 to 3."""
    (tmp_path / "scale.cl").write_text(SCALE)
    floats = {"Type": "float", "MemoryType": "Vector", "Size": COUNT, "FillType": "Constant", "FillValue": 1}
    arguments = [floats, floats, {"Type": "float", "MemoryType": "Scalar", "FillValue": 3}]
    parameters = [
        {"Name": name, "Type": "int", "Values": values}
        for name, values in (("GROUP", "[16]"), ("MODE", "list(range(4))"), ("LOOP", "[1]"))
    ]
    (tmp_path / "scale.json").write_text(json.dumps({
        "ConfigurationSpace": {
            "TuningParameters": parameters, "Conditions": [{"Expression": "MODE % 2 == 0", "Parameters": ["MODE"]}],
        },
        "KernelSpecification": {
            "Language": "OpenCL", "KernelName": "scale", "KernelFile": "scale.cl",
            "GlobalSize": {"X": COUNT}, "LocalSize": {"X": "GROUP"}, "Arguments": arguments,
        },
    }))
    return tmp_path / "scale.json"


def test_a_tuning_problem_is_searched_as_kernel_tuner_does(rt, scale_file, monkeypatch):
    monkeypatch.setenv("KILN_STORE", rt.store.folder)
    results, env = tune.tune_kernel_T1(
        scale_file, output_T4=False, strategy="brute_force", device="cpu",
        strategy_options={"time_limit": 60},
    )
    by_mode = {one["MODE"]: one["time"] for one in results}
    assert env["best_config"]["MODE"] == 0 and by_mode[0] > 0
    assert isinstance(by_mode[2], tune.CompilationFailedConfig) and "not this one" in by_mode[2].reason


def test_what_is_refused(rt):
    with pytest.raises(TypeError, match="unexpected keyword argument 'speed', expected one of budget"):
        tune.kernel(rt, **problem(), speed=3)
    with pytest.raises(kiln.BadInputError, match="method: found 'magic', expected one of forest"):
        tune.kernel(rt, **problem(), method="magic")
    with pytest.raises(kiln.BadInputError, match="GROUP: found the value 0.5"):
        tune.kernel(rt, **{**problem(), "parameters": {"GROUP": [0.5]}})
    with pytest.raises(kiln.BadInputError, match="global_size: found 4 sizes"):
        tune.kernel(rt, **{**problem(), "global_size": (1, 2, 3, 4)})
    with pytest.raises(kiln.BadInputError, match="the reference MODE=7 is no configuration"):
        tune.kernel(rt, **problem(), reference={"MODE": 7})
    with pytest.raises(kiln.NotFoundError):
        tune.spec(rt, "absent.json")
    with pytest.raises(kiln.NotFoundError, match="absent.json: no such file"):
        tune.read_t4("absent.json")


def test_sizes_may_be_numpys(rt):
    given = {**problem(loops=(31, 32)), "global_size": np.int64(COUNT), "local_size": (np.int32(16),)}
    assert tune.on_record(rt, **given) is None


def test_stepwise_search():
    search = tune.StepwiseSearch({"X": [1, 2, 4], "KIND": ["a", "b"]}, constraints=["X > 1 or KIND == 'a'"])
    assert len(search) == 5 and search.find([0, 1]) is None
    seen = []
    while (one := search.ask()) is not None:
        seen.append(search.positions(one))
        search.tell(one, 1.0 + seen[-1][0])
    assert len(set(seen)) == 5 and sorted(map(tuple, search.table().tolist())) == sorted(seen)
    other = tune.StepwiseSearch({"X": [2, 1]}, start_from=search)
    assert other.positions(other.ask()) == (1,)
    with pytest.raises(kiln.BadInputError, match="expected a positive number"):
        search.tell(0, -1)
