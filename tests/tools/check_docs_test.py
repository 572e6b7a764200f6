"""tools/check-docs finds commands that do not exist, fail, or print something else."""
import os
import stat
import tempfile
import unittest

from check_includes_test import ROOT, load

CHECK = load("check-docs")

KILN = """#!/bin/sh
case "$*" in
  "--help") echo "kiln --json --version";;
  "run --help") echo "run --set NAME=VALUE";;
  "run ok"*) echo "split 5:5"; echo "took 1.5 ms";;
  "run bad"*) echo "bad.json:3: no" >&2; exit 2;;
  *) exit 2;;
esac
"""


class CheckDocs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        kiln = os.path.join(self.folder.name, "kiln")
        with open(kiln, "w", encoding="utf-8") as file:
            file.write(KILN)
        os.chmod(kiln, stat.S_IRWXU)

    def problems(self, *lines, tag="sh"):
        path = os.path.join(self.folder.name, "page.md")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(["text", f"```{tag}", *lines, "```", "$ kiln outside"]))
        return CHECK.Checker(self.folder.name).document(path)[2]

    def test_known_commands_and_options_pass(self):
        self.assertEqual(self.problems("$ kiln run a.json --set n=3 --json", "$ ./dev bench --list"), [])

    def test_unknown_commands_and_options_are_found(self):
        self.assertIn("no command 'rnu'", self.problems("$ kiln rnu a.json")[0])
        self.assertIn("--sett", self.problems("$ kiln run a.json --sett n=3")[0])
        self.assertIn("tset", self.problems("$ ./dev tset")[0])

    def test_an_option_that_is_the_start_of_another_is_not_it(self):
        self.assertEqual(len(self.problems("$ kiln run a.json --vers")), 1)

    def test_run_blocks_must_exit_as_stated(self):
        self.assertEqual(self.problems("$ kiln run ok", tag="sh run"), [])
        self.assertEqual(self.problems("$ kiln run bad # exits 2", tag="sh run"), [])
        self.assertIn("exits 2, not 0", self.problems("$ kiln run bad", tag="sh run")[0])

    def test_shown_output_must_occur_in_order(self):
        self.assertEqual(self.problems("$ kiln run ok", "split 3:7", "took 20 ms", tag="sh run"), [])
        self.assertEqual(self.problems("$ kiln run ok", "… 5:5", tag="sh run"), [])
        self.assertEqual(len(self.problems("$ kiln run ok", "took 2 ms", "split 5:5", tag="sh run")), 1)
        self.assertEqual(len(self.problems("$ kiln run ok", "took 2 s", tag="sh run")), 1)

    def test_a_plain_block_is_not_run(self):
        self.assertEqual(self.problems("$ kiln run bad", "anything"), [])

    def test_the_projects_own_documents_are_found(self):
        names = [os.path.relpath(p, ROOT) for p in CHECK.documents()]
        self.assertIn("README.md", names)


if __name__ == "__main__":
    unittest.main()
