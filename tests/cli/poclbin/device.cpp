#include "device/device.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/poclbin/support.hpp"
#include "test_paths.hpp"

// What the command writes is loaded and run by the PoCL of this machine, where it is the one that
// the shared archives were made for.
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Json = nlohmann::json;

constexpr const char* archive_variable = "KILN_TEST_LAUNCH_ARCHIVE";
constexpr std::uint64_t fixtures_device = 0x02ee5be95d307b0c;

const kiln::Device* pocl_device() {
  static const auto devices = kiln::all_devices();
  if (!devices) return nullptr;
  for (const auto& device : *devices)
    if (device->pocl) return device.get();
  return nullptr;
}

class PoclbinDevice : public kiln::testing::PoclbinTest {
 protected:
  static fs::path fixtures() { return KILN_SHARED_DIR "/data/poclbin"; }

  /// Runs saxpy of an archive with these local sizes in a new process with an empty cache and no
  /// compiler in reach. Returns the variants that lie in the cache afterwards.
  std::vector<std::string> run(const std::string& file, const std::string& local_sizes) {
    const fs::path cache = folder() / ("cache-" + file);
    fs::create_directories(cache);
    fs::create_directories(folder() / "no-programs");
    set(archive_variable, (folder() / file).string());
    set("KILN_TEST_LAUNCH_SIZES", local_sizes);
    set("POCL_CACHE_DIR", cache.string());
    set("PATH", (folder() / "no-programs").string());
    const auto result =
        program("/proc/self/exe", {"--gtest_filter=PoclbinLaunch.saxpy_of_a_given_archive"});
    EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
    EXPECT_THAT(result.output, HasSubstr("[  PASSED  ] 1 test"));
    std::vector<std::string> variants;
    for (const auto& entry : fs::recursive_directory_iterator(cache))
      if (entry.path().extension() == ".so")
        variants.push_back(entry.path().parent_path().filename().string());
    std::sort(variants.begin(), variants.end());
    return variants;
  }

  void unpack(const std::string& name) {
    const auto unpacked = program("/bin/sh", {"-c", "gzip -dc '" + (fixtures() / name).string() +
                                                        ".poclbin.gz' > " + name + ".poclbin"});
    ASSERT_EQ(unpacked.exit_code, 0) << unpacked.errors;
  }
};

/// Skips where the shared archives are absent or not for this machine.
#define KILN_NEED_FIXTURES_DEVICE()                                                     \
  if (!fs::exists(fixtures())) GTEST_SKIP() << fixtures() << " is absent";              \
  if (pocl_device() == nullptr ||                                                       \
      kiln::poclbin::device_id(pocl_device()->pocl_device_string) != fixtures_device || \
      pocl_device()->platform_version.find("PoCL 3.1") == std::string::npos)            \
  GTEST_SKIP() << "the shared archives are for another device or release"

TEST_F(PoclbinDevice, an_archive_of_this_device_is_accepted_and_another_refused_with_both_sides) {
  if (pocl_device() == nullptr) GTEST_SKIP() << "there is no PoCL device";
  auto made = archive();
  made.device_id = kiln::poclbin::device_id(pocl_device()->pocl_device_string);
  write_archive("mine.poclbin", made);
  const auto mine = kiln({"poclbin", "check-device", "--devices", "cpu", "mine.poclbin"});
  if (pocl_device()->platform_version.find("PoCL 3.1") != std::string::npos) {
    EXPECT_EQ(mine.exit_code, 0) << mine.output;
    EXPECT_THAT(mine.output, HasSubstr(": accepted\n"));
  }
  made.device_id ^= 1;
  write_archive("other.poclbin", made);
  const auto other = kiln({"poclbin", "check-device", "other.poclbin"});
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_THAT(other.output, HasSubstr("refused: the device is '" +
                                      pocl_device()->pocl_device_string + "', id 0x"));
  const auto json =
      kiln({"poclbin", "check-device", "--json", "--devices", "cpu", "other.poclbin"});
  EXPECT_EQ(json.exit_code, 1);
  EXPECT_EQ(Json::parse(json.output)["device_string"], pocl_device()->pocl_device_string);
  EXPECT_EQ(kiln({"poclbin", "check-device", "-q", "other.poclbin"}).output, "");
}

TEST_F(PoclbinDevice, a_version_that_this_release_misreads_is_refused) {
  KILN_NEED_FIXTURES_DEVICE();
  unpack("saxpy-64");
  ASSERT_EQ(kiln({"poclbin", "convert", "--to", "11", "saxpy-64.poclbin", "-o", "b"}).exit_code, 0);
  const auto result = kiln({"poclbin", "check-device", "--devices", "cpu", "b"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, HasSubstr("format version 11; this PoCL knows none above 9"));
}

TEST_F(PoclbinDevice, a_merged_archive_runs_both_sizes_without_a_compiler) {
  KILN_NEED_FIXTURES_DEVICE();
  unpack("saxpy-64");
  unpack("saxpy-128");
  ASSERT_EQ(
      kiln({"poclbin", "merge", "saxpy-64.poclbin", "saxpy-128.poclbin", "-o", "b"}).exit_code, 0);
  EXPECT_EQ(run("b", "64 128"), (std::vector<std::string>{"0-0-0", "128-1-1-goffs0-smallgrid",
                                                          "64-1-1-goffs0-smallgrid"}));
}

TEST_F(PoclbinDevice, a_stripped_archive_runs_any_size_without_a_compiler) {
  KILN_NEED_FIXTURES_DEVICE();
  unpack("saxpy-64");
  ASSERT_EQ(kiln({"poclbin", "strip", "--program-bc", "saxpy-64.poclbin", "-o", "b"}).exit_code, 0);
  EXPECT_EQ(run("b", "64 32 1"), (std::vector<std::string>{"0-0-0", "64-1-1-goffs0-smallgrid"}));
}

TEST_F(PoclbinDevice, an_archive_converted_to_this_release_runs) {
  KILN_NEED_FIXTURES_DEVICE();
  unpack("saxpy-64");
  ASSERT_EQ(kiln({"poclbin", "convert", "--to", "12", "saxpy-64.poclbin", "-o", "x"}).exit_code, 0);
  ASSERT_EQ(kiln({"poclbin", "convert", "--to", "9", "x", "-o", "b"}).exit_code, 0);
  EXPECT_EQ(run("b", "64").size(), 2u);
  // Through version 1, which has no root file: what comes back is a stripped one.
  ASSERT_EQ(kiln({"poclbin", "convert", "--to", "1", "saxpy-64.poclbin", "-o", "y"}).exit_code, 0);
  ASSERT_EQ(kiln({"poclbin", "convert", "--to", "9", "y", "-o", "c"}).exit_code, 0);
  EXPECT_EQ(run("c", "64 16").size(), 2u);
}

TEST_F(PoclbinDevice, what_create_makes_of_the_wikis_layout_runs) {
  KILN_NEED_FIXTURES_DEVICE();
  unpack("saxpy-64");
  ASSERT_EQ(
      kiln({"poclbin", "convert", "--to", "wiki-v1", "saxpy-64.poclbin", "-o", "w"}).exit_code, 0);
  ASSERT_EQ(kiln({"poclbin", "extract", "-q", "w", "-C", "out"}).exit_code, 0);
  fs::remove(folder() / "out/poclbin.json");
  ASSERT_EQ(kiln({"poclbin", "create", "out", "--metadata-from", "saxpy-64.poclbin", "-o", "b"})
                .exit_code,
            0);
  EXPECT_EQ(run("b", "64").size(), 2u);
}

// Not a test of its own: PoclbinDevice runs it in a process whose cache and PATH it chose.
TEST(PoclbinLaunch, saxpy_of_a_given_archive) {
  const char* path = std::getenv(archive_variable);
  if (path == nullptr) GTEST_SKIP() << "run by the tests of PoclbinDevice";
  const auto bytes = kiln::value_or_throw(kiln::read_file(path));
  ASSERT_NE(pocl_device(), nullptr);
  const cl::Device device = pocl_device()->handle;
  const cl::Context context(device);
  const cl::CommandQueue queue(context, device);
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  cl::Program program(context, {device}, cl::Program::Binaries{{data, data + bytes.size()}});
  program.build();
  constexpr int count = 4096;
  std::istringstream sizes(std::getenv("KILN_TEST_LAUNCH_SIZES"));
  for (std::size_t local = 0; sizes >> local;) {
    std::vector<float> x(count), y(count, 1);
    for (int i = 0; i < count; ++i) x[static_cast<std::size_t>(i)] = static_cast<float>(i);
    const cl::Buffer x_buffer(context, x.begin(), x.end(), true);
    const cl::Buffer y_buffer(context, y.begin(), y.end(), false);
    cl::Kernel kernel(program, "saxpy");
    kernel.setArg(0, 2.0f);
    kernel.setArg(1, x_buffer);
    kernel.setArg(2, y_buffer);
    kernel.setArg(3, count);
    queue.enqueueNDRangeKernel(kernel, cl::NullRange, count, local);
    cl::copy(queue, y_buffer, y.begin(), y.end());
    for (std::size_t i = 0; i < y.size(); ++i)
      ASSERT_EQ(y[i], 2 * static_cast<float>(i) + 1) << "local size " << local << ", " << i;
  }
}

}  // namespace
