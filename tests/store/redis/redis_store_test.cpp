// The shared store over a sound server: what goes in comes out, and nothing else does.
#include "store/redis/redis_store.hpp"

#include <gmock/gmock.h>

#include <set>

#include "store/redis/shared_fixture.hpp"

namespace kiln {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

using RedisStoreTest = SharedFixture;

TEST_F(RedisStoreTest, what_one_sends_another_finds_with_its_metadata) {
  EXPECT_EQ(look_up(*store_at(server->url())), "hit");
}

TEST_F(RedisStoreTest, what_nobody_sent_is_a_miss) {
  const auto store = store_at(server->url());
  EXPECT_EQ(store->get(Kind::artifact, two.key, two.canonical).reason, "no entry");
  EXPECT_EQ(store->get(Kind::plan, one.key, one.canonical).reason, "no entry");
}

TEST_F(RedisStoreTest, put_is_sent_by_the_end_of_the_store) {
  {
    const auto store = store_at(server->url());
    for (int number = 10; number < 60; ++number) {
      const Sample sample(number);
      ASSERT_TRUE(
          store->put(Kind::plan, sample.key, sample.canonical, content_of(number, 1, 20'000), {}));
    }
  }
  const auto store = store_at(server->url());
  for (int number = 10; number < 60; ++number) {
    const Sample sample(number);
    const auto found = store->get(Kind::plan, sample.key, sample.canonical);
    ASSERT_TRUE(found.entry) << number << found.reason;
    EXPECT_EQ(found.entry->content, content_of(number, 1, 20'000));
  }
}

TEST_F(RedisStoreTest, the_last_writer_wins) {
  const auto store = store_at(server->url());
  ASSERT_TRUE(store->send(Kind::artifact, one.key, one.canonical, content_of(7, 7, 10), {}));
  EXPECT_EQ(store->get(Kind::artifact, one.key, one.canonical).entry->content,
            content_of(7, 7, 10));
}

TEST_F(RedisStoreTest, an_empty_and_a_large_content_come_back_as_they_were) {
  const auto store = store_at(server->url());
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{8'000'000}}) {
    ASSERT_TRUE(store->send(Kind::plan, two.key, two.canonical, content_of(2, 1, bytes), {}));
    const auto found = store->get(Kind::plan, two.key, two.canonical);
    ASSERT_TRUE(found.entry) << found.reason;
    EXPECT_EQ(found.entry->content, content_of(2, 1, bytes));
  }
}

TEST_F(RedisStoreTest, what_is_too_large_is_not_sent) {
  RedisStore::Tuning tuning;
  tuning.largest = 1000;
  RedisStore store(value_or_throw(parse_shared_url(server->url())), {long_bound, {}, {}}, tuning);
  const auto put = store.put(Kind::plan, two.key, two.canonical, Bytes(1001), {});
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().code(), Errc::refused);
  EXPECT_FALSE(store.send(Kind::plan, two.key, two.canonical, Bytes(1001), {}));
  EXPECT_TRUE(store.send(Kind::plan, two.key, two.canonical, Bytes(1000), {}));
}

TEST_F(RedisStoreTest, all_that_is_there_can_be_listed) {
  const auto store = store_at(server->url());
  std::set<std::string> expected{"1" + one.key.hex()};
  for (int number = 10; number < 1500; ++number) {
    const Sample sample(number);
    expected.insert("3" + sample.key.hex());
    server->command({"SET", "kiln:1:record:" + sample.key.hex(), "x"});
  }
  for (const char* foreign : {"kiln:2:record:00", "other", "kiln:1:record:00", "kiln:1:thing:00"})
    server->command({"SET", foreign, "x"});
  std::set<std::string> found;
  std::string cursor;
  int pages = 0;
  do {
    const auto page = value_or_throw(store->list(cursor));
    for (const auto& [kind, key] : page.places)
      found.insert(std::to_string(static_cast<int>(kind)) + key.hex());
    cursor = page.cursor;
    ++pages;
  } while (!cursor.empty());
  EXPECT_EQ(found, expected);
  EXPECT_GT(pages, 1);
}

TEST_F(RedisStoreTest, fetch_brings_what_is_at_a_place) {
  const auto store = store_at(server->url());
  const auto found = store->fetch(Kind::artifact, one.key);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->canonical, one.canonical);
  EXPECT_TRUE(found->entry.metadata.made_elsewhere);
  EXPECT_EQ(store->fetch(Kind::artifact, two.key).error().code(), Errc::not_found);
}

TEST_F(RedisStoreTest, changing_in_place_is_refused) {
  const auto changed =
      store_at(server->url())
          ->update(Kind::record, one.key, one.canonical,
                   [](const std::optional<Entry>&) { return std::optional<Entry>(Entry{}); });
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code(), Errc::unsupported);
}

// What is in the server but should not be.

TEST_F(RedisStoreTest, a_list_at_the_place_is_a_miss_and_no_reason_to_give_up) {
  server->command({"DEL", place(one)});
  server->command({"RPUSH", place(one), "x"});
  const auto store = store_at(server->url());
  EXPECT_THAT(look_up(*store), HasSubstr("WRONGTYPE"));
  EXPECT_EQ(store->get(Kind::artifact, two.key, two.canonical).reason, "no entry");
}

TEST_F(RedisStoreTest, an_entry_of_another_key_or_kind_is_a_miss) {
  send(two, 2);
  set_value(one, value(two));
  EXPECT_EQ(look_up(*store_at(server->url())), "found an entry of another key at its place");
  server->command({"SET", "kiln:1:plan:" + two.key.hex(), value(two)});
  EXPECT_EQ(store_at(server->url())->get(Kind::plan, two.key, two.canonical).reason,
            "found an entry of another key at its place");
}

TEST_F(RedisStoreTest, another_callers_canonical_bytes_are_a_collision) {
  EXPECT_EQ(store_at(server->url())->get(Kind::artifact, one.key, two.canonical).reason,
            "key collision");
}

TEST_F(RedisStoreTest, a_value_changed_in_any_byte_is_a_miss_or_right) {
  const auto store = store_at(server->url());
  const std::string sound = value(one);
  for (std::size_t at = 0; at < sound.size(); ++at) {
    std::string changed = sound;
    changed[at] = static_cast<char>(changed[at] ^ 0x20);
    set_value(one, changed);
    const auto found = store->get(Kind::artifact, one.key, one.canonical);
    if (found.entry) {
      EXPECT_EQ(found.entry->content, content_of(1, 1, size)) << at;
    } else {
      EXPECT_THAT(found.reason, Not(IsEmpty())) << at;
      EXPECT_THAT(found.reason, Not(HasSubstr("skipped"))) << at;
    }
  }
}

TEST_F(RedisStoreTest, a_value_cut_at_any_length_or_with_more_behind_it_is_a_miss) {
  const auto store = store_at(server->url());
  const std::string sound = value(one);
  for (std::size_t length = 0; length < sound.size(); ++length) {
    set_value(one, std::string_view(sound).substr(0, length));
    const auto said = look_up(*store);
    EXPECT_NE(said, "hit") << length;
    EXPECT_NE(said, "wrong") << length;
  }
  set_value(one, sound + "x");
  EXPECT_NE(look_up(*store), "hit");
}

// Signatures.

struct SignedStoreTest : SharedFixture {
  SigningKey mine = SigningKey::generate(), other = SigningKey::generate();
  SharedOptions signing(const SigningKey& key) { return {long_bound, {}, key}; }
  SharedOptions trusting(std::vector<PublicKey> keys) {
    return {long_bound, Trust{true, std::move(keys), "a list"}, {}};
  }
  void send_signed(const SigningKey& key) {
    const auto store = store_at(server->url(), long_bound, pause_for_ever, signing(key));
    ASSERT_TRUE(store->send(Kind::artifact, one.key, one.canonical, content_of(1, 1, size),
                            metadata_of(1)));
  }
  std::string look_up_trusting(std::vector<PublicKey> keys) {
    return look_up(*store_at(server->url(), long_bound, pause_for_ever, trusting(std::move(keys))));
  }
};

TEST_F(SignedStoreTest, an_entry_of_a_listed_key_is_used_and_says_whose_it_is) {
  send_signed(mine);
  EXPECT_EQ(look_up_trusting({other.public_key(), mine.public_key()}), "hit");
  const auto found = store_at(server->url())->get(Kind::artifact, one.key, one.canonical);
  ASSERT_TRUE(found.entry && found.entry->metadata.signature);
  EXPECT_EQ(found.entry->metadata.signature->signer, mine.public_key());
}

TEST_F(SignedStoreTest, unsigned_and_foreign_entries_are_refused_where_signatures_are_required) {
  EXPECT_THAT(look_up_trusting({mine.public_key()}), HasSubstr("unsigned"));
  send_signed(other);
  EXPECT_THAT(look_up_trusting({mine.public_key()}), HasSubstr("not listed"));
  EXPECT_THAT(look_up_trusting({}), HasSubstr("not listed"));
}

TEST_F(SignedStoreTest, a_signed_value_changed_in_any_byte_is_never_used_wrongly) {
  send_signed(mine);
  const std::string sound = value(one);
  const auto store =
      store_at(server->url(), long_bound, pause_for_ever, trusting({mine.public_key()}));
  ASSERT_EQ(look_up(*store), "hit");
  for (std::size_t at = 0; at < sound.size(); ++at) {
    std::string changed = sound;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    set_value(one, changed);
    const auto said = look_up(*store);
    EXPECT_NE(said, "hit") << at;
    EXPECT_NE(said, "wrong") << at;
  }
}

TEST_F(SignedStoreTest, what_was_made_elsewhere_keeps_its_own_signature) {
  send_signed(other);
  const auto mine_here = store_at(server->url(), long_bound, pause_for_ever, signing(mine));
  auto found = mine_here->get(Kind::artifact, one.key, one.canonical);
  ASSERT_TRUE(found.entry);
  ASSERT_TRUE(mine_here->send(Kind::artifact, one.key, one.canonical, found.entry->content,
                              found.entry->metadata));
  EXPECT_EQ(look_up_trusting({other.public_key()}), "hit");
}

TEST_F(SignedStoreTest, parts_that_were_trusted_are_signed_with_what_was_added_to_them) {
  SharedOptions strict = trusting({other.public_key()});
  strict.signer = mine;
  Metadata merged = metadata_of(1);
  merged.made_elsewhere = true;
  const auto store = store_at(server->url(), long_bound, pause_for_ever, strict);
  ASSERT_TRUE(store->send(Kind::artifact, one.key, one.canonical, content_of(1, 1, size), merged));
  EXPECT_EQ(look_up_trusting({mine.public_key()}), "hit");
}

TEST_F(SignedStoreTest, nobodys_key_speaks_for_parts_that_were_not_checked) {
  Metadata merged = metadata_of(1);
  merged.made_elsewhere = true;
  const auto store = store_at(server->url(), long_bound, pause_for_ever, signing(mine));
  ASSERT_TRUE(store->send(Kind::artifact, one.key, one.canonical, content_of(1, 1, size), merged));
  EXPECT_THAT(look_up_trusting({mine.public_key()}), HasSubstr("unsigned"));
  EXPECT_EQ(look_up(*store), "hit") << "where no signature is asked for, it is taken";
}

TEST_F(SignedStoreTest, who_asks_for_signatures_and_has_no_key_only_reads) {
  send_signed(other);
  {
    const auto store =
        store_at(server->url(), long_bound, pause_for_ever, trusting({mine.public_key()}));
    const auto sent = store->send(Kind::artifact, one.key, one.canonical, Bytes(10), {});
    ASSERT_FALSE(sent);
    EXPECT_THAT(sent.error().message(), HasSubstr("has no signing key"));
    (void)store->put(Kind::artifact, one.key, one.canonical, Bytes(10), {});
  }
  EXPECT_EQ(look_up_trusting({other.public_key()}), "hit") << "it was not replaced";
}

}  // namespace
}  // namespace kiln
