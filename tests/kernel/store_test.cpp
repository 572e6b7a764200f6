#include "kiln/store.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/os/environment.hpp"
#include "kiln/json.hpp"
#include "kiln/runtime.hpp"
#include "store/local/local_store.hpp"

// The public Store: what it says of a local store, and what it does to one.

namespace kiln {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string message_of(const std::function<void()>& call, Errc expected) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), expected) << error.what();
    return error.message();
  }
  return "(nothing was refused)";
}

class PublicStore : public ::testing::Test {
 protected:
  void SetUp() override {
    put(EntryKind::artifact, "one", "P|v|cpu|a|1|64");
    put(EntryKind::artifact, "two", "P|v|gpu|b|1|64");
    put(EntryKind::record, "three", "P|v|gpu|b|1|64");
  }
  void put(EntryKind kind, const std::string& label, const std::string& device) {
    CanonicalWriter writer("test");
    writer.text("label", label);
    LocalStore local(place("store"));
    value_or_throw(local.put(kind, writer.key(), writer.view(), content(label),
                             {.label = label, .fingerprint = device, .cost_seconds = 1}));
  }
  /// Kept in a file of its own.
  static Bytes content(const std::string& label) {
    return Bytes(20'000, static_cast<std::byte>(label.front()));
  }
  std::string place(const char* name) const { return (folder.path() / name).string(); }
  static std::vector<std::string> labels(const std::vector<EntryInfo>& entries) {
    std::vector<std::string> labels;
    for (const auto& entry : entries) labels.push_back(entry.metadata.label);
    std::sort(labels.begin(), labels.end());
    return labels;
  }
  EntryInfo one() const { return store.entries({.devices = {"|a|"}}).at(0); }

  const TemporaryFolder folder = value_or_throw(TemporaryFolder::create("kiln-store"));
  const Store store = Store::open(place("store"));
};

TEST_F(PublicStore, lists_the_entries_that_fit_a_filter) {
  EXPECT_THAT(labels(store.entries()), ElementsAre("one", "three", "two"));
  EXPECT_THAT(labels(store.entries({.kind = EntryKind::record})), ElementsAre("three"));
  EXPECT_THAT(labels(store.entries({.devices = {"gpu"}})), ElementsAre("three", "two"));
  const std::string key = one().key.hex();
  EXPECT_THAT(labels(store.entries({.keys = {key.substr(0, 12)}})), ElementsAre("one"));
  EXPECT_THAT(message_of([&] { store.entries({.keys = {"3f"}}); }, Errc::bad_input),
              HasSubstr("at least 4"));
}

TEST_F(PublicStore, tells_all_of_one_entry) {
  const EntryInfo entry = store.entry(one().key.hex().substr(0, 20));
  EXPECT_EQ(entry.metadata.label, "one");
  EXPECT_EQ(store.content(entry), content("one"));
  EXPECT_THAT(store.facts(entry), HasSubstr("label: \"one\""));
  const EntryInfo two = store.entries({.kind = EntryKind::artifact, .devices = {"|b|"}}).at(0);
  EXPECT_EQ(store.difference(entry, entry), "");
  EXPECT_THAT(store.difference(entry, two), HasSubstr("- label: \"one\"\n+ label: \"two\""));
  const StoreExplanation explanation = store.explain(entry);
  ASSERT_THAT(explanation.layers, Not(IsEmpty()));
  EXPECT_TRUE(explanation.layers.front().answered);
  ASSERT_TRUE(explanation.nearest);
  EXPECT_EQ(explanation.nearest->label, "two");
  EXPECT_THAT(message_of([&] { store.entry(entry.key.hex(), EntryKind::plan); }, Errc::not_found),
              HasSubstr("no entry's key begins with"));
}

TEST_F(PublicStore, counts_removes_and_collects) {
  const StoreStatistics before = store.statistics();
  EXPECT_EQ(before.artifacts.entries, 2u);
  EXPECT_EQ(before.records.bytes, 20'000u);
  EXPECT_GT(before.bytes, 60'000u);
  EXPECT_EQ(store.gc({.max_bytes = 0, .dry_run = true}).evicted, 3u);
  EXPECT_THAT(store.entries(), SizeIs(3));
  EXPECT_TRUE(store.remove(one()));
  EXPECT_EQ(store.clear({.kind = EntryKind::record}), 1u);
  EXPECT_THAT(labels(store.entries()), ElementsAre("two"));
  EXPECT_EQ(store.gc({.max_bytes = 0}).evicted, 1u);
  EXPECT_THAT(store.entries(), IsEmpty());
}

TEST_F(PublicStore, finds_and_removes_what_is_not_whole) {
  EXPECT_EQ(store.verify().fault_count(), 0u);
  for (const auto& file : std::filesystem::recursive_directory_iterator(place("store/blobs")))
    if (file.is_regular_file()) {
      std::ofstream(file.path(), std::ios::in | std::ios::out) << "damage";
      break;
    }
  // The entry, and the file.
  const StoreCheck check = store.verify();
  EXPECT_THAT(check.faults, SizeIs(2));
  EXPECT_FALSE(check.is_repaired);
  EXPECT_TRUE(store.repair().is_repaired);
  EXPECT_EQ(store.verify().fault_count(), 0u);
  EXPECT_THAT(store.entries(), SizeIs(2));
}

TEST_F(PublicStore, refuses_packages_that_debian_would_not_have) {
  const auto refused = [&](const SystemPackage& package) {
    return message_of([&] { store.export_system(place("a.deb"), {}, package); }, Errc::bad_input);
  };
  EXPECT_THAT(refused({.name = "K"}), HasSubstr("package name: found 'K'"));
  EXPECT_THAT(refused({.version = "1-2"}), HasSubstr("package version: found '1-2'"));
  const std::string expected = "expected NAME <ADDRESS>";
  for (const char* maintainer :
       {"A <a@b>\nDepends: x", "", "me", "<a@b>", " <a@b>", "A<a@b>", "A <a@b> ", "A <a>", "A <@b>",
        "A <a@>", "A <a@b@c>", "A <a b@c>", "A <a@b> B <c@d>", "A\x1b <a@b>", "A\xff <a@b>"})
    EXPECT_THAT(refused({.maintainer = maintainer}), HasSubstr(expected)) << maintainer;
  for (const char* name : {"kiln", "kiln-doc", "libkiln0", "libkiln-dev", "libclblas2"})
    EXPECT_THAT(refused({.name = name}),
                HasSubstr("expected one that is no package of Kiln's own"));
  EXPECT_THAT(refused({.name = std::string(129, 'a')}), HasSubstr("expected 2 to 128 of a-z"));
  EXPECT_THAT(refused({.version = std::string(129, '1')}), HasSubstr("expected at most 128"));
  EXPECT_FALSE(std::filesystem::exists(place("a.deb")));
}

TEST_F(PublicStore, packages_what_names_no_device_with_the_entries_of_each) {
  if (find_in_path("dpkg-deb").empty()) GTEST_SKIP() << "dpkg-deb is not installed";
  put(EntryKind::record, "four", "");
  EXPECT_EQ(store.export_system(place("a.deb"), {.devices = {"cpu"}}).entries, 2u);
  EXPECT_EQ(store.export_system(place("a.deb"), {.devices = {"gpu"}}).entries, 3u);
  // Of the kinds that were asked for; and alone it is no package.
  EXPECT_EQ(store.export_system(place("a.deb"), {.kind = EntryKind::artifact, .devices = {"cpu"}})
                .entries,
            1u);
  message_of([&] { store.export_system(place("b.deb"), {.devices = {"fpga"}}); }, Errc::not_found);
  EXPECT_FALSE(std::filesystem::exists(place("b.deb")));
}

TEST_F(PublicStore, carries_entries_to_another_store_by_a_pack) {
  const SigningKey key = SigningKey::generate();
  const ExportedPack exported = store.export_pack({.kind = EntryKind::artifact}, &key);
  EXPECT_EQ(exported.entries, 2u);
  const auto entries = value_or_throw(read_pack(exported.pack));
  const Store other = Store::open(place("other"));
  std::vector<ImportOutcome> outcomes;
  const auto note = [&](const PackEntry& entry, ImportOutcome outcome, const std::string&) {
    EXPECT_EQ(entry.signature->signer, key.public_key());
    outcomes.push_back(outcome);
  };
  other.import_pack(entries, ImportMode::dry_run, note);
  EXPECT_THAT(other.entries(), IsEmpty());
  other.import_pack(entries, ImportMode::write, note);
  other.import_pack(entries);
  EXPECT_THAT(outcomes, ElementsAre(ImportOutcome::imported, ImportOutcome::imported,
                                    ImportOutcome::imported, ImportOutcome::imported));
  EXPECT_THAT(labels(other.entries()), ElementsAre("one", "two"));
  EXPECT_TRUE(other.entries().front().metadata.made_elsewhere);
}

TEST_F(PublicStore, says_what_is_missing) {
  message_of([&] { store.push(); }, Errc::bad_input);
  message_of([&] { store.pull(); }, Errc::bad_input);
  message_of([] { Store::open(StoreSettings{}); }, Errc::bad_input);
  message_of([] { Runtime({.store = "off"}).store(); }, Errc::bad_input);
  Store old = store;
  const Store now = std::move(old);
  message_of([&] { old.entries(); }, Errc::bad_input);  // NOLINT(bugprone-use-after-move)
}

TEST_F(PublicStore, is_that_of_a_runtime_which_it_keeps_alive) {
  std::optional<Runtime> runtime(std::in_place, Runtime::Options{.store = place("store")});
  const Store of_runtime = runtime->store();
  runtime.reset();
  EXPECT_EQ(of_runtime.folder(), store.folder());
  EXPECT_THAT(of_runtime.entries(), SizeIs(3));
}

TEST_F(PublicStore, turns_into_json) {
  const auto entry = nlohmann::json::parse(json_of(one()));
  EXPECT_EQ(entry.at("label"), "one");
  EXPECT_EQ(entry.at("kind"), "artifact");
  EXPECT_EQ(entry.at("size"), 20'000);
  EXPECT_EQ(entry.at("signer"), "");
  EXPECT_THAT(entry.at("created").get<std::string>(), ::testing::MatchesRegex("2.*T.*Z"));
  const auto statistics = nlohmann::json::parse(json_of(store.statistics()));
  EXPECT_EQ(statistics.at("artifacts").at("entries"), 2);
  EXPECT_EQ(nlohmann::json::parse(json_of(store.verify())).at("faults"), 0);
  EXPECT_EQ(nlohmann::json::parse(json_of(store.gc({.dry_run = true}))).at("dry_run"), true);
  EXPECT_EQ(nlohmann::json::parse(json_of(store.explain(one()))).at("nearest").at("label"), "two");
  const auto device =
      nlohmann::json::parse(json_of(Runtime({.devices = "cpu", .store = "off"}).devices().at(0)));
  EXPECT_EQ(device.at("type"), "CPU");
  EXPECT_GE(device.at("index"), 0);
}

}  // namespace
}  // namespace kiln
