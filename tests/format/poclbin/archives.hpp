#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/data/bytes.hpp"
#include "kiln/formats/poclbin.hpp"

/// Program archives for the tests: the shared fixtures, and models made here.
namespace kiln::poclbin::testing {

/// The folder of the shared fixtures; it need not be there (KILN_NEED_FIXTURES skips then).
std::filesystem::path fixtures();

/// A fixture's bytes, unpacked where the name ends in ".gz". Fails the test where it cannot.
Bytes fixture(const std::string& name);

/// Names of the files in a folder of the fixtures with that suffix, sorted.
std::vector<std::string> fixture_names(const std::string& folder, const std::string& suffix);

/// A small archive with invented contents: the one that docs/formats/poclbin.md shows.
Archive small_archive();

/// Offsets in its bytes, as docs/formats/poclbin.md lists them.
struct Offset {
  static constexpr std::size_t version = 16, kernel_count = 20, flags = 24, root_count = 32,
                               hash = 36, root = 77, kernel = 108;
};

/// One that uses every part of its format version: two kernels, locals, arguments, several files,
/// and where the version has them root files, flags, program-scope bytes and the optional blocks.
Archive full_archive(std::uint32_t version);

/// 1 to 12.
std::vector<std::uint32_t> all_versions();

/// All paths of an archive, sorted, each with the digest of its content.
std::vector<std::string> listing(const Archive& archive);

/// The message of the error that parse gives, or "accepted".
std::string refusal(ByteView bytes);

}  // namespace kiln::poclbin::testing

#define KILN_NEED_FIXTURES()                                        \
  if (!std::filesystem::exists(kiln::poclbin::testing::fixtures())) \
  GTEST_SKIP() << "the shared fixtures are not here: " << kiln::poclbin::testing::fixtures()
