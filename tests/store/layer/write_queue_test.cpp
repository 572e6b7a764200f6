// What is written in the background: in order, bounded, and before the process ends.

#include "store/layer/write_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <latch>
#include <stdexcept>
#include <thread>

#include "store/support.hpp"

namespace kiln {
namespace {

using namespace testing;

WriteQueue::Item item(const Sample& of, std::function<void()> write, std::size_t bytes = 1) {
  return {Kind::plan, of.key, bytes, std::move(write)};
}

TEST(WriteQueue, writes_in_the_order_of_the_calls_and_all_of_it) {
  const Sample a{1}, b{2};
  std::vector<int> order;
  WriteQueue queue;
  for (int number = 0; number < 100; ++number)
    queue.add(item(number % 2 == 0 ? a : b, [&, number] { order.push_back(number); }));
  queue.finish();
  ASSERT_EQ(order.size(), 100u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  queue.add(item(a, [&] { order.push_back(100); }));  // goes on after an end
  queue.finish();
  EXPECT_EQ(order.size(), 101u);
}

TEST(WriteQueue, nobody_waits_for_a_write_but_who_asks_for_its_place) {
  const Sample a{1}, b{2};
  std::latch open{1};
  std::atomic<bool> written{false};
  WriteQueue queue;
  queue.add(item(a, [&] {
    open.wait();
    written = true;
  }));
  queue.wait_for(Kind::plan, b.key);
  queue.wait_for(Kind::record, a.key);
  EXPECT_FALSE(written);
  open.count_down();
  queue.wait_for(Kind::plan, a.key);
  EXPECT_TRUE(written);
}

TEST(WriteQueue, more_than_its_limits_waits_for_room) {
  const Sample a{1};
  const auto most_waiting = [&](WriteQueue::Limits limits, std::size_t bytes) {
    std::atomic<int> written{0};
    int most = 0;
    WriteQueue queue(limits);
    for (int added = 1; added <= 500; ++added) {
      queue.add(item(
          a, [&] { ++written; }, bytes));
      most = std::max(most, added - written);
    }
    queue.finish();
    EXPECT_EQ(written, 500);
    return most;
  };
  // The count is of writes that have ended, a moment before they leave the queue.
  EXPECT_LE(most_waiting({.entries = 4, .bytes = 1000}, 1), 4);
  EXPECT_LE(most_waiting({.entries = 500, .bytes = 30}, 10), 3);
  EXPECT_LE(most_waiting({.entries = 500, .bytes = 5}, 10), 1) << "larger than the bound";
}

TEST(WriteQueue, what_may_be_lost_waits_for_no_room_and_is_counted) {
  const Sample a{1};
  std::latch open{1};
  std::atomic<int> written{0};
  WriteQueue queue({.entries = 2, .bytes = 100});
  const auto add = [&](std::size_t bytes) {
    return queue.add_if_room(item(
        a,
        [&] {
          open.wait();
          ++written;
        },
        bytes));
  };
  EXPECT_TRUE(add(60));
  EXPECT_FALSE(add(60)) << "too many bytes";
  EXPECT_TRUE(add(40));
  EXPECT_FALSE(add(0)) << "too many entries";
  EXPECT_EQ(queue.refused(), 2u);
  open.count_down();
  queue.finish();
  EXPECT_EQ(written, 2);
}

TEST(WriteQueue, what_a_write_throws_is_its_own) {
  const Sample a{1};
  bool written = false;
  WriteQueue queue;
  queue.add(item(a, [] { throw std::runtime_error("no room"); }));
  queue.add(item(a, [&] { written = true; }));
  queue.finish();
  EXPECT_TRUE(written);
}

TEST(WriteQueue, the_threads_of_many_callers_share_it) {
  std::atomic<int> written{0};
  {
    WriteQueue queue({.entries = 3, .bytes = 100});
    std::vector<std::jthread> threads;
    for (int number = 0; number < 4; ++number)
      threads.emplace_back([&, number] {
        const Sample own{number};
        for (int i = 0; i < 200; ++i) {
          std::atomic<bool> mine{false};
          queue.add(item(own, [&] {
            ++written;
            mine = true;
          }));
          if (i % 50 == 0) queue.finish();
          queue.wait_for(Kind::plan, own.key);
          EXPECT_TRUE(mine);
        }
      });
  }
  EXPECT_EQ(written, 800);
}

TEST(WriteQueue, a_forked_child_begins_with_an_empty_one) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer ends a child that starts a thread where its parent had some";
#endif
  const Sample a{1};
  std::latch open{1};
  int written = 0;
  WriteQueue queue;
  queue.add(item(a, [&] {
    open.wait();
    ++written;
  }));
  const auto end = run_child([&] {
    queue.wait_for(Kind::plan,
                   a.key);  // the parent's, which no thread of the child would ever write
    queue.finish();
    queue.add(item(a, [&] { written += 10; }));
    queue.finish();
    return written == 10 ? 0 : 1;
  });
  EXPECT_EQ(end.exit_code, 0);
  open.count_down();
  queue.finish();
  EXPECT_EQ(written, 1);
}

struct AtExitTest : ::testing::Test {
  TestFolder folder;
  Sample a{1};

  /// A store and its queue that will never be destroyed.
  struct Leaked {
    LocalStore store;
    WriteQueue queue;
    explicit Leaked(const std::string& folder) : store(folder) {}
    void put(const Sample& sample) {
      queue.add(item(sample, [this, &sample] {
        value_or_throw(
            store.put(Kind::plan, sample.key, sample.canonical, content_of(0, 1, 3'000'000), {}));
      }));
    }
  };
  bool has(const Sample& sample) const {
    LocalStore store(folder.store());
    return store.get(Kind::plan, sample.key, sample.canonical).entry.has_value();
  }
};

TEST_F(AtExitTest, what_waits_is_written_when_the_process_calls_exit) {
  const auto end = run_child([&]() -> int {
    (new Leaked(folder.store()))->put(a);
    std::exit(0);
  });
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_TRUE(has(a));
}

TEST_F(AtExitTest, what_comes_later_still_is_written_at_once) {
  static Leaked* leaked = nullptr;
  static const Sample& late = *new Sample{2};  // outlives every exit handler
  const auto end = run_child([&]() -> int {
    leaked = new Leaked(folder.store());
    // Runs after the queues are finished where this process has had none before.
    std::atexit([] { leaked->put(late); });
    leaked->put(a);
    std::exit(0);
  });
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_TRUE(has(a));
  EXPECT_TRUE(has(late));
}

TEST(WriteQueue, goes_on_after_a_write_that_throws_whatever_it_throws) {
  const Sample a{1};
  int written = 0;
  WriteQueue queue;
  queue.add(item(a, [] { throw std::runtime_error("no"); }));
  queue.add(item(a, [] { throw 1; }));  // as the log of a user's own may
  queue.add(item(a, [&] { ++written; }));
  queue.finish();
  EXPECT_EQ(written, 1);
}

}  // namespace
}  // namespace kiln
