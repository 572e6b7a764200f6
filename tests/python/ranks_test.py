"""kiln.op2 on parts of a mesh: real ranks, started by mpirun, one to four of them."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from conftest import IS_LONG

FOLDER = pathlib.Path(__file__).parent
EXAMPLES = FOLDER.parents[1] / "examples" / "python"
pytest.importorskip("mpi4py", reason="mpi4py is not installed (Debian: python3-mpi4py)")
pytest.importorskip("kiln._mpi", reason="this Kiln was built without MPI")
if shutil.which("mpirun") is None:
    pytest.skip("mpirun is not installed (Debian: openmpi-bin)", allow_module_level=True)


def ranks(count, *words, **variables):
    """Open MPI in a container: as root, with more ranks than cores, which leave these to each other where they
    wait, and shared memory that needs no right to look into other processes."""
    environment = {
        **os.environ,
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
        "OMPI_MCA_hwloc_base_binding_policy": "none",
        "PYTHONPATH": f"{os.environ.get('PYTHONPATH', '')}:{FOLDER / 'ranks'}",
        **variables,
    }
    command = ["mpirun", "--oversubscribe", "-np", str(count), sys.executable, "-B", *map(str, words)]
    ended = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=600, cwd=FOLDER
    )
    return ended.returncode, ended.stdout, ended.stderr


# Tests of each file that hold for parts, at least.
SUITES = {"loops": 90, "data": 35, "matrices": 16, "lazy": 12}
# Without KILN_LONG each of them on one number of ranks, and each number of ranks with one of them.
SOME = [("loops", 3), ("data", 4), ("matrices", 2), ("lazy", 3)]


@pytest.mark.parametrize("name, count", [(name, count) for name in SUITES for count in (2, 3, 4)] if IS_LONG else SOME)
def test_the_suite_of_one_process_holds_on_ranks(name, count):
    least = SUITES[name]
    code, output, errors = ranks(
        count, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "whole_meshes", f"op2_{name}_test.py",
        KILN_TESTS_ON_RANKS=str(least),
    )
    assert code == 0, output + errors


@pytest.mark.parametrize("case", ["partitioners", "weights", "reductions", "files", "refusals"])
def test_results_are_those_of_one_rank(case, tmp_path):
    found = []
    for count in (1, 2):
        (tmp_path / str(count)).mkdir()
        code, output, errors = ranks(count, "ranks/cases.py", case, tmp_path / str(count))
        assert code == 0, output + errors
        found.append(output)
    assert found[0] == found[1]


def test_files_are_the_same_bytes(tmp_path):
    h5py = pytest.importorskip("h5py", reason="python3-h5py is not installed")
    for count in (1, 3):
        (tmp_path / str(count)).mkdir()
        code, output, errors = ranks(count, "ranks/cases.py", "files", tmp_path / str(count))
        assert code == 0, output + errors
    with h5py.File(tmp_path / "1/result.h5") as one, h5py.File(tmp_path / "3/result.h5") as three:
        assert sorted(one) == sorted(three)
        for name in one:
            assert one[name][...].tobytes() == three[name][...].tobytes(), name


def test_the_example_airfoil_comes_to_the_known_change():
    code, output, errors = ranks(2, EXAMPLES / "airfoil.py", "--mpi", 20, 30, 100)
    assert code == 0, output + errors
    lines = output.splitlines()
    assert len(lines) == 2
    found = float(re.search(r"1800 cells, 100 steps: rms ([\d.e+-]+)", lines[0]).group(1))
    assert found == pytest.approx(2.07422e-04, rel=1e-5)


@pytest.mark.parametrize(
    "case, code, text",
    [
        ("throws", 1, r"KeyError: .*no map 'no such map'"),
        ("throws_bad_input", 2, r"kiln\.errors\.BadInputError: set \w+: not partitioned yet"),
    ],
)
def test_an_error_on_one_rank_ends_all(case, code, text, tmp_path):
    found, _, errors = ranks(2, "ranks/cases.py", case, tmp_path)
    assert found == code, errors
    lines = [line for line in errors.splitlines() if line.startswith("kiln: ")]
    assert len(lines) == 1 and re.match(rf"kiln: rank 1: {text}", lines[0]), errors
    assert f"in {case}" in errors  # the traceback


def test_without_mpi4py_it_is_named():
    code = """
import sys
sys.modules["mpi4py"] = None
import kiln
from kiln import op2
try:
    op2.init(comm=1)
except kiln.UnsupportedError as error:
    print(error)
print(op2.Set(4).size, op2.Dat(op2.Set(2), [1.0, 2.0]).norm ** 2)
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    first, second = ended.stdout.splitlines()
    assert re.match(r"comm: the Python module mpi4py does not load .*\(Debian: python3-mpi4py\)$", first)
    assert second.startswith("4 5.0")


def test_without_a_communicator_nothing_links_mpi():
    code = """
from kiln import op2
nodes = op2.Set(4)
assert op2.Dat(nodes, [1.0, 2.0, 3.0, 4.0]).inner(op2.Dat(nodes, [1.0] * 4)) == 10
print([line for line in open("/proc/self/maps") if "libmpi" in line])
"""
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ended.stdout.strip() == "[]", ended.stdout + ended.stderr
