// The 27 specification files that the base repository published, as they are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/texts.hpp"
#include "test_paths.hpp"

namespace kiln::spec {
namespace fs = std::filesystem;
namespace {

using namespace testing;
using ::testing::IsEmpty;

std::vector<fs::path> shipped() {
  std::vector<fs::path> files;
  std::error_code absent;
  for (const auto& entry :
       fs::directory_iterator(fs::path(KILN_SHARED_DIR) / "data/pyschedcl-specs", absent)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  return files;
}

#define SKIP_WITHOUT_FILES(files) \
  if (files.empty()) GTEST_SKIP() << "the published specification files are not here"

TEST(Shipped, files_are_right_in_every_dialect_but_for_what_it_requires) {
  const auto files = shipped();
  SKIP_WITHOUT_FILES(files);
  EXPECT_EQ(files.size(), 27u);
  for (const auto& file : files) {
    EXPECT_THAT(check_spec(file), IsEmpty()) << file;
    EXPECT_THAT(check_spec(file, SpecDialect::base), IsEmpty()) << file;
    EXPECT_THAT(errors_of(check_spec(file, SpecDialect::concurrent)), IsEmpty()) << file;
  }
}

TEST(Shipped, files_bind_at_every_size) {
  const auto files = shipped();
  SKIP_WITHOUT_FILES(files);
  for (const auto& file : files) {
    const auto spec = value_or_throw(load_spec(file));
    EXPECT_FALSE(is_part_of_graph(spec)) << file;
    for (const std::uint64_t n : {1u, 64u, 200u, 256u, 257u, 1000u}) {
      const auto bound = bind(spec, set("dataset", static_cast<std::int64_t>(n)));
      ASSERT_TRUE(bound) << file << ": " << bound.error().message();
      EXPECT_EQ(bound->global, std::vector<std::uint64_t>(bound->global.size(), n)) << file;
      for (const auto& argument : bound->arguments) {
        if (argument.kind == ArgumentKind::scalar) continue;
        EXPECT_TRUE(argument.count == n || argument.count == n * n) << file;
      }
    }
  }
}

}  // namespace
}  // namespace kiln::spec
