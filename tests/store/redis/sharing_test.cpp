// Threads over one store, forks between its calls, and two machines over one server.
#include <gmock/gmock.h>

#include <thread>

#include "store/layer/layers.hpp"
#include "store/redis/shared_fixture.hpp"

namespace kiln {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::Not;

struct RedisSharing : SharedFixture {};

TEST_F(RedisSharing, threads_share_a_store_and_a_few_connections) {
  const auto store = store_at(server->url());
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int number = 0; number < 8; ++number)
    threads.emplace_back([&, number] {
      const Sample own(100 + number);
      for (int round = 0; round < 50; ++round) {
        const Bytes content = content_of(number, round, 2000);
        wrong += !store->send(Kind::plan, own.key, own.canonical, content, {});
        const auto found = store->get(Kind::plan, own.key, own.canonical);
        wrong += !found.entry || found.entry->content != content;
        wrong += look_up(*store) != "hit";
        // The queue may be full; that is an answer, too.
        const auto put = store->put(Kind::artifact, own.key, own.canonical, content, {});
        wrong += !put && put.error().code() != Errc::refused;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(RedisSharing, threads_over_a_server_that_fails_all_get_misses) {
  FaultProxy between(server->port(), {0, Fault::Then::stall, {}, false, {}});
  const auto store = store_at(between.url(), short_bound);
  std::vector<std::thread> threads;
  std::atomic<int> hits{0};
  for (int number = 0; number < 8; ++number)
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) hits += look_up(*store) == "hit";
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(hits, 0);
  EXPECT_LE(between.accepted(), 8) << "those that set out together, and no more";
}

/// Sockets of this process that lead to a port of this machine.
int sockets_to(int port) {
  int count = 0;
  for (const auto& name : names_in("/proc/self/fd")) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    const bool connected =
        ::getpeername(std::stoi(name), reinterpret_cast<sockaddr*>(&address), &size) == 0;
    count += connected && address.sin_family == AF_INET && ntohs(address.sin_port) == port;
  }
  return count;
}

TEST_F(RedisSharing, nothing_is_open_in_a_forked_child_and_both_sides_go_on) {
  const auto store = store_at(server->url());
  EXPECT_EQ(look_up(*store), "hit");
  EXPECT_EQ(sockets_to(server->port()), 1) << "the test would show nothing";
  const auto end = run_child([&] {
    if (sockets_to(server->port()) != 0) return 1;
    return look_up(*store) == "hit" && look_up(*store) == "hit" ? 0 : 2;
  });
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(look_up(*store), "hit");
  EXPECT_EQ(sockets_to(server->port()), 1);
}

TEST_F(RedisSharing, what_waits_to_be_sent_stays_with_the_parent) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer ends a child that starts a thread where its parent had some";
#endif
  {
    const auto store = store_at(server->url());
    ASSERT_TRUE(store->put(Kind::plan, two.key, two.canonical, content_of(2, 1, 100), {}));
    const auto end = run_child([&] {
      const Sample three(3);
      if (!store->send(Kind::plan, three.key, three.canonical, content_of(3, 1, 100), {})) return 1;
      if (!store->put(Kind::artifact, three.key, three.canonical, content_of(3, 1, 100), {}))
        return 2;
      // As the end of a process: its own entries are sent, its parent's are not waited for.
      delete store.get();
      return 0;
    });
    EXPECT_EQ(end.exit_code, 0);
  }
  const Sample three(3);
  const auto store = store_at(server->url());
  EXPECT_TRUE(store->get(Kind::plan, two.key, two.canonical).entry);
  EXPECT_TRUE(store->get(Kind::plan, three.key, three.canonical).entry);
  EXPECT_TRUE(store->get(Kind::artifact, three.key, three.canonical).entry);
}

#ifndef __SANITIZE_ADDRESS__
TEST_F(RedisSharing, a_fork_beside_busy_threads_leaves_a_child_that_works) {
  const auto store = store_at(server->url());
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int number = 0; number < 3; ++number)
    threads.emplace_back([&, number] {
      const Sample own(10 + number);
      while (!stop) {
        (void)look_up(*store);
        (void)store->put(Kind::plan, own.key, own.canonical, content_of(0, 1, 50'000), {});
      }
    });
  int failed = 0;
  for (int round = 0; round < 30; ++round)
    failed += run_child([&] {
                ::alarm(60);  // a hang ends the test, not the build
                if (sockets_to(server->port()) != 0) return 1;
                return look_up(*store) == "hit" ? 0 : 2;
              }).exit_code != 0;
  stop = true;
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
}
#endif

/// A machine: a local store of its own over the fleet's.
struct Machine {
  explicit Machine(const std::string& url) : store(open_local_store(folder.store()), below(url)) {}
  static std::vector<LayeredStore::Below> below(const std::string& url) {
    std::vector<LayeredStore::Below> layers;
    layers.push_back({store_at(url), true, true});
    return layers;
  }
  TestFolder folder;
  LayeredStore store;
};

TEST_F(RedisSharing, what_one_machine_makes_another_has_and_keeps) {
  {
    Machine first(server->url());
    ASSERT_TRUE(first.store.put(Kind::artifact, two.key, two.canonical, content_of(2, 1, 30'000),
                                metadata_of(2)));
  }
  Machine second(server->url());
  const auto found = second.store.get(Kind::artifact, two.key, two.canonical);
  ASSERT_TRUE(found.entry) << found.reason;
  EXPECT_EQ(found.entry->content, content_of(2, 1, 30'000));
  ASSERT_EQ(found.trail.size(), 2u);
  EXPECT_EQ(found.trail[1].layer, "shared store");
  EXPECT_TRUE(found.trail[1].answered);
  server->kill();
  const auto again = second.store.get(Kind::artifact, two.key, two.canonical);
  ASSERT_TRUE(again.entry) << again.reason;
  EXPECT_TRUE(again.entry->metadata.made_elsewhere) << "its own store remembers where it came from";
}

TEST_F(RedisSharing, what_came_from_the_fleet_is_not_sent_back) {
  {
    Machine machine(server->url());
    server->command({"CONFIG", "RESETSTAT"});
    ASSERT_TRUE(machine.store.get(Kind::artifact, one.key, one.canonical).entry);
  }
  EXPECT_THAT(server->command({"INFO", "commandstats"}).text, Not(HasSubstr("cmdstat_set:")));
}

TEST_F(RedisSharing, changed_programs_go_to_the_fleet_and_changed_records_do_not) {
  const auto change = [](const std::optional<Entry>&) {
    return std::optional<Entry>(Entry{Bytes(9), {}});
  };
  {
    Machine machine(server->url());
    ASSERT_TRUE(machine.store.update(Kind::artifact, two.key, two.canonical, change));
    ASSERT_TRUE(machine.store.update(Kind::record, two.key, two.canonical, change));
  }
  EXPECT_EQ(server->command({"EXISTS", place(two)}).integer, 1);
  EXPECT_EQ(server->command({"EXISTS", "kiln:1:record:" + two.key.hex()}).integer, 0);
}

TEST_F(RedisSharing, without_a_server_a_machine_has_its_own_store) {
  server->kill();
  Machine machine(server->url());
  ASSERT_TRUE(machine.store.put(Kind::artifact, two.key, two.canonical, Bytes(9), {}));
  EXPECT_TRUE(machine.store.get(Kind::artifact, two.key, two.canonical).entry);
  const auto missing = machine.store.get(Kind::artifact, one.key, one.canonical);
  EXPECT_THAT(missing.reason, HasSubstr("local store: no entry; shared store: "));
}

}  // namespace
}  // namespace kiln
