// What this machine made proves it where a list of trusted keys is set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <limits>

#include "store/local/database.hpp"
#include "store/local/local_store.hpp"
#include "store/local/system_store.hpp"
#include "store/pack.hpp"
#include "store/travel_support.hpp"
#include "store/trust/trust.hpp"

namespace kiln {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct MachineKeyTest : ::testing::Test {
  TestFolder folder;
  SigningKey farm = SigningKey::generate();
  Variable home{"HOME", folder.folder.path().string()}, state{"XDG_STATE_HOME", ""},
      config{"XDG_CONFIG_HOME", ""}, named{"KILN_MACHINE_KEY", ""}, signing{"KILN_SIGNING_KEY", ""},
      list{"KILN_TRUSTED_KEYS", "off"};
  Sample sample{1};
  const Bytes content = content_of(1, 0, 50'000);

  std::string path(const std::string& name) const { return (folder.folder.path() / name).string(); }
  std::string key_file() const { return path(".local/state/kiln/machine-key"); }
  void ask_for_signatures() {
    value_or_throw(write_file(path("list"), as_bytes(farm.public_key().hex()), 0644));
    ::setenv("KILN_TRUSTED_KEYS", path("list").c_str(), 1);
  }
  Lookup look_up(const std::string& store = "store") const {
    LocalStore opened(path(store));
    return opened.get(Kind::artifact, sample.key, sample.canonical);
  }
  void put(const std::string& store = "store") const {
    LocalStore opened(path(store));
    value_or_throw(opened.put(Kind::artifact, sample.key, sample.canonical, content,
                              {1, "made here", "device", 1}));
  }
};

TEST_F(MachineKeyTest, without_a_list_nothing_is_signed_and_no_key_is_made) {
  put();
  EXPECT_TRUE(look_up().entry);
  EXPECT_FALSE(std::filesystem::exists(key_file()));
  EXPECT_FALSE(value_or_throw(LocalStore(path("store")).list()).at(0).metadata.signature);
}

TEST_F(MachineKeyTest, with_a_list_what_is_made_here_is_signed_and_used) {
  ask_for_signatures();
  put();
  struct stat status {};
  ASSERT_EQ(::stat(key_file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  const auto found = look_up();
  ASSERT_TRUE(found.entry) << found.reason;
  EXPECT_EQ(found.entry->content, content);
  EXPECT_FALSE(found.entry->metadata.signature) << "it does not leave this machine";
  EXPECT_FALSE(found.entry->metadata.made_elsewhere);
  const auto listed = value_or_throw(LocalStore(path("store")).list()).at(0).metadata.signature;
  ASSERT_TRUE(listed);
  EXPECT_EQ(listed->signer, value_or_throw(read_machine_key()).public_key());
}

TEST_F(MachineKeyTest, with_a_list_a_row_that_only_says_that_it_was_made_here_is_not_used) {
  put();  // by whoever got at the file: row and checksums are good
  ask_for_signatures();
  EXPECT_EQ(look_up().reason, "unsigned, but this machine requires signatures");
  put("other");  // makes the key
  EXPECT_EQ(look_up().reason, "unsigned, but this machine requires signatures");
  put();
  EXPECT_TRUE(look_up().entry) << "made anew, it is";
}

TEST_F(MachineKeyTest, a_row_signed_by_another_machine_is_not_used_as_made_here) {
  ask_for_signatures();
  put();
  const auto other = path("other-key");
  ::setenv("KILN_MACHINE_KEY", other.c_str(), 1);
  EXPECT_THAT(look_up().reason, HasSubstr("this machine's key cannot be read"));
  put("elsewhere");  // makes the other key
  EXPECT_THAT(look_up().reason, HasSubstr("which is not this machine's key"));
}

TEST_F(MachineKeyTest, an_entry_moved_to_another_key_or_given_another_content_is_not_used) {
  ask_for_signatures();
  const Sample second(2);
  {
    LocalStore store(path("store"));
    value_or_throw(store.put(Kind::artifact, second.key, second.canonical, as_bytes("two"), {}));
  }
  // As an intruder writes rows who gets at the file: their checksums are no secret.
  const auto forge = [&](const std::function<void(RowHead&)>& change, ByteView canonical,
                         ByteView text) {
    Database database;
    database.open(path("store/store.db"), Database::Access::write,
                  std::numeric_limits<std::int64_t>::max());
    RowHead head = database.find(Kind::artifact, second.key).row.head;
    ASSERT_TRUE(head.metadata.signature);
    change(head);
    head.size = text.size();
    head.checksum = xxh3(text);
    database.store(head, canonical, text);
  };
  forge([&](RowHead& head) { head.key = sample.key; }, sample.canonical, as_bytes("two"));
  EXPECT_EQ(look_up().reason, "its signature does not verify");
  forge([&](RowHead& head) { head.key = sample.key, head.metadata.signature.reset(); },
        sample.canonical, as_bytes("two"));
  EXPECT_EQ(look_up().reason, "unsigned, but this machine requires signatures");
  const auto second_found = [&] {
    return LocalStore(path("store")).get(Kind::artifact, second.key, second.canonical);
  };
  EXPECT_TRUE(second_found().entry);
  forge([](RowHead&) {}, second.canonical, as_bytes("six"));
  EXPECT_EQ(second_found().reason, "its signature does not verify");
}

TEST_F(MachineKeyTest, an_update_is_signed_again_and_keeps_what_came_from_elsewhere_apart) {
  ask_for_signatures();
  put();
  LocalStore store(path("store"));
  ASSERT_TRUE(store.update(Kind::artifact, sample.key, sample.canonical,
                           [&](const std::optional<Entry>& present) -> std::optional<Entry> {
                             EXPECT_TRUE(present);
                             return Entry{content_of(2, 0, 100), present->metadata};
                           }));
  EXPECT_EQ(look_up().entry->content, content_of(2, 0, 100));
}

TEST_F(MachineKeyTest, a_pack_carries_no_signature_of_the_machine) {
  ask_for_signatures();
  put();
  LocalStore store(path("store"));
  const auto everything = [](const EntryInfo&) { return true; };
  const auto pack = value_or_throw(export_pack(store, everything, nullptr));
  const auto entries = value_or_throw(read_pack(pack.pack));
  ASSERT_THAT(entries, SizeIs(1));
  EXPECT_FALSE(entries[0].signature);
}

TEST_F(MachineKeyTest, what_was_made_before_there_was_a_list_comes_back_through_a_signed_pack) {
  put();
  LocalStore store(path("store"));
  const auto everything = [](const EntryInfo&) { return true; };
  const auto pack = value_or_throw(export_pack(store, everything, &farm));
  ask_for_signatures();
  LocalStore strict(path("store"));
  ASSERT_FALSE(strict.get(Kind::artifact, sample.key, sample.canonical).entry);
  const auto nothing_said = [](const PackEntry&, ImportOutcome outcome, const std::string& reason) {
    EXPECT_EQ(outcome, ImportOutcome::imported) << reason;
  };
  ASSERT_TRUE(import_pack(strict, value_or_throw(read_pack(pack.pack)), default_trust(),
                          ImportMode::write, nothing_said));
  EXPECT_TRUE(strict.get(Kind::artifact, sample.key, sample.canonical).entry);
}

TEST_F(MachineKeyTest, an_older_entry_that_is_validly_signed_may_come_back) {
  // Entries are what their key says, for ever; an older one is right, if perhaps not the fastest.
  ask_for_signatures();
  put();
  std::filesystem::copy(path("store"), path("old"), std::filesystem::copy_options::recursive);
  {
    LocalStore store(path("store"));
    value_or_throw(
        store.put(Kind::artifact, sample.key, sample.canonical, content_of(9, 0, 9), {}));
  }
  std::filesystem::remove_all(path("store"));
  std::filesystem::rename(path("old"), path("store"));
  EXPECT_EQ(look_up().entry->content, content);
}

TEST_F(MachineKeyTest, verify_names_what_is_not_signed) {
  put();
  ask_for_signatures();
  LocalStore store(path("store"));
  EXPECT_THAT(value_or_throw(check_store(store)).faults, SizeIs(1));
}

TEST_F(MachineKeyTest, a_key_that_others_may_read_is_not_used_and_said_once) {
  ask_for_signatures();
  put("other");
  ASSERT_EQ(::chmod(key_file().c_str(), 0644), 0);
  const LogLines log;
  LocalStore store(path("store"));
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(store.put(Kind::artifact, sample.key, sample.canonical, content, {}));
  ASSERT_THAT(log.lines(), SizeIs(1));
  EXPECT_THAT(log.lines()[0], HasSubstr("only its owner may read it"));
  EXPECT_FALSE(look_up().entry);
}

TEST_F(MachineKeyTest, a_list_that_cannot_be_read_leaves_what_was_made_here_alone) {
  put();
  ::setenv("KILN_TRUSTED_KEYS", path("absent").c_str(), 1);
  const LogLines log;
  EXPECT_TRUE(look_up().entry);
  put();
  EXPECT_TRUE(look_up().entry);
}

TEST_F(MachineKeyTest, without_a_place_for_the_key_nothing_made_here_is_used) {
  ask_for_signatures();
  ::setenv("KILN_MACHINE_KEY", "off", 1);
  const LogLines log;
  put();
  EXPECT_FALSE(look_up().entry);
  EXPECT_THAT(log.lines(), SizeIs(1));
}

TEST_F(MachineKeyTest, processes_that_make_it_at_once_get_the_same_key) {
  ask_for_signatures();
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::close(ready[1]);
      char byte = 0;
      (void)!::read(ready[0], &byte, 1);  // all begin when the pipe closes
      const auto mine = make_machine_key();
      const auto there = read_machine_key();
      ::_exit(mine && there && mine->public_key() == there->public_key() ? 0 : 1);
    }
    children.push_back(child);
  }
  ::close(ready[0]);
  ::close(ready[1]);
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_THAT(names_in(path(".local/state/kiln")), SizeIs(1)) << "nothing is left next to it";
}

TEST_F(MachineKeyTest, the_system_store_is_believed_where_it_is_roots) {
  put();
  ask_for_signatures();
  SystemStore store(path("store"));
  const auto found = store.get(Kind::artifact, sample.key, sample.canonical);
  EXPECT_EQ(found.entry.has_value(), ::geteuid() == 0) << found.reason;
}

}  // namespace
}  // namespace kiln
