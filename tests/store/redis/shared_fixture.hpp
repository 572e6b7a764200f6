#pragma once

#include "store/redis/fault_proxy.hpp"
#include "store/redis/redis_process.hpp"
#include "store/redis/redis_store.hpp"
#include "store/support.hpp"

namespace kiln::testing {

/// No pause that a test could wait for, and none at all.
inline constexpr redis::Breaker::Pauses pause_for_ever{std::chrono::hours(1), std::chrono::hours(1),
                                                       0};
inline constexpr redis::Breaker::Pauses no_pause{std::chrono::milliseconds(0),
                                                 std::chrono::milliseconds(0), 0};

/// A bound that no sound server reaches, and one that a silent one does soon.
inline constexpr std::chrono::milliseconds long_bound = std::chrono::minutes(2);
inline constexpr std::chrono::milliseconds short_bound{20};

inline std::unique_ptr<RedisStore> store_at(const std::string& url,
                                            std::chrono::milliseconds bound = long_bound,
                                            redis::Breaker::Pauses pauses = pause_for_ever,
                                            SharedOptions options = {}) {
  RedisStore::Tuning tuning;
  tuning.server.pauses = pauses;
  options.timeout = bound;
  return std::make_unique<RedisStore>(value_or_throw(parse_shared_url(url)), std::move(options),
                                      std::move(tuning));
}

inline Metadata metadata_of(int number) {
  Metadata metadata;
  metadata.label = "sample " + std::to_string(number);
  metadata.fingerprint = "a device";
  metadata.cost_seconds = 0.5;
  return metadata;
}

/// A real server that has entry 1, of 300 bytes, and tests for what a look-up of it gives.
struct SharedFixture : ::testing::Test {
  static constexpr std::size_t size = 300;
  std::unique_ptr<RedisProcess> server;
  Sample one{1}, two{2};

  void SetUp() override {
    KILN_NEEDS_REDIS();
    server = std::make_unique<RedisProcess>();
    send(one, 1);
  }
  void send(const Sample& sample, int number) const {
    const auto sent = store_at(server->url())
                          ->send(Kind::artifact, sample.key, sample.canonical,
                                 content_of(number, 1, size), metadata_of(number));
    ASSERT_TRUE(sent) << sent.error().message();
  }
  static std::string place(const Sample& sample) { return "kiln:1:artifact:" + sample.key.hex(); }
  std::string value(const Sample& sample) const {
    return server->command({"GET", place(sample)}).text;
  }
  void set_value(const Sample& sample, std::string_view bytes) const {
    EXPECT_EQ(server->command({"SET", place(sample), bytes}).text, "OK");
  }

  /// "hit" where it is entry 1 as it was sent, "wrong" where it is anything else, or the reason.
  std::string look_up(RedisStore& store) const {
    const auto found = store.get(Kind::artifact, one.key, one.canonical);
    if (!found.entry) return found.reason.empty() ? "a miss without a reason" : found.reason;
    Metadata expected = metadata_of(1);
    expected.made_elsewhere = true;
    Metadata metadata = found.entry->metadata;
    metadata.signature.reset();
    return found.entry->content == content_of(1, 1, size) && metadata == expected ? "hit" : "wrong";
  }
};

}  // namespace kiln::testing
