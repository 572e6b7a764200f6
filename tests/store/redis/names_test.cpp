// A name server that takes its time must not hold up a run.
#include <gmock/gmock.h>

#include <future>

#include "store/redis/client.hpp"

namespace kiln::redis {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A server by a name that this function resolves; it may always be tried again.
Client server_of(Resolve resolve) {
  constexpr std::chrono::milliseconds none{0};
  return {value_or_throw(parse_shared_url("redis://slow:1")),
          {{none, none, 0}, std::move(resolve)}};
}
/// What comes of a command to where no server is. Who writes tries himself.
std::string ask(Client& server, std::chrono::nanoseconds bound = std::chrono::minutes(1)) {
  const auto reply = server.call(Client::Use::write, {"PING"}, Deadline(bound), small_reply);
  return reply ? "a reply" : reply.error().message();
}

TEST(RedisNames, the_system_knows_this_machine) {
  const auto found = resolve_by_system("localhost");
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_THAT(*found, ::testing::IsSupersetOf({"127.0.0.1"}));
}

TEST(RedisNames, an_unknown_one_is_an_error) {
  const auto found = resolve_by_system("no-such-host.invalid");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), Errc::io);
}

TEST(RedisNames, an_address_is_no_name) {
  for (const char* url : {"redis://127.0.0.1:1", "redis://[::1]:1"}) {
    Client server(value_or_throw(parse_shared_url(url)), {{}, [](const std::string&) {
                                                            ADD_FAILURE();
                                                            return Expected<Addresses>();
                                                          }});
    EXPECT_THAT(ask(server), StartsWith("connect: "));
  }
}

TEST(RedisNames, an_answer_that_takes_too_long_is_a_failure_and_serves_a_later_caller) {
  std::promise<void> answer;
  std::atomic<int> asked{0};
  Client server = server_of([&](const std::string& host) {
    ++asked;
    EXPECT_EQ(host, "slow");
    answer.get_future().wait();
    return Expected<Addresses>({"127.0.0.1"});
  });
  for (int call = 0; call < 2; ++call)
    EXPECT_EQ(ask(server, std::chrono::milliseconds(5)), "name: no answer in time");
  answer.set_value();
  EXPECT_EQ(ask(server), "connect: Connection refused");
  EXPECT_EQ(asked, 1);
}

TEST(RedisNames, a_host_that_cannot_be_reached_is_asked_for_anew) {
  std::atomic<int> asked{0};
  Client server = server_of([&](const std::string&) -> Expected<Addresses> {
    if (++asked == 1) return fail(Errc::io, "name: none");
    return Addresses{"127.0.0.1"};
  });
  EXPECT_EQ(ask(server), "name: none");
  EXPECT_EQ(ask(server), "connect: Connection refused");
  EXPECT_EQ(ask(server), "connect: Connection refused");
  EXPECT_EQ(asked, 3);
}

TEST(RedisNames, each_address_of_a_host_is_tried) {
  // The first is no address at all.
  Client server = server_of([](const std::string&) {
    return Expected<Addresses>({"no-such-host.invalid", "127.0.0.1"});
  });
  EXPECT_EQ(ask(server), "connect: Connection refused");
}

TEST(RedisNames, a_look_up_that_nobody_waits_for_harms_nobody) {
  auto answer = std::make_shared<std::promise<void>>();
  auto ended = std::make_shared<std::promise<void>>();
  {
    Client server = server_of([=](const std::string&) -> Expected<Addresses> {
      answer->get_future().wait();
      ended->set_value();
      return fail(Errc::io, "none");
    });
    EXPECT_THAT(ask(server, std::chrono::milliseconds(1)), HasSubstr("no answer in time"));
  }
  answer->set_value();
  ended->get_future().wait();
}

}  // namespace
}  // namespace kiln::redis
