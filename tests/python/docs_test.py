"""The examples of docs/python.md, run in their order as a reader would."""
import pathlib
import re

ROOT = pathlib.Path(__file__).parents[2]
EXAMPLES = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/python.md").read_text(), re.M | re.S)


def test_the_examples_run(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("KILN_STORE", str(tmp_path / "store"))
    names = {}
    for example in EXAMPLES:
        exec(compile(example, "docs/python.md", "exec"), names)
    assert len(EXAMPLES) > 3 and "saxpy" in capsys.readouterr().out
