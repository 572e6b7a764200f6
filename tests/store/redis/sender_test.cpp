// The thread that sends entries, without a server.
#include <gtest/gtest.h>

#include <future>
#include <new>
#include <thread>

#include "store/redis/redis_store.hpp"

namespace kiln::redis {
namespace {

Sender::Item item(std::size_t size) { return {Kind::artifact, {}, {}, Bytes(size), {}}; }

TEST(RedisSender, what_sending_throws_costs_that_entry_alone) {
  std::promise<void> second;
  Sender sender(
      [&, number = 0](const Sender::Item&, const Deadline&) mutable -> Expected<void> {
        if (++number == 1) throw std::bad_alloc();
        second.set_value();
        return {};
      },
      {});
  ASSERT_TRUE(sender.add(item(1)));
  ASSERT_TRUE(sender.add(item(1)));
  second.get_future().wait();
  EXPECT_EQ(sender.finish(std::chrono::milliseconds(0)).entries, 0u);
}

TEST(RedisSender, what_is_left_when_the_time_is_over_is_not_begun) {
  std::promise<void> begun, go_on;
  int sent = 0;
  Sender sender(
      [&](const Sender::Item&, const Deadline& deadline) -> Expected<void> {
        ++sent;
        begun.set_value();
        go_on.get_future().wait();
        while (!deadline.over()) std::this_thread::yield();
        return fail(Errc::timeout, "reply: no answer in time");
      },
      {});
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(sender.add(item(1)));
  begun.get_future().wait();
  go_on.set_value();
  EXPECT_EQ(sender.finish(std::chrono::milliseconds(0)).entries, 4u);
  EXPECT_EQ(sent, 1);
}

TEST(RedisSender, what_does_not_fit_is_dropped_with_the_reason) {
  std::promise<void> go_on;
  const auto gate = go_on.get_future().share();
  Sender sender(
      [&](const Sender::Item&, const Deadline&) -> Expected<void> {
        gate.wait();
        return {};
      },
      {2, 100, std::chrono::milliseconds(5000)});
  ASSERT_TRUE(sender.add(item(60)));
  const auto too_much = sender.add(item(60));
  ASSERT_FALSE(too_much);
  EXPECT_EQ(too_much.error().code(), Errc::refused);
  EXPECT_TRUE(sender.add(item(40)));
  go_on.set_value();
  EXPECT_EQ(sender.finish(std::chrono::milliseconds(5000)).entries, 1u);
}

}  // namespace
}  // namespace kiln::redis
