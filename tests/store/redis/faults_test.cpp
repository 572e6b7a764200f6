// Between Kiln and its server things go wrong. Whatever comes back, a look-up gives the right entry
// or a miss with a reason, it ends, and a server that fails is left alone for a while. Calls are
// counted at the proxy; no test measures time.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "store/redis/shared_fixture.hpp"

namespace kiln {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using Then = Fault::Then;

/// Where on the way it was when its time was over depends on the machine.
const auto late = HasSubstr(": no answer in time");

struct RedisFaults : SharedFixture {
  std::unique_ptr<FaultProxy> proxy(Fault fault) const {
    return std::make_unique<FaultProxy>(server->port(), std::move(fault));
  }
  /// All bytes of the server's reply to a look-up of entry 1.
  std::string reply() const {
    const std::string bytes = value(one);
    return "$" + std::to_string(bytes.size()) + "\r\n" + bytes + "\r\n";
  }
  Fault instead(std::string bytes) const {
    return {Fault::all, Then::close, std::move(bytes), true, {}};
  }
};

TEST_F(RedisFaults, a_proxy_without_a_fault_changes_nothing) {
  const auto between = proxy({});
  EXPECT_EQ(look_up(*store_at(between->url())), "hit");
}

TEST_F(RedisFaults, a_server_that_never_answers_costs_one_call_its_bound_and_the_others_nothing) {
  const auto between = proxy({0, Then::stall, {}, false, {}});
  const auto store = store_at(between->url(), short_bound);
  const LogLines log;
  EXPECT_THAT(look_up(*store), late);
  for (int call = 0; call < 20; ++call)
    EXPECT_THAT(look_up(*store),
                ::testing::MatchesRegex("skipped: [a-z]+: no answer in time; next try in .*"));
  EXPECT_LE(between->accepted(), 1);
  EXPECT_EQ(log.lines().size(), 1u);
}

TEST_F(RedisFaults, a_reply_that_drips_is_given_up_though_bytes_keep_coming) {
  for (const std::size_t pass : {0, 1, 10, 100}) {
    // A byte a millisecond: more than a minute for this entry.
    ASSERT_TRUE(
        store_at(server->url())->send(Kind::artifact, one.key, one.canonical, Bytes(100'000), {}));
    const auto between = proxy({pass, Then::drip, {}, false, {}});
    EXPECT_THAT(look_up(*store_at(between->url(), short_bound)), late);
  }
}

TEST_F(RedisFaults, a_frozen_server_is_given_up_and_used_again_when_it_thaws) {
  const auto store = store_at(server->url(), short_bound, no_pause);
  server->freeze();
  EXPECT_THAT(look_up(*store), late);
  for (int call = 0; call < 3; ++call) EXPECT_THAT(look_up(*store), HasSubstr("skipped: "));
  server->thaw();
  // How soon it answers is the machine's business; that it does is ours.
  const redis::Deadline patience(std::chrono::minutes(2));
  std::string said;
  while (said != "hit" && !patience.over()) said = look_up(*store);
  EXPECT_EQ(said, "hit");
}

TEST_F(RedisFaults, a_look_up_waits_for_a_failed_server_once_however_often_it_is_tried_again) {
  const auto between = proxy({0, Then::stall, {}, false, {}});
  const auto store = store_at(between->url(), short_bound, no_pause);
  EXPECT_THAT(look_up(*store), late);
  // All that follow are turned away at once; between them a thread tries, more than once.
  const redis::Deadline patience(std::chrono::minutes(2));
  while (between->accepted() < 4 && !patience.over())
    ASSERT_THAT(look_up(*store), HasSubstr("skipped: "));
  EXPECT_GE(between->accepted(), 4);
}

TEST_F(RedisFaults, a_host_that_swallows_connections_is_given_up) {
  // A listener with a full queue: the system drops who knocks.
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size_of_address = sizeof address;
  ::bind(listener, reinterpret_cast<sockaddr*>(&address), size_of_address);
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size_of_address);
  ::listen(listener, 0);
  std::vector<int> knocking;
  for (int client = 0; client < 8; ++client) {
    knocking.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    ::connect(knocking.back(), reinterpret_cast<sockaddr*>(&address), size_of_address);
  }
  const auto url = "redis://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  EXPECT_EQ(look_up(*store_at(url, short_bound)), "connect: no answer in time");
  for (const int client : knocking) ::close(client);
  ::close(listener);
}

TEST_F(RedisFaults, a_connection_cut_at_any_byte_of_the_reply_is_a_miss) {
  const std::size_t whole = reply().size();
  const auto between = proxy({});
  for (std::size_t at = 0; at < whole; ++at) {
    between->set({at, Then::close, {}, false, {}});
    const auto said = look_up(*store_at(between->url()));
    EXPECT_THAT(said, ::testing::AnyOf(HasSubstr("closed the connection"),
                                       HasSubstr("reset by peer"), HasSubstr("Broken pipe")))
        << at;
  }
  between->set({whole, Then::close, {}, false, {}});
  EXPECT_EQ(look_up(*store_at(between->url())), "hit");
}

TEST_F(RedisFaults, half_a_reply_is_a_miss_at_any_byte) {
  const std::size_t whole = reply().size();
  const auto between = proxy({});
  for (std::size_t at = 0; at < whole; at += 37) {
    between->set({at, Then::stall, {}, false, {}});
    EXPECT_THAT(look_up(*store_at(between->url(), std::chrono::milliseconds(3))), late) << at;
  }
}

TEST_F(RedisFaults, a_connection_cut_at_any_byte_of_the_introduction_is_a_miss) {
  server->command({"CONFIG", "SET", "requirepass", "secret"});
  const auto between = proxy({});
  std::string url = between->url() + "/0";
  url.insert(8, ":secret@");
  EXPECT_EQ(look_up(*store_at(url)), "hit");
  for (std::size_t at = 0; at < 5; ++at) {
    between->set({at, Then::close, {}, false, {}});
    EXPECT_NE(look_up(*store_at(url)), "hit");
  }
}

TEST_F(RedisFaults, a_server_killed_in_the_middle_of_a_reply_is_a_miss) {
  ASSERT_TRUE(
      store_at(server->url())->send(Kind::artifact, one.key, one.canonical, Bytes(5'000'000), {}));
  for (const std::size_t at : {1, 1000, 70'000}) {
    {
      const auto between = proxy({at, Then::close, {}, false, [&] { server->kill(); }});
      const auto store = store_at(between->url());
      const auto said = look_up(*store);
      EXPECT_NE(said, "hit");
      EXPECT_NE(said, "wrong");
      EXPECT_THAT(look_up(*store), HasSubstr("skipped"));
    }  // and the thread that killed it
    server->restart();
    ASSERT_TRUE(store_at(server->url())
                    ->send(Kind::artifact, one.key, one.canonical, Bytes(5'000'000), {}));
  }
}

TEST_F(RedisFaults, any_bytes_in_place_of_a_reply_are_a_miss) {
  const auto between = proxy({});
  rc::check("random bytes", [&](const std::string& bytes) {
    between->set(instead(bytes));
    const auto said = look_up(*store_at(between->url()));
    RC_ASSERT(said != "hit" && said != "wrong");
  });
}

TEST_F(RedisFaults, a_reply_with_bytes_changed_put_in_or_taken_out_is_a_miss_or_right) {
  const auto between = proxy({});
  const std::string sound = reply();
  rc::check("changed replies", [&] {
    std::string bytes = sound;
    const auto changes = *rc::gen::inRange(1, 4);
    for (int change = 0; change < changes; ++change) {
      const auto at =
          static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(bytes.size())));
      switch (*rc::gen::inRange(0, 3)) {
        case 0:
          bytes[at] = *rc::gen::arbitrary<char>();
          break;
        case 1:
          bytes.insert(at, 1, *rc::gen::arbitrary<char>());
          break;
        default:
          bytes.erase(at, 1);
      }
    }
    between->set(instead(bytes));
    const auto said = look_up(*store_at(between->url()));
    RC_ASSERT(said != "wrong");
    if (bytes != sound) RC_ASSERT(said != "hit" || bytes.starts_with(sound));
  });
}

TEST_F(RedisFaults, a_length_of_two_thousand_million_bytes_is_a_miss) {
  for (const char* bytes : {"$2147483000\r\nabc", "*2147483000\r\n", "*1\r\n*1\r\n*2000000000\r\n",
                            "$9223372036854775807\r\n", "*-5\r\n", ":1\r\n", "+OK\r\n", "*0\r\n"}) {
    const auto between = proxy(instead(bytes));
    const auto said = look_up(*store_at(between->url()));
    EXPECT_NE(said, "hit") << bytes;
    EXPECT_NE(said, "wrong") << bytes;
  }
}

TEST_F(RedisFaults, a_reply_without_an_end_is_given_up_at_the_largest_entry) {
  RedisStore::Tuning tuning;
  tuning.largest = 1000;
  const auto between = proxy(instead("$90000000\r\n" + std::string(3 << 20, 'x')));
  RedisStore store(value_or_throw(parse_shared_url(between->url())), {long_bound, {}, {}}, tuning);
  EXPECT_THAT(look_up(store), HasSubstr("found a reply of more than"));
}

TEST_F(RedisFaults, a_list_without_an_end_is_an_error) {
  const auto none = [] {};
  for (const char* bytes :
       {"*2\r\n$1\r\n5\r\n*0\r\n", "*2\r\n$0\r\n\r\n*0\r\n", "*2\r\n$2\r\n-1\r\n*0\r\n",
        "*2\r\n$21\r\n111111111111111111111\r\n*0\r\n", "*2\r\n$3\r\n1\r\n\r\n*0\r\n", "*0\r\n"}) {
    const auto between = proxy(instead(bytes));
    const auto places = list_all(*store_at(between->url()), none);
    ASSERT_FALSE(places) << bytes;
    EXPECT_EQ(places.error().code(), Errc::corrupt) << places.error().message();
    EXPECT_LE(between->accepted(), 2) << bytes;
  }
  EXPECT_EQ(value_or_throw(list_all(*store_at(server->url()), none)).size(), 1u);
}

/// Lists a page after the other, each with a new cursor.
struct EndlessList : SharedLayer {
  std::int64_t pages = 0;
  Expected<Page> list(const std::string&) override {
    ++pages;
    return Page{{{Kind::artifact, {}}}, std::to_string(pages)};
  }
  std::string name() const override { return "endless"; }
  std::string where() const override { return "nowhere"; }
  Lookup get(Kind, const Key&, ByteView) override { return {}; }
  Expected<Found> fetch(Kind, const Key&) override { return fail(Errc::not_found, ""); }
  Expected<void> put(Kind, const Key&, ByteView, ByteView, const Metadata&) override { return {}; }
  Expected<void> update(Kind, const Key&, ByteView, const Change&) override { return {}; }
  Expected<void> send(Kind, const Key&, ByteView, ByteView, const Metadata&) override { return {}; }
};

TEST(SharedList, ends_after_many_pages_or_where_it_is_told_to) {
  EndlessList endless;
  const auto listed = list_all(endless, [] {});
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().message(),
            "the list of nowhere does not end: a repeated cursor, or more than 100000 pages or "
            "1000000 entries");
  EXPECT_EQ(endless.pages, 100'000);
  endless.pages = 0;
  EXPECT_THROW((void)list_all(endless,
                              [&] {
                                if (endless.pages == 3) throw std::runtime_error("stop");
                              }),
               std::runtime_error);
  EXPECT_EQ(endless.pages, 3);
}

TEST_F(RedisFaults, a_full_server_takes_nothing_and_is_read_all_the_same) {
  server->command({"CONFIG", "SET", "maxmemory", "1mb"});
  server->command({"CONFIG", "SET", "maxmemory-policy", "noeviction"});
  const LogLines log;
  {
    const auto store = store_at(server->url());
    for (int number = 10; number < 15; ++number) {
      const Sample sample(number);
      EXPECT_TRUE(store->put(Kind::plan, sample.key, sample.canonical, Bytes(600'000), {}));
    }
    EXPECT_EQ(look_up(*store), "hit");
  }
  int told = 0;
  for (const auto& line : log.lines())
    told += line.find("takes no entries for a while: the server says OOM") != std::string::npos;
  EXPECT_EQ(told, 1) << "for five entries";
}

TEST_F(RedisFaults, what_cannot_be_sent_in_time_is_dropped_and_counted) {
  const auto between = proxy({0, Then::stall, {}, false, {}});
  const LogLines log;
  {
    const auto store = store_at(between->url(), short_bound);
    for (int number = 10; number < 15; ++number) {
      const Sample sample(number);
      EXPECT_TRUE(store->put(Kind::plan, sample.key, sample.canonical, Bytes(100), {}));
    }
  }
  EXPECT_THAT(log.lines(),
              ::testing::Contains(HasSubstr("5 entries were not sent to the shared store " +
                                            between->url() + ": there was no time left")));
  EXPECT_LE(between->accepted(), 1) << "what is left when the time is over is not begun";
}

TEST_F(RedisFaults, nobody_waits_at_the_end_for_a_server_that_has_failed) {
  // Each try fails, so the sender is in the middle of one, for a minute, when the store ends.
  const auto between = proxy({0, Then::stall, {}, false, {}});
  RedisStore::Tuning tuning;
  tuning.server.pauses = no_pause;
  tuning.patience = long_bound;
  auto store = std::make_unique<RedisStore>(value_or_throw(parse_shared_url(between->url())),
                                            SharedOptions{short_bound, {}, {}}, tuning);
  EXPECT_THAT(look_up(*store), late);
  EXPECT_TRUE(store->put(Kind::plan, two.key, two.canonical, Bytes(100), {}));
  store.reset();
}

TEST_F(RedisFaults, a_queue_that_is_full_drops_and_counts) {
  const auto between = proxy({0, Then::stall, {}, false, {}});
  RedisStore::Tuning tuning;
  tuning.waiting.entries = 3;
  const LogLines log;
  {
    RedisStore store(value_or_throw(parse_shared_url(between->url())), {short_bound, {}, {}},
                     tuning);
    int taken = 0;
    for (int number = 10; number < 30; ++number) {
      const Sample sample(number);
      taken += store.put(Kind::plan, sample.key, sample.canonical, Bytes(100), {}).has_value();
    }
    EXPECT_EQ(taken, 3);
  }
  EXPECT_THAT(log.lines(), ::testing::Contains(HasSubstr("entries were not sent")));
}

TEST_F(RedisFaults, puts_to_a_server_that_is_skipped_are_dropped_at_once) {
  const auto between = proxy({0, Then::stall, {}, false, {}});
  {
    const auto store = store_at(between->url(), short_bound);
    EXPECT_THAT(look_up(*store), late);
    for (int number = 10; number < 50; ++number) {
      const Sample sample(number);
      EXPECT_TRUE(store->put(Kind::plan, sample.key, sample.canonical, Bytes(100), {}));
    }
  }
  EXPECT_LE(between->accepted(), 1);
}

}  // namespace
}  // namespace kiln
