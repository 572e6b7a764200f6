"""tools/check-abi: passes libraries that only grew, and fails where something vanished or changed."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "check-abi"
NAMES = {"libkiln.so": "libkiln.so.0", "libkiln-mesh.so": "libkiln-mesh.so.0", "libclBLAS.so": "libclBLAS.so.2"}
FIRST = "struct Size { int rows; }; extern \"C\" int area(Size* size) { return size->rows; }\n" \
        "extern \"C\" int other() { return 1; }\n"


@unittest.skipUnless(shutil.which("abidiff") and shutil.which("g++"), "abigail-tools or g++ is not installed")
class CheckAbi(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.top = pathlib.Path(self.scratch.name)
        self.build({})
        self.assertEqual(self.check("0.2.0", "--keep").returncode, 0)

    def build(self, texts, sonames=None):
        """All three libraries, of the text given for a library or the first one."""
        folder = self.top / "lib"
        folder.mkdir(exist_ok=True)
        for name, soname in (sonames or NAMES).items():
            source = self.top / "source.cpp"
            source.write_text(texts.get(name, FIRST))
            subprocess.run(["g++", "-g", "-shared", "-fPIC", f"-Wl,-soname,{soname}", source, "-o", folder / name],
                           check=True)

    def check(self, version, *options):
        return subprocess.run([TOOL, self.top / "lib", "--version", version, "--records", self.top / "abi", *options],
                              capture_output=True, text=True)

    def test_what_is_unchanged_or_only_grew_passes(self):
        self.assertEqual(self.check("0.2.1").returncode, 0)
        self.build({"libclBLAS.so": FIRST + "extern \"C\" int more() { return 2; }\n"})
        result = self.check("0.2.1")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_function_that_vanished_fails(self):
        self.build({"libkiln.so": FIRST.replace("other", "another")})
        result = self.check("0.2.1")
        self.assertEqual(result.returncode, 1)
        self.assertIn("libkiln.so: what programs of 0.2.0 use", result.stderr)
        self.assertIn("other", result.stderr)

    def test_a_type_that_changed_fails(self):
        self.build({"libclBLAS.so": FIRST.replace("int rows;", "long rows;")})
        result = self.check("0.3.0")
        self.assertEqual(result.returncode, 1)
        self.assertIn("libclBLAS.so", result.stderr)

    def test_a_minor_version_before_1_may_change_the_libraries_of_kiln(self):
        self.build({"libkiln.so": FIRST.replace("other", "another")})
        result = self.check("0.3.0")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("libkiln.so: differs from 0.2.0", result.stdout)
        self.assertEqual(self.check("1.0.0").returncode, 1)

    def test_another_soname_promises_nothing(self):
        self.build({"libkiln.so": FIRST.replace("other", "another")}, dict(NAMES, **{"libkiln.so": "libkiln.so.1"}))
        self.assertEqual(self.check("0.2.1").returncode, 0)

    def test_a_call_that_is_wrong_says_what_was_expected(self):
        result = self.check("two")
        self.assertEqual(result.returncode, 2)
        self.assertIn("expected FOLDER", result.stderr)


if __name__ == "__main__":
    unittest.main()
