#pragma once

#include "store/redis/client.hpp"
#include "tune/search/partners.hpp"

namespace kiln::tune {

/// A board on Redis. Below "kiln-tune:1:SEARCH:" lie
///     results      a hash: 1 for each configuration that has been told of
///     log          a list: the first result told of each, in the order of telling
///     lease:ID     the tuner that measures ID; expires
///     members      a set of tuners, member:TOKEN of each; the latter expire
///     final        what the search came to
/// Every step that must be atomic is one script. Machines need not agree on the time, only on how
/// long a second is. May start threads. One thread at a time.
class RedisBoard final : public Board {
 public:
  RedisBoard(SharedUrl url, const std::string& search, const BoardTimes& times,
             std::chrono::milliseconds timeout);

  Expected<void> join() override;
  Expected<Partners::Claim> take(ConfigurationId id) override;
  Expected<void> renew(const std::vector<ConfigurationId>& held, Member member) override;
  Expected<void> give_back(ConfigurationId id) override;
  Expected<void> tell(ConfigurationId id, const std::string& text) override;
  Expected<News> news(std::size_t from) override;
  Expected<std::size_t> leave() override;
  Expected<std::size_t> members(ConfigurationId held) override;
  Expected<void> finish(const std::string& text) override;
  Expected<std::optional<std::string>> finished() override;

 private:
  std::string key(std::string_view name) const { return prefix_ + std::string(name); }
  std::string lease_key(ConfigurationId id) const;
  Expected<redis::Reply> call(redis::Words words);

  redis::Client client_;
  std::string prefix_, token_, lease_, kept_;
  std::chrono::milliseconds timeout_;
};

}  // namespace kiln::tune
