#include <gtest/gtest.h>

#include "base/data/bytes.hpp"
#include "base/os/file.hpp"
#include "base/os/process.hpp"
#include "kiln/formats/npy.hpp"

// Python is the judge of what we write: its own parser of literals for the header everywhere, and
// NumPy both ways where it is installed.
namespace kiln::npy {
namespace {

ProcessResult python(const std::string& program, const std::filesystem::path& file) {
  const auto result = run_process({.program = "/usr/bin/env",
                                   .arguments = {"python3", "-c", program, file.string()},
                                   .limit = std::chrono::minutes(2)});
  EXPECT_TRUE(result) << result.error().message();
  return result.value_or(ProcessResult{});
}

bool python_runs(const std::string& program) { return python(program, "").exit_code == 0; }

TEST(NpyPython, our_header_is_a_literal_that_python_reads) {
  if (!python_runs("pass")) GTEST_SKIP() << "python3 is not installed";
  const auto folder = TemporaryFolder::create("kiln-npy");
  ASSERT_TRUE(folder);
  const auto path = folder->path() / "a.npy";
  const std::vector<std::pair<std::vector<std::size_t>, std::string>> cases = {
      {{}, "()"}, {{7}, "(7,)"}, {{2, 3, 0}, "(2, 3, 0)"}};
  for (const auto& [shape, expected] : cases) {
    std::size_t size = 8;
    for (const auto extent : shape) size *= extent;
    ASSERT_TRUE(write_file(path, write(Type::f64, shape, Bytes(size))));
    const auto result = python(
        "import ast,sys\n"
        "b = open(sys.argv[1], 'rb').read()\n"
        "n = int.from_bytes(b[8:10], 'little')\n"
        "d = ast.literal_eval(b[10:10 + n].decode('latin1'))\n"
        "print(d['descr'], d['fortran_order'], d['shape'], b[:8] == b'\\x93NUMPY\\1\\0', "
        "(10 + n) % 64, len(b) - 10 - n)",
        path);
    EXPECT_EQ(result.output, "<f8 False " + expected + " True 0 " + std::to_string(size) + "\n")
        << result.errors;
  }
}

TEST(NpyPython, numpy_reads_what_we_write) {
  if (!python_runs("import numpy")) GTEST_SKIP() << "python3 with NumPy is not installed";
  const auto folder = TemporaryFolder::create("kiln-npy");
  ASSERT_TRUE(folder);
  const auto path = folder->path() / "a.npy";
  const std::int32_t values[] = {1, -2, 3, 4, 5, 6};
  ASSERT_TRUE(write_file(path, write(Type::i32, std::vector<std::size_t>{2, 3}, bytes_of(values))));
  const auto result =
      python("import numpy,sys; a = numpy.load(sys.argv[1]); print(a.dtype, a.tolist())", path);
  EXPECT_EQ(result.output, "int32 [[1, -2, 3], [4, 5, 6]]\n") << result.errors;
}

TEST(NpyPython, we_read_what_numpy_writes) {
  if (!python_runs("import numpy")) GTEST_SKIP() << "python3 with NumPy is not installed";
  const auto folder = TemporaryFolder::create("kiln-npy");
  ASSERT_TRUE(folder);
  const auto result = python(
      "import numpy,sys\n"
      "for t in 'bool i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8'.split():\n"
      "  numpy.save(sys.argv[1] + '/' + t, numpy.ones((2, 3), t))",
      folder->path());
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder->path())) {
    const auto bytes = read_file(entry.path());
    ASSERT_TRUE(bytes);
    const auto npy = parse(*bytes);
    ASSERT_TRUE(npy) << entry.path() << ": " << npy.error().message();
    EXPECT_EQ(npy->shape, (std::vector<std::size_t>{2, 3}));
    ++files;
  }
  EXPECT_EQ(files, 12u);
}

}  // namespace
}  // namespace kiln::npy
