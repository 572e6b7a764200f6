"""tools/check-includes finds what breaks the order of the folders, and only that."""
import importlib.machinery
import importlib.util
import os
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def load(name):
    path = os.path.join(ROOT, "tools", name)
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


CHECK = load("check-includes")


def problems(module, text, room="."):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.cpp")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return list(CHECK.check_file(path, module, room))


class CheckIncludes(unittest.TestCase):
    def test_lower_modules_and_itself_are_allowed(self):
        text = '#include "base/data/bytes.hpp"\n#include "kernel/a.hpp"\n#include <vector>\n'
        self.assertEqual(problems("store", text.replace("kernel", "store/key")), [])
        self.assertEqual(problems("base", '#include "base/data/bytes.hpp"\n', "os"), [])

    def test_rooms_of_a_module_go_one_way(self):
        text = '#include "mesh/plan/a.hpp"\n'
        self.assertEqual(problems("mesh", text, "loop"), [])
        self.assertEqual(problems("mesh", text, "plan"), [])
        found = problems("mesh", text, "model")
        self.assertEqual(len(found), 1)
        self.assertIn(":1: mesh/model may not include mesh/plan", found[0])
        self.assertIn("no room 'attic'", problems("mesh", text, "attic")[0])
        self.assertIn("no room 'attic'", problems("mesh", '#include "mesh/attic/a.hpp"\n')[0])

    def test_a_higher_module_is_refused_with_its_line(self):
        found = problems("store", '#include <vector>\n#include "kernel/request.hpp"\n')
        self.assertEqual(len(found), 1)
        self.assertIn(":2: store may not include kernel", found[0])

    def test_front_ends_do_not_know_one_another(self):
        self.assertEqual(len(problems("blas", '#include "spec/file.hpp"\n')), 1)
        self.assertEqual(len(problems("mesh", '#include "spec/file.hpp"\n')), 1)

    def test_a_mesh_may_use_blas(self):
        self.assertEqual(problems("mesh", '#include "blas/gemm.hpp"\n'), [])
        self.assertEqual(len(problems("blas", '#include "mesh/set.hpp"\n')), 1)

    def test_the_python_package_is_an_application(self):
        self.assertEqual(problems("python", '#include "kiln/spec.hpp"\n', "core"), [])
        found = problems("python", '#include "spec/run_spec.hpp"\n', "core")
        self.assertIn("python may include public headers only", found[0])
        self.assertEqual(len(problems("cli", '#include "python/core/array.hpp"\n')), 1)

    def test_public_headers_belong_to_their_module(self):
        self.assertEqual(len(problems("store", '#include "kiln/spec/file.hpp"\n')), 1)
        self.assertEqual(problems("store", '#include "kiln/error.hpp"\n'), [])

    def test_headers_of_other_libraries_interfaces_belong_to_blas(self):
        for header in ("clBLAS.h", "clBLAS-complex.h", "clAmdBlas.h", "clblast.h", "clblast_c.h",
                       "clblast_half.h"):
            self.assertEqual(len(problems("kernel", f"#include <{header}>\n")), 1, header)
            self.assertEqual(problems("blas", f"#include <{header}>\n"), [])

    def test_lower_modules_do_not_know_opencl(self):
        for module in ("base", "expr", "format", "store"):
            self.assertEqual(len(problems(module, "#include <CL/opencl.hpp>\n")), 1, module)
        self.assertEqual(problems("device", "#include <CL/opencl.hpp>\n"), [])

    def test_formats_do_not_know_the_file_system(self):
        for header in ("<filesystem>", "<fstream>", "<fcntl.h>", '"base/os/file.hpp"'):
            self.assertEqual(len(problems("format", f"#include {header}\n")), 1, header)
        self.assertEqual(problems("store", "#include <filesystem>\n"), [])

    def test_programs_are_not_included_and_helpers_stay_small(self):
        self.assertEqual(len(problems("spec", '#include "cli/main.hpp"\n')), 1)
        self.assertEqual(problems("cli", '#include "mesh/set.hpp"\n'), [])
        self.assertEqual(problems("helper", '#include "kernel/a.hpp"\n'), [])
        self.assertEqual(len(problems("helper", '#include "blas/a.hpp"\n')), 1)

    def test_a_commented_include_does_not_count(self):
        self.assertEqual(problems("base", '// #include "cli/main.hpp"\n'), [])

    def test_a_folder_that_is_no_module_and_an_empty_tree_fail(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(CHECK.main(folder), 1)
            os.makedirs(os.path.join(folder, "src", "misc"))
            with open(os.path.join(folder, "src", "misc", "a.cpp"), "w", encoding="utf-8"):
                pass
            self.assertEqual(CHECK.main(folder), 1)


if __name__ == "__main__":
    unittest.main()
