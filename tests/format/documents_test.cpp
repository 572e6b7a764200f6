#include <gtest/gtest.h>

#include <fstream>

#include "base/data/bytes.hpp"
#include "format/poclbin/archives.hpp"
#include "kiln/formats/npy.hpp"
#include "test_paths.hpp"

// The byte tables in the documents are those of files that the code writes.
namespace kiln::poclbin::testing {
namespace {

/// The bytes of the one table "| offset | `hex` | meaning |" in a page; offsets have to follow one
/// another.
Bytes table_of(const std::string& page) {
  std::ifstream file(std::string(KILN_SOURCE_DIR) + "/docs/formats/" + page);
  EXPECT_TRUE(file) << page;
  Bytes bytes;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| ") || line.size() < 3 || line[2] < '0' || line[2] > '9') continue;
    const std::size_t start = line.find('`') + 1, end = line.find('`', start);
    std::string hex = line.substr(start, end - start);
    EXPECT_EQ(std::stoul(line.substr(2)), bytes.size()) << line;
    std::erase(hex, ' ');
    append(bytes, from_hex(hex));
  }
  return bytes;
}

TEST(Documents, the_archive_in_the_page_is_the_one_that_is_written) {
  EXPECT_EQ(to_hex(table_of("poclbin.md")), to_hex(write(small_archive())));
}

TEST(Documents, the_npy_file_in_the_page_is_the_one_that_is_written) {
  const std::int16_t values[] = {0, 1, 2, 10, 11, 12};
  const std::size_t shape[] = {2, 3};
  EXPECT_EQ(to_hex(table_of("npy.md")),
            to_hex(npy::write(npy::Type::i16, shape, bytes_of(values))));
}

}  // namespace
}  // namespace kiln::poclbin::testing
