// Layers below the local one, and the right to make an entry.
#include "store/layer/layers.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "base/log.hpp"
#include "base/os/file.hpp"
#include "store/local/local_store.hpp"
#include "store/local/system_store.hpp"

namespace kiln::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Thing {
  Bytes canonical;
  Key key;
};
Thing thing(std::int64_t number) {
  CanonicalWriter writer("thing", 1);
  writer.integer("number", number);
  Thing made{writer.view(), {}};
  made.key = key_of(made.canonical);
  return made;
}

Bytes content_of(std::string_view text) {
  return Bytes(as_bytes(text).begin(), as_bytes(text).end());
}

class Layers : public ::testing::Test {
 protected:
  Layers() {
    set_log_sink([this](LogLevel, std::string_view message) { logged_.emplace_back(message); });
  }
  ~Layers() override { set_log_sink({}); }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  /// A store as a package ships it: written, closed, read-only.
  std::string shipped(std::string_view content) {
    const auto folder = path("system");
    {
      LocalStore store(folder);
      const auto entry = thing(1);
      value_or_throw(store.put(Kind::artifact, entry.key, entry.canonical, content_of(content),
                               {1, "shipped", "device", 2}));
    }
    fs::remove(folder + "/store.db-journal");
    fs::permissions(folder + "/store.db", fs::perms::owner_read);
    fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_exec);
    return folder;
  }
  std::unique_ptr<LayeredStore> layered(const std::string& system, bool copied = false) {
    std::vector<LayeredStore::Below> below;
    below.push_back({std::make_unique<SystemStore>(system), copied, false});
    return std::make_unique<LayeredStore>(std::make_unique<LocalStore>(path("local")),
                                          std::move(below));
  }
  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-layers"));
  std::vector<std::string> logged_;
};

std::vector<std::string> trail_of(const Lookup& lookup) {
  std::vector<std::string> trail;
  for (const auto& answer : lookup.trail)
    trail.push_back(answer.layer + (answer.answered ? ": hit" : ": " + answer.reason));
  return trail;
}

TEST_F(Layers, the_system_store_answers_where_the_local_one_has_nothing) {
  for (const std::string& content : {std::string("small"), std::string(20'000, 'x')}) {
    const auto store = layered(shipped(content));
    const auto entry = thing(1);
    const auto found = store->get(Kind::artifact, entry.key, entry.canonical);
    ASSERT_TRUE(found.entry) << found.reason;
    EXPECT_EQ(as_text(found.entry->content), content);
    EXPECT_EQ(found.entry->metadata.label, "shipped");
    EXPECT_THAT(trail_of(found), ElementsAre("local store: no entry", "system store: hit"));
    fs::permissions(path("system"), fs::perms::owner_all);
    fs::remove_all(path("system"));
  }
}

TEST_F(Layers, the_local_store_comes_first) {
  const auto store = layered(shipped("old"));
  const auto entry = thing(1);
  ASSERT_TRUE(store->put(Kind::artifact, entry.key, entry.canonical, content_of("new"), {}));
  const auto found = store->get(Kind::artifact, entry.key, entry.canonical);
  EXPECT_EQ(as_text(found.entry->content), "new");
  EXPECT_THAT(trail_of(found), ElementsAre("local store: hit"));
}

TEST_F(Layers, what_a_layer_answers_is_kept_here_where_that_is_asked_for) {
  const auto entry = thing(1);
  ASSERT_TRUE(
      layered(shipped("shared"), true)->get(Kind::artifact, entry.key, entry.canonical).entry);
  LocalStore local(path("local"));
  const auto kept = local.get(Kind::artifact, entry.key, entry.canonical);
  ASSERT_TRUE(kept.entry) << kept.reason;
  EXPECT_EQ(kept.entry->metadata.cost_seconds, 2);
}

TEST_F(Layers, a_system_store_of_others_is_not_used_and_says_so_once) {
  const auto folder = shipped("content");
  fs::permissions(folder, fs::perms::owner_all | fs::perms::others_write);
  const auto store = layered(folder);
  const auto entry = thing(1);
  for (int i = 0; i < 3; ++i) {
    const auto found = store->get(Kind::artifact, entry.key, entry.canonical);
    EXPECT_FALSE(found.entry);
    EXPECT_THAT(found.reason, HasSubstr("can be written by others than its owner"));
  }
  EXPECT_EQ(logged_.size(), 1u);
}

TEST_F(Layers, a_damaged_system_store_is_a_miss_and_stays_as_it_is) {
  const auto folder = shipped("content");
  fs::permissions(folder + "/store.db", fs::perms::owner_all);
  auto bytes = value_or_throw(read_file(folder + "/store.db"));
  const auto entry = thing(1);
  for (std::size_t at = 0; at < bytes.size(); at += 97) {
    Bytes broken = bytes;
    broken[at] ^= std::byte{0xff};
    fs::permissions(folder, fs::perms::owner_all);
    ASSERT_TRUE(write_file(folder + "/store.db", broken, 0400));
    const auto found = layered(folder)->get(Kind::artifact, entry.key, entry.canonical);
    if (found.entry) {
      ASSERT_EQ(as_text(found.entry->content), "content") << "byte " << at;
    }
    ASSERT_EQ(value_or_throw(read_file(folder + "/store.db")), broken);
  }
}

TEST_F(Layers, an_absent_system_store_is_a_plain_miss) {
  const auto entry = thing(1);
  const auto found = layered(path("nowhere"))->get(Kind::artifact, entry.key, entry.canonical);
  EXPECT_THAT(trail_of(found), ElementsAre("local store: no entry", "system store: no entry"));
  EXPECT_TRUE(logged_.empty());
  EXPECT_FALSE(fs::exists(path("nowhere")));
}

TEST_F(Layers, without_a_local_store_others_still_answer) {
  std::vector<LayeredStore::Below> below;
  below.push_back({std::make_unique<SystemStore>(shipped("content")), false, false});
  LayeredStore store(nullptr, std::move(below));
  const auto entry = thing(1);
  EXPECT_TRUE(store.get(Kind::artifact, entry.key, entry.canonical).entry);
  EXPECT_FALSE(store.put(Kind::artifact, entry.key, entry.canonical, content_of("x"), {}));
}

/// A layer that remembers what it was given.
class Listener final : public Layer {
 public:
  explicit Listener(std::vector<Kind>& kinds) : kinds_(kinds) {}
  std::string name() const override { return "listener"; }
  Lookup get(Kind, const Key&, ByteView) override { return {{}, "no entry"}; }
  Expected<void> put(Kind kind, const Key&, ByteView, ByteView, const Metadata&) override {
    kinds_.push_back(kind);
    return {};
  }
  Expected<void> update(Kind, const Key&, ByteView, const Change&) override { return {}; }

 private:
  std::vector<Kind>& kinds_;
};

TEST_F(Layers, without_a_local_store_changed_programs_are_shared_and_changed_records_are_not) {
  std::vector<Kind> shared;
  std::vector<LayeredStore::Below> below;
  below.push_back({std::make_unique<Listener>(shared), false, true});
  LayeredStore store(nullptr, std::move(below));
  const auto entry = thing(1);
  const auto change = [](const std::optional<Entry>& present) {
    EXPECT_FALSE(present);
    return std::optional<Entry>(Entry{Bytes(9), {}});
  };
  for (const Kind kind : {Kind::artifact, Kind::plan, Kind::record}) {
    const auto done = store.update(kind, entry.key, entry.canonical, change);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code(), Errc::io) << "nothing is kept on this machine";
  }
  EXPECT_THAT(shared, ElementsAre(Kind::artifact, Kind::plan));
}

TEST_F(Layers, what_a_change_throws_is_an_error_with_and_without_a_local_store) {
  const auto entry = thing(1);
  const auto change = [](const std::optional<Entry>&) -> std::optional<Entry> {
    throw std::runtime_error("no such thing");
  };
  for (const bool local : {true, false}) {
    LayeredStore store(local ? std::make_unique<LocalStore>(path("local")) : nullptr, {});
    const auto done = store.update(Kind::artifact, entry.key, entry.canonical, change);
    ASSERT_FALSE(done);
    EXPECT_THAT(done.error().message(), HasSubstr("no such thing"));
  }
}

TEST_F(Layers, a_reservation_is_one_process_s_at_a_time) {
  LocalStore store(path("local"));
  const auto entry = thing(1);
  auto first = store.reserve(entry.key, std::chrono::milliseconds(0));
  ASSERT_TRUE(first.held());
  EXPECT_FALSE(first.waited());
  const auto second = store.reserve(entry.key, std::chrono::milliseconds(0));
  EXPECT_FALSE(second.held());
  EXPECT_TRUE(second.waited());
  EXPECT_TRUE(store.reserve(thing(2).key, std::chrono::milliseconds(0)).held()) << "another key";
  { const auto released = std::move(first); }
  EXPECT_TRUE(store.reserve(entry.key, std::chrono::milliseconds(0)).held());
  EXPECT_TRUE(fs::is_empty(path("local/making"))) << "nothing is left behind";
}

TEST_F(Layers, a_waiter_gets_the_reservation_when_its_holder_is_killed) {
  LocalStore store(path("local"));
  const auto entry = thing(1);
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto held = Reservation::acquire(path("local"), entry.key, std::chrono::milliseconds(0));
    (void)!::write(ready[1], held.held() ? "y" : "n", 1);
    ::pause();
    ::_exit(0);
  }
  char answer = 0;
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  ASSERT_EQ(answer, 'y');
  std::jthread killer([child] { ::kill(child, SIGKILL); });
  const auto mine = store.reserve(entry.key, std::chrono::seconds(60));
  EXPECT_TRUE(mine.held());
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_F(Layers, threads_that_reserve_one_key_hold_it_one_at_a_time) {
  const auto entry = thing(1);
  std::atomic<int> inside{0}, most{0}, held{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&] {
        for (int round = 0; round < 20; ++round) {
          const auto mine =
              Reservation::acquire(path("local"), entry.key, std::chrono::seconds(60));
          if (!mine.held()) continue;
          ++held;
          const int now = ++inside;
          if (now > most) most = now;
          std::this_thread::yield();
          --inside;
        }
      });
  }
  EXPECT_EQ(most, 1);
  EXPECT_EQ(held, 160);
}

}  // namespace
}  // namespace kiln::testing
