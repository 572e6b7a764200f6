#include <gtest/gtest.h>

#include <fstream>

#include "format/kdb/samples.hpp"
#include "test_paths.hpp"

// The byte tables of the document are those of files that the code writes.
namespace kiln::kdb::testing {
namespace {

/// The bytes of each table "| offset | `hex` | meaning |" of the page. A table begins at offset 0,
/// and offsets have to follow one another.
std::vector<Bytes> tables() {
  std::ifstream file(KILN_SOURCE_DIR "/docs/formats/kdb.md");
  EXPECT_TRUE(file);
  std::vector<Bytes> tables;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| ") || line.size() < 3 || line[2] < '0' || line[2] > '9') continue;
    const std::size_t offset = std::stoul(line.substr(2));
    if (offset == 0) tables.emplace_back();
    EXPECT_EQ(offset, tables.back().size()) << line;
    const std::size_t start = line.find('`') + 1;
    std::string hex = line.substr(start, line.find('`', start) - start);
    std::erase(hex, ' ');
    append(tables.back(), from_hex(hex));
  }
  return tables;
}

Database one_record(Layout layout) {
  Record record = tuned_block_2d();
  if (layout != Layout::v3) record.granularity.max_work_group = 0;
  Database database{.layout = layout};
  database.patterns = {{.name = block_gemm, .settings = {{0, 0x10, {record}}}}};
  return database;
}

TEST(KdbDocument, the_files_in_the_page_are_those_that_are_written) {
  const auto shown = tables();
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_EQ(to_hex(shown[0]), to_hex(bytes_of(one_record(Layout::v3))));
  Database published = one_record(Layout::v1);
  ASSERT_TRUE(place_kernels(published, {{0, 0, 0, 0, as_bytes("code")}}));
  EXPECT_EQ(to_hex(shown[1]), to_hex(bytes_of(published)));
}

TEST(KdbDocument, every_rule_that_a_test_breaks_is_in_the_page) {
  std::ifstream file(KILN_SOURCE_DIR "/docs/formats/kdb.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  Database broken = complete({}).database;
  std::swap(broken.patterns[0], broken.patterns[1]);
  broken.patterns.back().name = "unknown";
  broken.patterns[2].settings.pop_back();
  broken.functions = 1;
  Record record = tuned_block_2d();
  record.levels[0] = {17, 3, 5, 7, 3};
  record.granularity = {{3, 5}, 2, 64, {}, 1};
  record.time = -1;
  record.duplicate[0] = 1;
  for (Pattern& pattern : broken.patterns)
    for (Setting& setting : pattern.settings) setting.records[3] = record;
  const auto findings = verify(broken, {2});
  EXPECT_GT(findings.size(), 1000u);
  for (const Finding& finding : findings)
    ASSERT_NE(page.find(std::string(finding.rule)), std::string::npos) << finding.rule;
}

}  // namespace
}  // namespace kiln::kdb::testing
