#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "format/poclbin/random_archive.hpp"

namespace kiln::poclbin::testing {
namespace {

RC_GTEST_PROP(PoclbinRandom, a_model_survives_writing_and_reading, ()) {
  RandomArchive models;
  const Archive archive = models.archive();
  const Bytes bytes = write(archive);
  const auto read = parse(bytes);
  if (!read) RC_FAIL(read.error().message());
  RC_ASSERT(*read == archive);
  RC_ASSERT(write(*read) == bytes);
}

RC_GTEST_PROP(PoclbinRandom, an_archive_of_the_wiki_survives_writing_and_reading, ()) {
  RandomArchive models;
  const wiki::Archive archive = models.wiki_archive();
  const Bytes bytes = wiki::write(archive);
  const auto read = wiki::parse(bytes);
  if (!read) RC_FAIL(read.error().message());
  RC_ASSERT(*read == archive);
  RC_ASSERT(verify(bytes)->files == archive.files.size());
}

RC_GTEST_PROP(PoclbinRandom, a_conversion_to_its_own_version_changes_nothing, ()) {
  RandomArchive models;
  const Archive archive = models.archive();
  const auto same = convert(archive, archive.version);
  RC_ASSERT(same && same->bytes == write(archive) && same->lost.empty());
}

RC_GTEST_PROP(PoclbinRandom, a_conversion_keeps_every_kernel_and_its_files, ()) {
  RandomArchive models;
  const Archive archive = models.archive();
  const auto version = *rc::gen::inRange(oldest_version, newest_version + 1);
  const auto converted = convert(archive, version);
  if (!converted) RC_DISCARD("a size that the version cannot hold");
  const auto read = parse(converted->bytes);
  RC_ASSERT(read && read->version == version);
  RC_ASSERT(read->kernels.size() == archive.kernels.size());
  for (std::size_t i = 0; i < archive.kernels.size(); ++i) {
    RC_ASSERT(read->kernels[i].name == archive.kernels[i].name);
    RC_ASSERT(read->kernels[i].files == archive.kernels[i].files);
  }
}

RC_GTEST_PROP(PoclbinRandom, merging_an_archive_with_itself_changes_nothing, ()) {
  RandomArchive models;
  const Bytes bytes = write(models.archive());
  const auto merged = merge(bytes, bytes);
  if (!merged) RC_FAIL(merged.error().message());
  RC_ASSERT(*merged == bytes);
}

RC_GTEST_PROP(PoclbinRandom, random_damage_is_refused_or_read_as_it_is_written, ()) {
  RandomArchive models;
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
