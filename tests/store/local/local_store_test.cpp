#include "store/local/local_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "store/support.hpp"

namespace kiln {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct LocalStoreTest : ::testing::Test {
  TestFolder folder;
  LocalStore store{folder.store()};
  Sample a{1}, b{2};

  Bytes content_at(Kind kind, const Sample& sample) {
    const auto answer = LocalStore(folder.store()).get(kind, sample.key, sample.canonical);
    EXPECT_TRUE(answer.entry) << answer.reason;
    return answer.entry ? answer.entry->content : Bytes();
  }
  void put(Kind kind, const Sample& sample, const Bytes& content) {
    const auto done = store.put(kind, sample.key, sample.canonical, content, {});
    ASSERT_TRUE(done) << done.error().message();
  }
};

TEST_F(LocalStoreTest, makes_nothing_before_the_first_put) {
  EXPECT_EQ(store.get(Kind::artifact, a.key, a.canonical).reason, "no entry");
  EXPECT_TRUE(value_or_throw(store.list()).empty());
  EXPECT_FALSE(std::filesystem::exists(folder.store()));
  put(Kind::artifact, a, content_of(1, 1, 10));
  EXPECT_EQ(content_at(Kind::artifact, a), content_of(1, 1, 10)) << "after a look at nothing";
}

TEST_F(LocalStoreTest, another_store_object_finds_what_was_put) {
  for (const std::size_t size : {0ul, 1ul, 1000ul, LocalStore::largest_inline,
                                 LocalStore::largest_inline + 1, 50'000ul, 3'000'000ul}) {
    const auto content = content_of(1, 1, size);
    put(Kind::artifact, a, content);
    EXPECT_EQ(content_at(Kind::artifact, a), content) << size << " bytes";
  }
}

TEST_F(LocalStoreTest, keeps_the_metadata) {
  const Metadata metadata{7, "VectorAdd on \"PoCL\"\n", "pocl-3.1", 1.25};
  ASSERT_TRUE(store.put(Kind::plan, a.key, a.canonical, content_of(1, 1, 10), metadata));
  const auto answer = LocalStore(folder.store()).get(Kind::plan, a.key, a.canonical);
  ASSERT_TRUE(answer.entry) << answer.reason;
  EXPECT_EQ(answer.entry->metadata.schema, 7u);
  EXPECT_EQ(answer.entry->metadata.label, metadata.label);
  EXPECT_EQ(answer.entry->metadata.fingerprint, metadata.fingerprint);
  EXPECT_EQ(answer.entry->metadata.cost_seconds, 1.25);
}

TEST_F(LocalStoreTest, takes_costs_that_the_database_cannot_hold) {
  for (const double cost : {std::nan(""), std::numeric_limits<double>::infinity(), -0.0, -1.0}) {
    Metadata metadata;
    metadata.cost_seconds = cost;
    ASSERT_TRUE(store.put(Kind::plan, a.key, a.canonical, content_of(1, 1, 10), metadata)) << cost;
    const auto answer = store.get(Kind::plan, a.key, a.canonical);
    ASSERT_TRUE(answer.entry) << cost << ": " << answer.reason;
    EXPECT_EQ(answer.entry->metadata.cost_seconds, 0);
  }
}

TEST_F(LocalStoreTest, kinds_never_mix) {
  put(Kind::artifact, a, content_of(1, 1, 10));
  EXPECT_EQ(store.get(Kind::plan, a.key, a.canonical).reason, "no entry");
}

TEST_F(LocalStoreTest, other_canonical_bytes_under_one_key_are_a_collision) {
  put(Kind::artifact, a, content_of(1, 1, 10));
  const auto answer = store.get(Kind::artifact, a.key, b.canonical);
  EXPECT_FALSE(answer.entry);
  EXPECT_EQ(answer.reason, "key collision");
}

TEST_F(LocalStoreTest, a_plan_of_100_mb_goes_through) {
  const Bytes content = content_of(1, 1, 100'000'000);
  put(Kind::plan, a, content);
  EXPECT_TRUE(content_at(Kind::plan, a) == content);
}

TEST_F(LocalStoreTest, equal_contents_share_one_file) {
  const auto content = content_of(1, 1, 40'000);
  put(Kind::artifact, a, content);
  put(Kind::artifact, b, content);
  EXPECT_EQ(value_or_throw(store.stats()).files, 1u);
  ASSERT_TRUE(value_or_throw(store.remove(Kind::artifact, a.key)));
  EXPECT_EQ(content_at(Kind::artifact, b), content) << "the other entry still uses it";
  ASSERT_TRUE(value_or_throw(store.remove(Kind::artifact, b.key)));
  EXPECT_EQ(value_or_throw(store.stats()).files, 0u);
}

TEST_F(LocalStoreTest, a_replaced_content_leaves_no_file) {
  for (int version = 0; version < 3; ++version)
    put(Kind::artifact, a, content_of(1, version, 40'000));
  EXPECT_EQ(value_or_throw(store.stats()).files, 1u);
  put(Kind::artifact, a, content_of(1, 3, 10));
  EXPECT_EQ(value_or_throw(store.stats()).files, 0u);
}

TEST_F(LocalStoreTest, a_damaged_file_is_mended_by_the_same_put) {
  const auto content = content_of(1, 1, 40'000);
  put(Kind::artifact, a, content);
  const std::string shelf = folder.store() + "/blobs/" + names_in(folder.store() + "/blobs").at(0);
  const std::string file = shelf + "/" + names_in(shelf).at(0);
  std::filesystem::resize_file(file, 39'999);
  EXPECT_THAT(store.get(Kind::artifact, a.key, a.canonical).reason, HasSubstr("39999 bytes"));
  put(Kind::artifact, a, content);
  EXPECT_EQ(content_at(Kind::artifact, a), content);
  std::filesystem::remove(file);
  EXPECT_EQ(store.get(Kind::artifact, a.key, a.canonical).reason, "the content's file is missing");
}

TEST_F(LocalStoreTest, sizes_beyond_the_limits_are_refused_and_harm_nothing) {
  put(Kind::record, a, content_of(1, 1, 10));
  Metadata long_label;
  long_label.label.assign(LocalStore::largest_text + 1, 'x');
  const Bytes long_key(LocalStore::largest_canonical + 1);
  const auto first = store.put(Kind::record, b.key, b.canonical, {}, long_label);
  const auto second = store.put(Kind::record, b.key, long_key, {}, {});
  ASSERT_FALSE(first);
  ASSERT_FALSE(second);
  EXPECT_EQ(first.error().message(), "not stored: the label has 4097 bytes; at most 4096 are kept");
  EXPECT_THAT(second.error().message(), HasSubstr("the entry's key has 1048577 bytes"));
  EXPECT_EQ(content_at(Kind::record, a), content_of(1, 1, 10));
}

TEST_F(LocalStoreTest, the_largest_key_and_texts_fit) {
  const Bytes canonical = content_of(1, 1, LocalStore::largest_canonical);
  Metadata metadata;
  metadata.label.assign(LocalStore::largest_text, 'l');
  metadata.fingerprint.assign(LocalStore::largest_text, 'f');
  const auto content = content_of(1, 2, LocalStore::largest_inline);
  ASSERT_TRUE(store.put(Kind::record, a.key, canonical, content, metadata));
  const auto answer = store.get(Kind::record, a.key, canonical);
  ASSERT_TRUE(answer.entry) << answer.reason;
  EXPECT_EQ(answer.entry->content, content);
}

TEST_F(LocalStoreTest, update_sees_the_present_entry_and_replaces_it) {
  for (int round = 0; round < 3; ++round) {
    const auto done =
        store.update(Kind::record, a.key, a.canonical,
                     [&](const std::optional<Entry>& present) -> std::optional<Entry> {
                       EXPECT_EQ(present.has_value(), round > 0);
                       Bytes next = present ? present->content : Bytes();
                       next.resize(next.size() + 20'000, std::byte{42});
                       return Entry{next, {}};
                     });
    ASSERT_TRUE(done) << done.error().message();
  }
  EXPECT_EQ(content_at(Kind::record, a), Bytes(60'000, std::byte{42}));
  EXPECT_EQ(value_or_throw(store.stats()).files, 1u);
}

TEST_F(LocalStoreTest, update_may_leave_things_as_they_are) {
  const auto leave = [](const std::optional<Entry>&) { return std::optional<Entry>(); };
  ASSERT_TRUE(store.update(Kind::record, a.key, a.canonical, leave));
  EXPECT_EQ(store.get(Kind::record, a.key, a.canonical).reason, "no entry");
  put(Kind::record, a, content_of(1, 1, 20'000));
  ASSERT_TRUE(store.update(Kind::record, a.key, a.canonical, leave));
  EXPECT_EQ(content_at(Kind::record, a), content_of(1, 1, 20'000));
}

TEST_F(LocalStoreTest, an_exception_from_an_update_is_an_error_and_changes_nothing) {
  put(Kind::record, a, content_of(1, 1, 10));
  const auto done = store.update(
      Kind::record, a.key, a.canonical,
      [](const std::optional<Entry>&) -> std::optional<Entry> { throw std::runtime_error("no"); });
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message(), HasSubstr("no"));
  EXPECT_EQ(content_at(Kind::record, a), content_of(1, 1, 10));
  put(Kind::record, a, content_of(1, 2, 10));
}

TEST_F(LocalStoreTest, the_store_refuses_to_be_used_from_inside_its_own_update) {
  std::string inner;
  const auto done =
      store.update(Kind::record, a.key, a.canonical, [&](const std::optional<Entry>&) {
        inner = store.get(Kind::record, b.key, b.canonical).reason;
        return std::optional<Entry>({Bytes(3), {}});
      });
  EXPECT_TRUE(done);
  EXPECT_EQ(inner, "store used from inside its own update");
  EXPECT_EQ(content_at(Kind::record, a), Bytes(3));
}

TEST_F(LocalStoreTest, a_folder_removed_under_a_living_store_is_made_again) {
  put(Kind::artifact, a, content_of(1, 1, 40'000));
  std::filesystem::remove_all(folder.store());
  EXPECT_EQ(store.get(Kind::artifact, a.key, a.canonical).reason, "no entry");
  put(Kind::artifact, a, content_of(1, 1, 40'000));
  EXPECT_EQ(content_at(Kind::artifact, a), content_of(1, 1, 40'000));
  std::filesystem::remove_all(folder.store());
  put(Kind::artifact, a, content_of(1, 2, 40'000));
  EXPECT_EQ(content_at(Kind::artifact, a), content_of(1, 2, 40'000));
}

TEST_F(LocalStoreTest, a_relative_folder_stays_the_same_when_the_working_folder_changes) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.folder.path());
  // Such a name must not be taken for a URI either.
  LocalStore relative("file:name?mode=memory");
  std::filesystem::current_path("/");
  const auto content = content_of(1, 1, 40'000);
  EXPECT_TRUE(relative.put(Kind::plan, a.key, a.canonical, content, {}));
  LocalStore absolute(folder.folder.path().string() + "/file:name?mode=memory");
  EXPECT_TRUE(absolute.get(Kind::plan, a.key, a.canonical).entry);
  std::filesystem::current_path(before);
}

TEST_F(LocalStoreTest, everything_is_private_to_the_user) {
  put(Kind::artifact, a, content_of(1, 1, 40'000));
  struct stat status {};
  ASSERT_EQ(::stat(folder.store().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(LocalStoreTest, an_empty_folder_name_is_a_store_that_misses) {
  LocalStore none("");
  EXPECT_EQ(none.get(Kind::artifact, a.key, a.canonical).reason,
            "store unusable: no folder is set");
  EXPECT_FALSE(none.put(Kind::artifact, a.key, a.canonical, {}, {}));
}

}  // namespace
}  // namespace kiln
