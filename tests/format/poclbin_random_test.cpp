#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>

#include "format/archives.hpp"

namespace kiln::poclbin::testing {
namespace {

/// Random models that obey the grammar. Owns the texts that they view.
class Models {
 public:
  Archive archive() {
    const bool newer = *rc::gen::arbitrary<bool>();
    Archive archive{.device_id = number(), .version = newer ? 11u : 9u};
    archive.flags = std::uint64_t{*rc::gen::element(1u, 2u, 4u)} << 32 | (number() & 1);
    archive.build_hash = keep(build_hash(bytes_of(number())));
    if (newer && *rc::gen::arbitrary<bool>()) {
      archive.flags |= 2;
      archive.program_scope_bytes = number();
    }
    const auto roots = newer ? *rc::gen::inRange(0, 3) : 1;
    for (int i = 0; i < roots; ++i) archive.root.push_back(files(fmt::format("/r{}", i), 1));
    const auto kernels = *rc::gen::inRange(0, 4);
    for (int i = 0; i < kernels; ++i)
      archive.kernels.push_back(kernel(fmt::format("k{}", i), newer));
    return archive;
  }

 private:
  std::uint64_t number() { return *rc::gen::arbitrary<std::uint64_t>(); }
  std::uint32_t small() { return *rc::gen::arbitrary<std::uint32_t>(); }
  std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }
  std::string_view text() { return keep(*rc::gen::arbitrary<std::string>()); }

  std::vector<File> files(const std::string& folder, int fewest) {
    std::vector<File> made;
    const auto count = *rc::gen::inRange(fewest, fewest + 3);
    for (int i = 0; i < count; ++i)
      made.push_back({keep(fmt::format("{}/{}", folder, i)), as_bytes(text())});
    return made;
  }

  Kernel kernel(const std::string& name, bool newer) {
    Kernel made{.name = keep(name),
                .required_size = {number(), number(), number()},
                .local_sizes = *rc::gen::arbitrary<std::vector<std::uint64_t>>(),
                .attributes = text(),
                .metadata_flags = number() & 31};
    if (newer && *rc::gen::arbitrary<bool>()) {
      made.metadata_flags |= std::uint64_t{4} << 32;
      made.sub_groups = {small(), small()};
    }
    if (newer && *rc::gen::arbitrary<bool>()) {
      made.metadata_flags |= std::uint64_t{2} << 32;
      made.work_group = {small(), small(), small(), small(), small()};
    }
    const auto arguments = *rc::gen::inRange(0, 4);
    for (int i = 0; i < arguments; ++i)
      made.arguments.push_back({small(), small(), number(), small(), small(), text(), text()});
    made.files = files(fmt::format("/{}", name), 0);
    return made;
  }

  std::deque<std::string> texts_;
};

RC_GTEST_PROP(PoclbinRandom, a_model_survives_writing_and_reading, ()) {
  Models models;
  const Archive archive = models.archive();
  const Bytes bytes = write(archive);
  const auto read = parse(bytes);
  if (!read) RC_FAIL(read.error().message());
  RC_ASSERT(*read == archive);
  RC_ASSERT(write(*read) == bytes);
}

RC_GTEST_PROP(PoclbinRandom, merging_an_archive_with_itself_changes_nothing, ()) {
  Models models;
  const Bytes bytes = write(models.archive());
  const auto merged = merge(bytes, bytes);
  if (!merged) RC_FAIL(merged.error().message());
  RC_ASSERT(*merged == bytes);
}

RC_GTEST_PROP(PoclbinRandom, random_damage_is_refused_or_read_as_it_is_written, ()) {
  Models models;
  Bytes bytes = write(models.archive());
  const auto changes = *rc::gen::inRange(1, 9);
  for (int i = 0; i < changes; ++i)
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] =
        static_cast<std::byte>(*rc::gen::arbitrary<std::uint8_t>());
  const auto read = parse(bytes);
  if (!read) return;
  RC_ASSERT(write(*read) == bytes);
}

}  // namespace
}  // namespace kiln::poclbin::testing
