"""Specification files: running, checking and verifying them, and their results as arrays."""
import pathlib

import numpy as np
import pytest

import kiln
from conftest import IS_LONG

SPECS = pathlib.Path(__file__).parents[2] / "examples" / "specs"


def test_a_file_runs_on_given_arrays(runtime):
    x, y = np.arange(1024, dtype=np.float32), np.ones(1024, np.float32)
    result = runtime.run(SPECS / "vector_add.json", dataset=1024, inputs={0: x, 1: y})
    assert np.array_equal(result.outputs[2], x + y)
    assert np.array_equal(result.argument(0), x)
    assert not result.outputs[2].flags.writeable
    assert result.summary.wall_ns > 0 and len(result.wall_ns) == 1


def test_arrays_of_a_result_outlive_it(runtime):
    outputs = runtime.run(SPECS / "vector_add.json", dataset=1024).outputs
    assert outputs[2].shape == (1024,) and outputs[2].dtype == np.float32
    assert np.isfinite(outputs[2]).all()


@pytest.mark.parametrize("file", sorted(SPECS.glob("*.json")), ids=lambda file: file.stem)
def test_every_example_runs(runtime, file, tmp_path):
    # Products of matrices of their own size take seconds, which examples_test.py spends once.
    size = {"dataset": 256} if file.stem in ("multiply", "matmul_tiled") and not IS_LONG else {}
    first = runtime.run(file, **size)
    saved = {number: tmp_path / f"{number}.npy" for number in first.outputs}
    for number, path in saved.items():
        np.save(path, first.outputs[number])
    result = runtime.run(file, expect=saved, **size)
    assert result.outputs and result.difference == ""
    said = result.to_dict()
    assert said["spec"] == str(file) and said["status"] == "ok" and kiln.check(file) == []


def test_results_are_written_and_compared(runtime, tmp_path):
    file = SPECS / "vector_add.json"
    first = runtime.run(file, dataset=256, out={2: tmp_path / "sum.npy"})
    assert np.array_equal(np.load(tmp_path / "sum.npy"), first.outputs[2])
    assert runtime.run(file, dataset=256, expect={2: tmp_path / "sum.npy"}).difference == ""
    other = runtime.run(file, dataset=256, seed=1, expect={2: tmp_path / "sum.npy"})
    assert "argument 2" in other.difference


def test_a_file_verifies(runtime):
    two = kiln.Runtime("cpu/2", store=runtime.store.folder)
    verdicts = two.verify(SPECS / "saxpy.json", dataset=1024, splits=["5", "1:2"])
    assert [(v.split, v.outcome) for v in verdicts] == [("5", "equal"), ("1:2", "equal")]
    assert verdicts[0].to_dict()["outcome"] == "equal"


def test_wrong_symbols_and_data_are_bad_input(runtime):
    with pytest.raises(kiln.BadInputError, match="no_such"):
        runtime.run(SPECS / "saxpy.json", no_such=3)
    with pytest.raises(kiln.BadInputError, match="argument 0: 12 bytes of data"):
        runtime.run(SPECS / "vector_add.json", dataset=1024, inputs={0: np.zeros(3, np.float32)})
    with pytest.raises(kiln.BadInputError, match="expected auto, base or concurrent"):
        runtime.run(SPECS / "saxpy.json", dialect="other")


def test_findings_of_a_file_are_lines(tmp_path):
    (tmp_path / "bad.json").write_text('{"name": "k", "src": "k.cl"}')
    lines = kiln.check(tmp_path / "bad.json")
    assert lines and all("bad.json" in line for line in lines)


def test_a_binary_file_is_told_in_a_line(runtime, tmp_path):
    for number, content in enumerate([bytes(range(256)), b"\x93NUMPY {,}", b'{"name": "\xe4"', b"{\0}"]):
        file = tmp_path / f"{number}.json"
        file.write_bytes(content)
        expected = f"{file}: found bytes that are no text (UTF-8), expected JSON"
        if number == 2:  # a text, which has no end
            assert len(kiln.check(file)) == 1 and "broken JSON" in kiln.check(file)[0]
            continue
        assert kiln.check(file) == [expected]
        with pytest.raises(kiln.BadInputError) as found:
            runtime.run(file)
        assert str(found.value) == expected


def test_vectors_have_an_axis_for_their_lanes(runtime, tmp_path):
    (tmp_path / "k.cl").write_text("kernel void k(global int2 *out) { int i = get_global_id(0); out[i] = (int2)(i, -i); }")
    (tmp_path / "k.json").write_text(
        '{"name": "k", "src": "k.cl", "workDimension": 1, "globalWorkSize": "[4]", "inputBuffers": [],'
        '"outputBuffers": [{"pos": 0, "type": "int2", "size": "4", "break": 1}], "varArguments": []}'
    )
    out = runtime.run(tmp_path / "k.json").outputs[0]
    assert out.tolist() == [[0, 0], [1, -1], [2, -2], [3, -3]]


def test_a_timeline_says_what_ran_when():
    runtime = kiln.Runtime("cpu/2", store="off")
    result = runtime.run(SPECS / "vector_add.json", dataset=4096, partition="5", timeline=True, runs=2)
    spans = result.timeline
    assert [span.start_ns for span in spans] == sorted(span.start_ns for span in spans)
    kernels = [span for span in spans if span.category == "kernel"]
    # Both halves, in both runs.
    assert len(kernels) == 4 and len({span.lane for span in kernels}) == 2
    assert all(span.end_ns > span.start_ns for span in kernels)
    assert any(span.category == "compile" and span.lane == "host" for span in spans)
    assert spans.to_dicts()[0]["name"] == spans[0].name and isinstance(spans[0].details, dict)
    for lane, row in spans.rows():
        assert all(one.lane == lane for one in row)
        assert all(one.end_ns <= other.start_ns for one, other in zip(row, row[1:]))
    picture = spans._repr_html_()
    assert picture.count("<rect") == len(spans) and "kernel" in picture
    assert runtime.run(SPECS / "vector_add.json", dataset=4096).timeline == []
    assert "no spans" in runtime.run(SPECS / "vector_add.json", dataset=4096).timeline._repr_html_()


def test_inputs_of_other_numbers_are_refused(runtime):
    ones = np.ones(16, np.float32)
    for wrong, text in [
        (np.ones(16, np.int32), "argument 0: found elements of int, expected those of float"),
        (ones.astype(">f4"), "byte order"),
        (np.array([None] * 16), "expected numbers"),
    ]:
        with pytest.raises(kiln.BadInputError, match=text):
            runtime.run(SPECS / "vector_add.json", dataset=16, inputs={0: wrong, 1: ones})
    same = runtime.run(SPECS / "vector_add.json", dataset=16, inputs={0: ones.view(np.uint8), 1: ones})
    assert (same.outputs[2] == 2).all()


def test_findings_say_what_the_driver_was_found_to_do(tmp_path):
    runtime = kiln.Runtime("cpu", store=str(tmp_path / "store"))
    before = runtime.findings()
    assert {"compiling", "threads", "lanes"} <= before.keys()
    runtime.run(SPECS / "vector_add.json", dataset=4096)
    found = runtime.findings(runtime.devices[0])
    assert found["compiling"] and {"name", "holds", "reason"} == found["compiling"][0].keys()
