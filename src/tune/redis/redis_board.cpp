#include "tune/redis/redis_board.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace kiln::tune {
namespace {

using redis::Reply;
using redis::text_of;
using Claim = Partners::Claim;

/// Of one reply: more than a page of news with the longest texts.
constexpr std::size_t most_reply_bytes = 4 << 20;

constexpr std::string_view take_script = R"(
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return 'known' end
if redis.call('SET', KEYS[2], ARGV[2], 'NX', 'PX', ARGV[3]) then return 'mine' end
if redis.call('GET', KEYS[2]) == ARGV[2] then return 'mine' end
return 'theirs')";

// A lease that has expired meanwhile is taken again, unless another tuner has taken it.
constexpr std::string_view renew_script = R"(
local of = redis.call('GET', KEYS[1])
if not of or of == ARGV[1] then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) end
return 1)";

constexpr std::string_view give_back_script = R"(
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1)";

constexpr std::string_view tell_script = R"(
if redis.call('HSETNX', KEYS[1], ARGV[1], 1) == 1 then redis.call('RPUSH', KEYS[2], ARGV[2]) end
if redis.call('GET', KEYS[3]) == ARGV[3] then redis.call('DEL', KEYS[3]) end
redis.call('PEXPIRE', KEYS[1], ARGV[4])
redis.call('PEXPIRE', KEYS[2], ARGV[4])
return 1)";

// No tuner writes a text that is too long: an empty one takes its place, so that what was told
// after it is still delivered.
constexpr std::string_view news_script = R"(
local from = tonumber(ARGV[1])
if from > redis.call('LLEN', KEYS[1]) then from = 0 end
local page = redis.call('LRANGE', KEYS[1], from, from + 255)
for i, one in ipairs(page) do if #one > 8192 then page[i] = '' end end
return {from, page})";

constexpr std::string_view join_script = R"(
redis.call('SADD', KEYS[1], ARGV[1])
redis.call('SET', KEYS[2], 1, 'PX', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1)";

// Members that have expired are removed. Others may have made the set as large as they like: beyond
// a bound it counts as empty.
constexpr std::string_view leave_script = R"(
redis.call('SREM', KEYS[1], ARGV[1])
redis.call('DEL', KEYS[2])
if redis.call('SCARD', KEYS[1]) > 4096 then return 0 end
local left = 0
for _, one in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  if redis.call('EXISTS', ARGV[2] .. one) == 1 then left = left + 1
  else redis.call('SREM', KEYS[1], one) end
end
return left)";

// As above, changing nothing.
constexpr std::string_view members_script = R"(
local count = redis.call('EXISTS', KEYS[2])
if redis.call('SCARD', KEYS[1]) > 4096 then return count end
for _, one in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  count = count + redis.call('EXISTS', ARGV[1] .. one)
end
return count)";

std::string new_token() {
  std::random_device random;
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", random());
  return token;
}

Expected<void> done(const Expected<Reply>& reply) {
  if (!reply) return tl::unexpected(reply.error());
  return {};
}

Expected<std::size_t> count_of(const Expected<Reply>& reply, std::string_view question) {
  if (!reply) return tl::unexpected(reply.error());
  if ((*reply)->type != REDIS_REPLY_INTEGER || (*reply)->integer < 0)
    return fail(Errc::corrupt, fmt::format("found no answer to {}", question));
  return static_cast<std::size_t>((*reply)->integer);
}

}  // namespace

RedisBoard::RedisBoard(SharedUrl url, const std::string& search, const BoardTimes& times,
                       std::chrono::milliseconds timeout)
    : client_(std::move(url), {.pauses = {.longest = std::chrono::seconds(10)}}),
      prefix_("kiln-tune:1:" + search + ":"),
      token_(new_token()),
      lease_(std::to_string(times.lease.count())),
      kept_(std::to_string(times.kept.count())),
      // No run waits for it: a candidate takes longer than any answer.
      timeout_(std::max(timeout, std::chrono::milliseconds(2000))) {}

std::string RedisBoard::lease_key(ConfigurationId id) const {
  return key("lease:" + std::to_string(id));
}

Expected<Reply> RedisBoard::call(redis::Words words) {
  return client_.call(redis::Client::Use::write, words, redis::Deadline(timeout_),
                      most_reply_bytes);
}

Expected<void> RedisBoard::join() {
  return done(call(
      {"EVAL", join_script, "2", key("members"), key("member:" + token_), token_, lease_, kept_}));
}

Expected<Claim> RedisBoard::take(ConfigurationId id) {
  const auto reply = call({"EVAL", take_script, "2", key("results"), lease_key(id),
                           std::to_string(id), token_, lease_});
  if (!reply) return tl::unexpected(reply.error());
  const auto answer = text_of(**reply);
  if (answer == "mine") return Claim::mine;
  if (answer == "known") return Claim::known;
  if (answer == "theirs") return Claim::theirs;
  return fail(Errc::corrupt, "the shared store's answer about a candidate is not valid");
}

Expected<void> RedisBoard::renew(const std::vector<ConfigurationId>& held, Member member) {
  if (member == Member::yes)
    if (auto joined = join(); !joined) return joined;
  for (const auto id : held)
    if (auto kept = done(call({"EVAL", renew_script, "1", lease_key(id), token_, lease_})); !kept)
      return kept;
  return {};
}

Expected<void> RedisBoard::give_back(ConfigurationId id) {
  return done(call({"EVAL", give_back_script, "1", lease_key(id), token_}));
}

Expected<void> RedisBoard::tell(ConfigurationId id, const std::string& text) {
  return done(call({"EVAL", tell_script, "3", key("results"), key("log"), lease_key(id),
                    std::to_string(id), text, token_, kept_}));
}

Expected<Board::News> RedisBoard::news(std::size_t from) {
  const auto reply = call({"EVAL", news_script, "1", key("log"), std::to_string(from)});
  if (!reply) return tl::unexpected(reply.error());
  redisReply** const parts = (*reply)->element;
  if ((*reply)->elements != 2 || parts[0]->type != REDIS_REPLY_INTEGER || parts[0]->integer < 0 ||
      parts[1]->type != REDIS_REPLY_ARRAY)
    return fail(Errc::corrupt, "the shared store's list of results is not valid");
  News news;
  const auto begin = static_cast<std::size_t>(parts[0]->integer);
  news.restarted = begin < from;
  for (std::size_t at = 0; at < parts[1]->elements; ++at)
    news.texts.emplace_back(text_of(*parts[1]->element[at]));
  news.next = begin + news.texts.size();
  return news;
}

Expected<std::size_t> RedisBoard::leave() {
  const auto reply = call(
      {"EVAL", leave_script, "2", key("members"), key("member:" + token_), token_, key("member:")});
  return count_of(reply, "a leave");
}

Expected<std::size_t> RedisBoard::members(ConfigurationId held) {
  return count_of(
      call({"EVAL", members_script, "2", key("members"), lease_key(held), key("member:")}),
      "a question for members");
}

Expected<void> RedisBoard::finish(const std::string& text) {
  return done(call({"SET", key("final"), text, "PX", kept_}));
}

Expected<std::optional<std::string>> RedisBoard::finished() {
  const auto reply = call({"GET", key("final")});
  if (!reply) return tl::unexpected(reply.error());
  if ((*reply)->type != REDIS_REPLY_STRING) return std::nullopt;
  return std::string(text_of(**reply));
}

}  // namespace kiln::tune
