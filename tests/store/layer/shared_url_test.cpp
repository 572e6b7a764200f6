// The URL of the fleet's store: what it may be, and that no message repeats a password.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "store/layer/shared_layer.hpp"

namespace kiln {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

SharedUrl parsed(std::string_view text) { return value_or_throw(parse_shared_url(text)); }

std::string refusal(std::string_view text) {
  const auto url = parse_shared_url(text);
  if (url) return "taken as " + url->shown();
  EXPECT_EQ(url.error().code(), Errc::bad_input);
  return url.error().message();
}

TEST(SharedUrl, a_host_alone_gets_the_usual_port_and_database) {
  const auto url = parsed("redis://cache.local");
  EXPECT_EQ(url.host, "cache.local");
  EXPECT_EQ(url.port, 6379);
  EXPECT_EQ(url.database, 0);
  EXPECT_EQ(url.user + url.password + url.socket, "");
  EXPECT_EQ(url.shown(), "redis://cache.local:6379");
}

TEST(SharedUrl, holds_user_password_port_and_database) {
  const auto url = parsed("redis://kiln:s%40cr%2fet@cache.local:7000/3");
  EXPECT_EQ(url.user, "kiln");
  EXPECT_EQ(url.password, "s@cr/et");
  EXPECT_EQ(url.host, "cache.local");
  EXPECT_EQ(url.port, 7000);
  EXPECT_EQ(url.database, 3);
  EXPECT_EQ(url.shown(), "redis://cache.local:7000/3");
}

TEST(SharedUrl, a_password_may_hold_what_separates_other_parts) {
  EXPECT_EQ(parsed("redis://:a:b@c/d?e@host").password, "a:b@c/d?e");
  EXPECT_EQ(parsed("redis://:a:b@c/d?e@host").host, "host");
}

TEST(SharedUrl, an_ipv6_address_stands_in_brackets) {
  const auto url = parsed("redis://[::1]:7000/2");
  EXPECT_EQ(url.host, "::1");
  EXPECT_EQ(url.port, 7000);
  EXPECT_EQ(url.shown(), "redis://[::1]:7000/2");
  EXPECT_EQ(parsed("redis://[fe80::1]").port, 6379);
}

TEST(SharedUrl, a_socket_of_this_machine_is_a_path) {
  const auto url = parsed("unix://:secret@/run/redis/a%20b.sock?db=4");
  EXPECT_EQ(url.socket, "/run/redis/a b.sock");
  EXPECT_EQ(url.host, "");
  EXPECT_EQ(url.password, "secret");
  EXPECT_EQ(url.database, 4);
  EXPECT_EQ(url.shown(), "unix:///run/redis/a b.sock?db=4");
}

TEST(SharedUrl, a_bad_one_is_refused_with_the_byte_and_what_was_expected) {
  const auto at = [](std::size_t byte, const std::string& expected) {
    return "the shared store's URL, byte " + std::to_string(byte) + ": expected " + expected;
  };
  EXPECT_EQ(refusal(""), at(0, "redis:// or unix://"));
  EXPECT_EQ(refusal("http://host"), at(0, "redis:// or unix://"));
  EXPECT_EQ(refusal("redis:/host"), at(0, "redis:// or unix://"));
  EXPECT_EQ(refusal("redis://"), at(8, "a host"));
  EXPECT_EQ(refusal("redis://:7000"), at(8, "a host"));
  EXPECT_EQ(refusal("redis://a b"), at(8, "a host without blanks"));
  EXPECT_EQ(refusal("redis://host:0"), at(13, "a port from 1 to 65535"));
  EXPECT_EQ(refusal("redis://host:65536"), at(13, "a port from 1 to 65535"));
  EXPECT_EQ(refusal("redis://host:70x/1"), at(13, "a port from 1 to 65535"));
  EXPECT_EQ(refusal("redis://host:/1"), at(13, "a port from 1 to 65535"));
  EXPECT_EQ(refusal("redis://host/x"), at(13, "a database's number"));
  EXPECT_EQ(refusal("redis://host/-1"), at(13, "a database's number"));
  EXPECT_EQ(refusal("redis://host?db=1"), at(12, "/ and a database's number"));
  EXPECT_EQ(refusal("redis://[::1"), at(12, "] after an IPv6 address"));
  EXPECT_EQ(refusal("redis://[::1]7000"), at(13, "/ and a database's number"));
  EXPECT_EQ(refusal("redis://user@host"), at(8, "[user]:password before the @"));
  EXPECT_EQ(refusal("redis://user:@host"), at(13, "a password before the @"));
  EXPECT_EQ(refusal("redis://:a%zz@host"), at(8, "%XX for a special character before the @"));
  EXPECT_EQ(refusal("redis://:a%00@host"), at(8, "%XX for a special character before the @"));
  EXPECT_EQ(refusal("redis://:a%4@host"), at(8, "%XX for a special character before the @"));
  EXPECT_EQ(refusal("unix://run/x"), at(7, "an absolute path, with %XX for a %"));
  EXPECT_EQ(refusal("unix:///x?db"), at(9, "?db=N"));
  EXPECT_EQ(refusal("unix:///x?db=-"), at(13, "a database's number"));
  EXPECT_EQ(refusal("unix:///" + std::string(200, 'x')), at(7, "a path of less than 108 bytes"));
}

TEST(SharedUrl, is_shown_without_its_password) {
  EXPECT_EQ(shown_shared_url("redis://:secret@host"), "redis://host:6379");
  EXPECT_EQ(shown_shared_url("redis:secret@host"), "(no URL of a shared store)");
  EXPECT_EQ(shown_shared_url("off"), "off");
  EXPECT_EQ(shown_shared_url(""), "");
}

RC_GTEST_PROP(SharedUrl, no_message_repeats_a_password, ()) {
  const std::string secret = "h7unter2";
  std::string url = "redis://me:" + secret + "@host:70/1";
  // A typing mistake anywhere but in the password itself.
  const auto where = static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(url.size())));
  const auto what = *rc::gen::element<std::string>("", "@", ":", "/", "?", "%", "[", " ", "x");
  if (where >= 11 && where < 19) return;
  url.replace(where, 1, what);
  const auto result = parse_shared_url(url);
  const std::string said = result ? result->shown() : result.error().message();
  RC_ASSERT(said.find(secret) == std::string::npos);
  RC_ASSERT(shown_shared_url(url).find(secret) == std::string::npos);
}

RC_GTEST_PROP(SharedUrl, any_text_is_taken_or_refused, (const std::string& rest)) {
  for (const char* scheme : {"redis://", "unix://", "unix:///", "redis://:p@"}) {
    const auto url = parse_shared_url(scheme + rest);
    if (!url) continue;
    RC_ASSERT(url->host.empty() != url->socket.empty());
    RC_ASSERT(url->port > 0);
  }
}

}  // namespace
}  // namespace kiln
