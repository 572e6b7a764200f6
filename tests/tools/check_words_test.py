"""tools/check-words finds the words that the table of CONTRIBUTING.md replaces, and nothing else."""
import contextlib
import io
import os
import subprocess
import tempfile
import unittest

from check_includes_test import ROOT, load

CHECK = load("check-words")

TABLE = """# Working here

## Words
| not | but | where |
|---|---|---|
| `\\bwhole numbers?\\b` `\\bis_whole\\b` | integer | |
| `\\bstand(s\\|ing)? in for\\b` | replacement | |
| `\\bpart\\b` | active mask | `src/lanes/` |

## Tests
| `\\btests\\b` | no row of the section before | |
"""


class CheckWords(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        subprocess.run(["git", "init", "-q", self.folder.name], check=True)
        self.write("CONTRIBUTING.md", TABLE)

    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run(["git", "-C", self.folder.name, "add", name], check=True)

    def found(self):
        """(exit code, the lines about words that are to be mended)."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            code = CHECK.main(self.folder.name)
        return code, printed.getvalue().splitlines()[:-1]

    def test_a_word_is_named_with_its_line_and_what_replaces_it(self):
        self.write("src/a.cpp", "int n;\n// A Whole number.\n")
        self.assertEqual(self.found(), (1, ["src/a.cpp:2: 'Whole number': say integer"]))

    def test_identifiers_and_each_pattern_of_a_row_count(self):
        self.write("src/a.hpp", "bool is_whole;\n// It stands in for a file, standing in for two.\n")
        self.assertEqual(len(self.found()[1]), 2)

    def test_other_text_passes(self):
        self.write("src/a.cpp", "// A wholesome number: integers. The tests stand in a row.\n")
        self.assertEqual(self.found(), (0, []))

    def test_a_row_may_hold_for_one_folder_only(self):
        self.write("src/spec/a.cpp", "// a part\n")
        self.assertEqual(self.found(), (0, []))
        self.write("src/lanes/a.cpp", "// a part\n")
        self.assertEqual(len(self.found()[1]), 1)

    def test_a_line_may_say_why_it_needs_the_word(self):
        self.write("src/a.cpp", 'f("is_whole");  // word: the name in files of others\nis_whole  // word:\n')
        self.assertEqual(len(self.found()[1]), 1)

    def test_scripts_are_read_whatever_their_names(self):
        self.write("tools/a.sh", "# a whole number\n")
        self.write("tools/check-a", "#!/usr/bin/env bash\n# a whole number\n")
        self.write("tools/data", "a whole number\n")
        self.assertEqual([line.split(":")[0] for line in self.found()[1]], ["tools/a.sh", "tools/check-a"])

    def test_files_that_git_does_not_keep_and_changes_of_the_past_are_left_alone(self):
        self.write("CHANGELOG.md", "whole numbers\n")
        with open(os.path.join(self.folder.name, "kept_nowhere.md"), "w", encoding="utf-8") as file:
            file.write("whole numbers\n")
        self.assertEqual(self.found(), (0, []))

    def test_a_project_without_the_table_is_an_error(self):
        self.write("CONTRIBUTING.md", "# Working here\n")
        with self.assertRaises(SystemExit):
            self.found()

    def test_the_project_itself_has_a_table(self):
        with open(os.path.join(ROOT, "CONTRIBUTING.md"), encoding="utf-8") as file:
            self.assertGreater(len(CHECK.rows(file.read())), 10)


if __name__ == "__main__":
    unittest.main()
