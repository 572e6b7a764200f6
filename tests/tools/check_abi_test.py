"""tools/check-abi: passes libraries that only grew, and fails where something vanished or changed."""
import lzma
import pathlib
import re
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

    def build(self, texts, sonames=None, debugging="-g"):
        """All three libraries, of the text given for a library or the first one."""
        folder = self.top / "lib"
        folder.mkdir(exist_ok=True)
        for name, soname in (sonames or NAMES).items():
            source = self.top / "source.cpp"
            source.write_text(texts.get(name, FIRST))
            subprocess.run(["g++", debugging, "-shared", "-fPIC", f"-Wl,-soname,{soname}", source, "-o", folder / name],
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
        for option in ("--version", "--records"):
            result = subprocess.run([TOOL, self.top / "lib", option], capture_output=True, text=True)
            self.assertEqual(result.returncode, 2)
            self.assertIn(f"after '{option}'", result.stderr)

    def test_a_folder_without_a_record_is_named(self):
        for name in ("absent", "lib"):
            result = subprocess.run([TOOL, self.top / "lib", "--records", self.top / name], capture_output=True, text=True)
            self.assertEqual(result.returncode, 2)
            self.assertIn(f"{name} has no release to compare with", result.stderr)

    def test_a_library_that_came_later_is_compared_from_its_first_record_on(self):
        later = dict(NAMES, **{"libclblast.so": "libclblast.so.1", "libkiln-mpi.so": "libkiln-mpi.so.0"})
        self.build({}, later)
        result = self.check("0.2.1")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("libkiln-mpi.so: 0.2.0 has none", result.stdout)
        self.assertEqual(self.check("0.3.0", "--keep").returncode, 0)
        for library, of_minor_version in (("libkiln-mpi.so", 0), ("libclblast.so", 1)):
            self.build({library: FIRST.replace("other", "another")}, later)
            for version, status in (("0.3.1", 1), ("0.4.0", of_minor_version)):
                result = self.check(version)
                self.assertEqual(result.returncode, status, result.stdout + result.stderr)
            self.assertIn(library, result.stdout + result.stderr)
        (self.top / "lib" / "libkiln-mpi.so").unlink()
        self.build({})
        self.assertIn("has no libkiln-mpi.so", self.check("0.3.1").stderr)

    def test_half_a_record_is_none(self):
        half = self.top / "abi" / "0.3.0"
        half.mkdir()
        shutil.copy(self.top / "abi" / "0.2.0" / "libkiln.so.abi.xz", half)
        shutil.copytree(self.top / "abi" / "0.2.0", self.top / "abi" / "old-0.9")
        result = self.check("0.3.1")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("libkiln.so: all that 0.2.0 has", result.stdout)

    def test_a_record_that_fails_leaves_none(self):
        (self.top / "lib" / "libclBLAS.so").unlink()
        self.assertEqual(self.check("0.3.0", "--keep").returncode, 2)
        self.assertEqual([path.name for path in (self.top / "abi").iterdir()], ["0.2.0"])

    def test_libraries_without_debugging_information_are_refused(self):
        self.build({}, debugging="-g0")
        for options in ((), ("--keep",)):
            result = self.check("0.3.0", *options)
            self.assertEqual(result.returncode, 2)
            self.assertIn("found no debugging information", result.stderr)
        self.assertFalse((self.top / "abi" / "0.3.0").exists())

    def test_a_record_without_types_compares_names_and_says_so(self):
        for file in (self.top / "abi" / "0.2.0").iterdir():
            text = lzma.decompress(file.read_bytes()).decode()
            text = re.sub(r"  <abi-instr.*</abi-instr>\n", "", text, flags=re.S)
            file.write_bytes(lzma.compress(text.encode()))
        self.build({"libkiln.so": FIRST.replace("int rows;", "long rows;")})
        result = self.check("0.2.1")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("0.2.0 was recorded without types: names only are compared", result.stdout)
        self.build({"libkiln.so": FIRST.replace("other", "another")})
        self.assertEqual(self.check("0.2.1").returncode, 1)


if __name__ == "__main__":
    unittest.main()
