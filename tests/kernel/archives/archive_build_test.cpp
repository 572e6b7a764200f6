// Archives that start without a compiler, and the proof that they do.
#include "kernel/archives/archive_build.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "kernel/apart/helper.hpp"
#include "kernel/support.hpp"

namespace kiln::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Outcome = ProvenStart::Outcome;

ArchiveBuild build_of(const std::string& text) {
  ArchiveBuild build;
  build.source = value_or_throw(from_text(text, "program.cl"));
  build.local_sizes = {{64, 1, 1}};
  build.label = "program.cl";
  return build;
}

std::vector<std::string> paths_of(ByteView bytes) {
  const auto archive = value_or_throw(poclbin::parse(bytes));
  std::vector<std::string> paths;
  for (const auto& entry : archive.root)
    for (const auto& file : entry) paths.emplace_back(file.path);
  for (const auto& kernel : archive.kernels)
    for (const auto& file : kernel.files) paths.emplace_back(file.path);
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(ArchiveBuild, holds_every_size_and_the_generic_function_and_no_bitcode) {
  auto build = build_of(vector_add_text);
  build.local_sizes.push_back({128, 1, 1});
  build.local_sizes.push_back({8, 8, 1});
  const auto built = value_or_throw(build_archive(*cpu_device(), build));
  auto paths = paths_of(built.bytes);
  std::erase(paths, "/no-program.bc");  // where the driver's version of the format asks for a file
  EXPECT_THAT(paths, ::testing::ElementsAre("/VectorAdd/0-0-0/VectorAdd.so",
                                            "/VectorAdd/128-1-1-goffs0-smallgrid/VectorAdd.so",
                                            "/VectorAdd/64-1-1-goffs0-smallgrid/VectorAdd.so",
                                            "/VectorAdd/8-8-1-goffs0-smallgrid/VectorAdd.so"));
  EXPECT_TRUE(starts_without_compiler(built.starts));
  // Three sizes, and one for which only the generic function is there.
  ASSERT_EQ(built.starts.size(), 4u);
  for (const auto& start : built.starts)
    EXPECT_EQ(start.outcome, Outcome::ran) << start.variant << ": " << start.detail;
  EXPECT_EQ(built.starts.back().variant, "1-1-1-goffs0-smallgrid");
}

TEST(ArchiveBuild, other_geometries_get_variants_where_asked) {
  auto build = build_of(vector_add_text);
  build.large_grids = build.with_offset = true;
  const auto built = value_or_throw(build_archive(*cpu_device(), build));
  EXPECT_EQ(built.variants.size(), 4u);
  EXPECT_TRUE(starts_without_compiler(built.starts));
  EXPECT_THAT(paths_of(built.bytes), ::testing::Contains("/VectorAdd/64-1-1/VectorAdd.so"));
}

TEST(ArchiveBuild, gives_right_results_when_the_driver_loads_it) {
  const auto device = cpu_device();
  const auto built = value_or_throw(build_archive(*device, build_of(vector_add_text)));
  const auto context = Context::create({device});
  cl::Program program = load_binary(*context, *device, built.bytes, "");
  Program::Parts parts;
  parts.device = device;
  parts.kernels = describe_kernels(program);
  parts.handle = std::move(program);
  Program held(std::move(parts));
  run_vector_add(context, held, 1024, 64);
  run_vector_add(context, held, 1024, 32);  // by the generic function
}

TEST(ArchiveProof, sees_a_compiler_at_work) {
  // As the driver gives it right after a build: bitcode, and no variant.
  ApartRequest request;
  request.text = vector_add_text;
  request.label = "VectorAdd";
  request.build_hash = std::string("AB/") + std::string(37, 'C');
  const Bytes archive = value_or_throw(compile_apart(*cpu_device(), request));
  const auto starts = value_or_throw(
      prove_starts(*cpu_device(), archive, {variant_of("VectorAdd", range_1d(64, 64))}));
  ASSERT_EQ(starts.size(), 1u);
  EXPECT_FALSE(starts.front().made.empty());
  EXPECT_FALSE(starts_without_compiler(starts));
}

TEST(ArchiveBuild, a_required_size_is_the_only_one) {
  const auto built = value_or_throw(build_archive(
      *cpu_device(), build_of("__attribute__((reqd_work_group_size(16, 2, 1)))\n"
                              "kernel void k(global int* out) { out[get_global_id(0)] = 1; }")));
  ASSERT_EQ(built.starts.size(), 1u);
  EXPECT_EQ(built.starts.front().variant, "16-2-1-goffs0-smallgrid");
  EXPECT_TRUE(starts_without_compiler(built.starts));
}

TEST(ArchiveBuild, arguments_of_every_kind_are_made_up) {
  const auto built = value_or_throw(build_archive(
      *cpu_device(),
      build_of("struct s { int a[9]; };\n"
               "kernel void k(global float4* out, constant int* in, local int* tile, double8 d,\n"
               "              struct s by_value, read_only image2d_t image, sampler_t how) {\n"
               "  tile[get_local_id(0)] = in[0] + by_value.a[8];\n"
               "  out[get_global_id(0)] = read_imagef(image, how, (int2)(0, 0)) + (float)d.s0 +\n"
               "                          tile[get_local_id(0)];\n"
               "}")));
  for (const auto& start : built.starts)
    EXPECT_EQ(start.outcome, Outcome::ran) << start.variant << ": " << start.detail;
}

TEST(ArchiveBuild, a_kernel_that_dies_of_made_up_arguments_is_proven_all_the_same) {
  const auto built =
      value_or_throw(build_archive(*cpu_device(), build_of("kernel void k(ulong address) {\n"
                                                           "  *(volatile global int*)address = 1;\n"
                                                           "}")));
  ASSERT_EQ(built.starts.size(), 2u);
  EXPECT_EQ(built.starts.front().outcome, Outcome::died);
  EXPECT_THAT(built.starts.front().detail, HasSubstr("SIG"));
  EXPECT_TRUE(starts_without_compiler(built.starts));
}

TEST(ArchiveBuild, nothing_of_this_machine_s_folders_is_inside) {
  auto build = build_of(vector_add_text);
  build.keep_bitcode = true;
  const auto built = value_or_throw(build_archive(*cpu_device(), build));
  EXPECT_THAT(paths_of(built.bytes), ::testing::Contains("/program.bc"));
  const std::string_view text = as_text(built.bytes);
  for (const std::string& place :
       {fs::current_path().string(), fs::temp_directory_path().string() + "/kiln",
        std::string(std::getenv("HOME") ? std::getenv("HOME") : "/home/") + "/"})
    EXPECT_EQ(text.find(place), text.npos) << place;
}

TEST(ArchiveBuild, other_contents_have_another_build_hash) {
  const auto with = [](bool bitcode) {
    auto build = build_of(vector_add_text);
    build.keep_bitcode = bitcode;
    const auto built = value_or_throw(build_archive(*cpu_device(), build));
    return std::string(value_or_throw(poclbin::parse(built.bytes)).build_hash);
  };
  EXPECT_NE(with(true), with(false));
}

TEST(ArchiveBuild, intermediates_are_kept_where_asked) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-test"));
  auto build = build_of(vector_add_text);
  build.intermediates = folder.path() / "kept";
  value_or_throw(build_archive(*cpu_device(), build));
  std::size_t bitcode = 0, objects = 0;
  for (const auto& entry : fs::recursive_directory_iterator(build.intermediates)) {
    bitcode += entry.path().extension() == ".bc";
    objects += entry.path().extension() == ".so";
  }
  EXPECT_GE(bitcode, 2u);  // the program's, and the variant's before code was made of it
  EXPECT_EQ(objects, 2u);
}

TEST(ArchiveBuild, what_does_not_fit_is_refused) {
  const auto message = [](const ArchiveBuild& build) {
    const auto built = build_archive(*cpu_device(), build);
    return built ? "no error" : built.error().message();
  };
  auto none = build_of(vector_add_text);
  none.local_sizes.clear();
  EXPECT_THAT(message(none), HasSubstr("no local size is given"));
  auto huge = build_of(vector_add_text);
  huge.local_sizes = {{1u << 20, 1u << 20, 1u << 20}};
  EXPECT_THAT(message(huge), HasSubstr("work-items"));
  auto unknown = build_of(vector_add_text);
  unknown.kernels = {"VectorSub"};
  EXPECT_THAT(message(unknown), HasSubstr("no kernel 'VectorSub'"));
  EXPECT_THAT(message(build_of("kernel void k() { nonsense; }")), HasSubstr("program.cl:1:"));
  EXPECT_THAT(message(build_of("float f(float x) { return x; }")), HasSubstr("holds no kernel"));
}

}  // namespace
}  // namespace kiln::testing
