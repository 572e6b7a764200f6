// A name server that takes its time must not hold up a run.
#include <gmock/gmock.h>
#include <netinet/in.h>

#include <future>

#include "store/redis/server.hpp"

namespace kiln::redis {
namespace {

using std::chrono::milliseconds;

TEST(RedisNames, an_address_is_no_name) {
  EXPECT_EQ(numeric_address("127.0.0.1", 6379).size(), 1u);
  EXPECT_EQ(numeric_address("::1", 6379).size(), 1u);
  EXPECT_EQ(numeric_address("localhost", 6379).size(), 0u);
}

TEST(RedisNames, the_system_knows_this_machine) {
  const NameLookup lookup("localhost", 6379, resolve_by_system);
  const auto found = lookup.addresses(Deadline(std::chrono::minutes(1)));
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_GE(found->size(), 1u);
}

TEST(RedisNames, an_unknown_one_is_an_error) {
  const NameLookup lookup("no-such-host.invalid", 6379, resolve_by_system);
  const auto found = lookup.addresses(Deadline(std::chrono::minutes(1)));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), Errc::io);
}

TEST(RedisNames, a_late_answer_serves_a_later_caller) {
  std::promise<void> answer;
  const NameLookup lookup("slow", 6379, [&](const std::string&, std::uint16_t port) {
    answer.get_future().wait();
    return Expected<std::vector<Address>>(numeric_address("127.0.0.1", port));
  });
  const auto early = lookup.addresses(Deadline(milliseconds(1)));
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code(), Errc::timeout);
  EXPECT_FALSE(lookup.done());
  answer.set_value();
  const auto late = lookup.addresses(Deadline(std::chrono::minutes(1)));
  ASSERT_TRUE(late);
  EXPECT_EQ(late->size(), 1u);
  EXPECT_TRUE(lookup.done());
}

TEST(RedisNames, a_look_up_that_nobody_waits_for_harms_nobody) {
  auto answer = std::make_shared<std::promise<void>>();
  auto ended = std::make_shared<std::promise<void>>();
  {
    const NameLookup lookup("slow", 6379, [=](const std::string&, std::uint16_t) {
      answer->get_future().wait();
      ended->set_value();
      return Expected<std::vector<Address>>(fail(Errc::io, "none"));
    });
  }
  answer->set_value();
  ended->get_future().wait();
}

}  // namespace
}  // namespace kiln::redis
