// Entries out of one store and into another.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "store/pack.hpp"
#include "store/travel_support.hpp"

namespace kiln {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const auto all = [](const EntryInfo&) { return true; };

struct PackExchange : ::testing::Test {
  // Another machine has another store; trust is the test's own.
  Variable no_list{"KILN_TRUSTED_KEYS", "off"};
  TestFolder here, there;
  LocalStore from{here.store()}, to{there.store()};
  SigningKey key = SigningKey::generate();
  Sample a{1}, b{2}, c{3};

  void SetUp() override {
    const Metadata artifact{1, "blur", "PoCL|3.1|cpu", 2.5};
    const Metadata record{1, "split", "CUDA|gpu", 0};
    ASSERT_TRUE(from.put(Kind::artifact, a.key, a.canonical, content_of(1, 1, 50'000), artifact));
    ASSERT_TRUE(from.put(Kind::artifact, b.key, b.canonical, content_of(1, 1, 50'000), artifact));
    ASSERT_TRUE(from.put(Kind::record, c.key, c.canonical, content_of(3, 1, 100), record));
  }
  ExportedPack exported(const SigningKey* signer = nullptr) {
    return value_or_throw(export_pack(from, all, signer));
  }

  /// The outcomes, by the letter of the sample, with their reasons.
  std::map<char, std::string> import(const Bytes& pack, const Trust& trust = {},
                                     ImportMode mode = ImportMode::write) {
    std::map<char, std::string> outcomes;
    const auto entries = value_or_throw(read_pack(pack));
    value_or_throw(import_pack(
        to, entries, trust, mode,
        [&](const PackEntry& entry, ImportOutcome outcome, const std::string& reason) {
          const char name = entry.head.key == a.key ? 'a' : entry.head.key == b.key ? 'b' : 'c';
          outcomes[name] = name_of(outcome) + (reason.empty() ? "" : ": " + reason);
        }));
    return outcomes;
  }
  using Outcomes = std::map<char, std::string>;
  const Outcomes imported{{'a', "imported"}, {'b', "imported"}, {'c', "imported"}};
  const Outcomes present{{'a', "present"}, {'b', "present"}, {'c', "present"}};
};

TEST_F(PackExchange, everything_arrives_marked_as_made_elsewhere) {
  const auto pack = exported(&key);
  EXPECT_EQ(pack.entries, 3u);
  EXPECT_EQ(pack.contents, 2u);
  EXPECT_THAT(pack.left_out, IsEmpty());
  EXPECT_EQ(import(pack.pack), imported);
  for (const auto& [kind, sample] : {std::pair{Kind::artifact, &a}, {Kind::record, &c}}) {
    const auto before = from.look_up(kind, sample->key, sample->canonical);
    const auto after = to.look_up(kind, sample->key, sample->canonical);
    ASSERT_TRUE(after.entry) << after.reason;
    EXPECT_EQ(after.entry->content, before.entry->content);
    EXPECT_TRUE(after.entry->metadata.made_elsewhere);
    ASSERT_TRUE(after.entry->metadata.signature);
    EXPECT_EQ(after.entry->metadata.signature->signer, key.public_key());
    Metadata plain = after.entry->metadata;
    plain.made_elsewhere = false;
    plain.signature.reset();
    EXPECT_EQ(plain, before.entry->metadata);
  }
}

/// Bytes of what a driver was found to do.
Bytes findings_canonical() {
  CanonicalWriter writer(findings_schema, 1);
  writer.text("topic", "compiling").text("device", "PoCL|3.1|cpu");
  return writer.view();
}

TEST_F(PackExchange, findings_about_drivers_stay_where_they_are) {
  const Bytes canonical = findings_canonical();
  ASSERT_TRUE(from.put(Kind::record, key_of(canonical), canonical, content_of(3, 1, 100),
                       {1, "compiling of the driver", "PoCL|3.1|cpu", 0}));
  EXPECT_EQ(exported().entries, 3u);
}

TEST_F(PackExchange, findings_about_drivers_are_not_taken_from_a_pack_that_has_some) {
  const Bytes canonical = findings_canonical(), content = content_of(3, 1, 100);
  PackEntry forged;
  forged.head = head_of(Kind::record, canonical, content, {1, "findings", "PoCL|3.1|cpu", 0});
  forged.content = content;
  forged.signature = key.sign(encode_head(forged.head));
  const Bytes pack = value_or_throw(write_pack({forged}));
  for (const auto mode : {ImportMode::dry_run, ImportMode::write})
    EXPECT_EQ(import(pack, {}, mode),
              (Outcomes{{'c', std::string("refused: ") + findings_refusal}}));
  EXPECT_FALSE(to.look_up(Kind::record, key_of(canonical), canonical).entry);
}

TEST_F(PackExchange, a_second_import_changes_nothing) {
  const auto pack = exported();
  EXPECT_EQ(import(pack.pack), imported);
  EXPECT_EQ(import(pack.pack), present);
}

TEST_F(PackExchange, a_pack_does_not_tell_when_where_or_how_often) {
  const auto pack = exported(&key);
  import(pack.pack);
  for (int i = 0; i < 3; ++i) to.get(Kind::artifact, a.key, a.canonical);
  EXPECT_EQ(value_or_throw(export_pack(to, all)).pack, pack.pack) << "signatures last, too";
  EXPECT_EQ(as_text(pack.pack).find(here.folder.path().string()), std::string::npos);
}

TEST_F(PackExchange, only_what_is_wanted_is_exported) {
  const auto pack = value_or_throw(
      export_pack(from, [](const EntryInfo& entry) { return entry.kind == Kind::record; }));
  EXPECT_EQ(pack.entries, 1u);
  EXPECT_EQ(import(pack.pack), (Outcomes{{'c', "imported"}}));
}

TEST_F(PackExchange, exporting_counts_as_no_use) {
  exported();
  for (const auto& entry : value_or_throw(LocalStore(here.store()).list()))
    EXPECT_EQ(entry.hits, 0u);
}

TEST_F(PackExchange, a_damaged_entry_is_left_out_and_named) {
  for (const auto& file : std::filesystem::recursive_directory_iterator(here.store() + "/blobs"))
    if (file.is_regular_file()) std::filesystem::resize_file(file.path(), 10);
  const auto pack = exported();
  EXPECT_EQ(pack.entries, 1u);
  ASSERT_EQ(pack.left_out.size(), 2u);
  EXPECT_THAT(pack.left_out[0].reason, HasSubstr("10 bytes"));
}

TEST_F(PackExchange, with_a_list_only_listed_signers_get_in) {
  const Trust trust{true, {key.public_key()}, "the list"};
  const Bytes unsigned_pack = exported().pack;
  for (const auto& [name, outcome] : import(unsigned_pack, trust))
    EXPECT_EQ(outcome, "refused: unsigned") << name;
  const auto stranger = SigningKey::generate();
  for (const auto& [name, outcome] : import(exported(&stranger).pack, trust))
    EXPECT_EQ(outcome, "refused: signed by " + stranger.public_key().hex() +
                           ", which is not listed in the list");
  EXPECT_THAT(value_or_throw(to.list()), IsEmpty()) << "nothing of a refused entry is stored";
  EXPECT_EQ(import(value_or_throw(sign_pack(unsigned_pack, key)), trust), imported);
}

TEST_F(PackExchange, an_altered_entry_is_refused_with_and_without_a_list) {
  const Bytes pack = exported(&key).pack;
  auto entries = value_or_throw(read_pack(pack));
  for (auto& entry : entries) entry.head.metadata.label += " improved";
  const Bytes altered = value_or_throw(write_pack(entries));
  for (const auto& trust : {Trust{}, Trust{true, {key.public_key()}, "the list"}})
    for (const auto& [name, outcome] : import(altered, trust))
      EXPECT_EQ(outcome, "refused: its signature does not verify");
  EXPECT_THAT(value_or_throw(to.list()), IsEmpty());
}

TEST_F(PackExchange, what_this_machine_made_is_not_replaced) {
  const auto own = content_of(1, 2, 60'000);
  ASSERT_TRUE(to.put(Kind::artifact, a.key, a.canonical, own, {1, "own", "", 1}));
  const auto copy = from.look_up(Kind::artifact, b.key, b.canonical).entry;
  ASSERT_TRUE(to.put(Kind::artifact, b.key, b.canonical, copy->content, copy->metadata));
  EXPECT_EQ(
      import(exported(&key).pack),
      (Outcomes{{'a', "kept: this machine made its own"}, {'b', "present"}, {'c', "imported"}}));
  const auto after = to.look_up(Kind::artifact, a.key, a.canonical);
  EXPECT_EQ(after.entry->content, own);
  EXPECT_FALSE(after.entry->metadata.made_elsewhere);
  EXPECT_FALSE(to.look_up(Kind::artifact, b.key, b.canonical).entry->metadata.made_elsewhere);
}

TEST_F(PackExchange, what_came_from_elsewhere_is_replaced_by_what_is_newer) {
  import(exported().pack);
  ASSERT_TRUE(from.put(Kind::record, c.key, c.canonical, content_of(3, 2, 100), {}));
  EXPECT_EQ(import(exported().pack),
            (Outcomes{{'a', "present"}, {'b', "present"}, {'c', "imported"}}));
  EXPECT_EQ(to.look_up(Kind::record, c.key, c.canonical).entry->content, content_of(3, 2, 100));
}

TEST_F(PackExchange, a_signature_is_gained_but_never_lost) {
  const Bytes plain = exported().pack;
  const Bytes with_signatures = exported(&key).pack;
  import(plain);
  EXPECT_EQ(import(with_signatures), imported);
  EXPECT_TRUE(to.look_up(Kind::record, c.key, c.canonical).entry->metadata.signature);
  EXPECT_EQ(import(plain), present);
  ASSERT_TRUE(from.put(Kind::record, c.key, c.canonical, content_of(3, 2, 100), {}));
  EXPECT_EQ(import(exported().pack)['c'], "kept: the one in the store is signed, this one is not");
  EXPECT_TRUE(to.look_up(Kind::record, c.key, c.canonical).entry->metadata.signature);
}

TEST_F(PackExchange, a_dry_run_tells_the_same_and_stores_nothing) {
  const auto pack = exported();
  EXPECT_EQ(import(pack.pack, {}, ImportMode::dry_run), imported);
  EXPECT_FALSE(std::filesystem::exists(there.store()));
  import(pack.pack);
  EXPECT_EQ(import(pack.pack, {}, ImportMode::dry_run), present);
}

TEST_F(PackExchange, an_entry_that_is_damaged_here_is_replaced) {
  import(exported().pack);
  for (const auto& file : std::filesystem::recursive_directory_iterator(there.store() + "/blobs"))
    if (file.is_regular_file()) std::filesystem::resize_file(file.path(), 10);
  const auto outcomes = import(exported().pack);
  // Both have one content, so that the first of them heals the second.
  EXPECT_EQ(outcomes.at(a.key < b.key ? 'a' : 'b'), "imported");
  EXPECT_EQ(outcomes.at(a.key < b.key ? 'b' : 'a'), "present");
  EXPECT_TRUE(to.look_up(Kind::artifact, a.key, a.canonical).entry);
  EXPECT_TRUE(to.look_up(Kind::artifact, b.key, b.canonical).entry);
}

TEST_F(PackExchange, a_store_that_cannot_be_written_is_an_error) {
  LocalStore nowhere("/proc/none");
  const auto pack = exported().pack;
  const auto entries = value_or_throw(read_pack(pack));
  int told = 0;
  const auto done = import_pack(nowhere, entries, {}, ImportMode::write,
                                [&](const auto&, ImportOutcome, const auto&) { ++told; });
  EXPECT_FALSE(done);
  EXPECT_EQ(told, 0);
}

}  // namespace
}  // namespace kiln
