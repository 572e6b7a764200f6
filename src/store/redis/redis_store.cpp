#include "store/redis/redis_store.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.hpp"
#include "store/layer/entry_form.hpp"
#include "store/layer/layer.hpp"

namespace kiln {
namespace {

using redis::Deadline;
using redis::text_of;

constexpr std::string_view prefix = "kiln:1:";
constexpr Kind kinds[] = {Kind::artifact, Kind::plan, Kind::record};

/// What an entry takes besides its content: canonical bytes and texts, each of which is bounded.
constexpr std::size_t around_content = 2 << 20;

std::string place_of(Kind kind, const Key& key) {
  return fmt::format("{}{}:{}", prefix, name_of(kind), key.hex());
}

/// The place that a name of the server stands for; nothing for names that are not Kiln's.
std::optional<SharedLayer::Place> parse_place(std::string_view name) {
  if (!name.starts_with(prefix)) return {};
  name.remove_prefix(prefix.size());
  for (const Kind kind : kinds) {
    const std::string_view word = name_of(kind);
    SharedLayer::Place place{kind, {}};
    if (name.starts_with(word) && name.substr(word.size()).starts_with(':') &&
        parse_digest(name.substr(word.size() + 1), place.key.digest))
      return place;
  }
  return {};
}

/// The signature that an entry gets for its way: the one that it came with, or this user's, which
/// says "made here, or of parts that are trusted here". Where this machine asks for no signatures,
/// parts from elsewhere may have any maker, and this user's key does not speak for them. Errors:
/// refused, where an unsigned entry would be of no use to those who trust as this machine does, and
/// might replace a signed one.
Expected<std::optional<Signature>> signature_for(const Metadata& metadata, const EntryHead& head,
                                                 const SharedOptions& options) {
  if (metadata.signature) return metadata.signature;
  const bool speaks_for_it = !metadata.made_elsewhere || options.trust.required;
  if (options.signer && speaks_for_it) return options.signer->sign(encode_head(head));
  if (!options.trust.required) return std::nullopt;
  return fail(Errc::refused,
              "not signed: this machine requires signatures, and has no signing key");
}

}  // namespace

RedisStore::RedisStore(SharedUrl url, SharedOptions options)
    : RedisStore(std::move(url), std::move(options), Tuning{}) {}

RedisStore::RedisStore(SharedUrl url, SharedOptions options, Tuning tuning)
    : options_(std::move(options)),
      tuning_(std::move(tuning)),
      client_(std::move(url), tuning_.server, options_.failures),
      queue_(tuning_.waiting) {
  watch();
}

RedisStore::~RedisStore() {
  unwatch();
  // A server that has failed has cost a look-up its bound, and a line in the log, already.
  const bool reachable = client_.reachable();
  client_.end_within(reachable ? options_.timeout : std::chrono::milliseconds(0));
  queue_.finish();
  const auto dropped = late_ + queue_.refused();
  if (dropped > 0)
    log(reachable ? LogLevel::warning : LogLevel::debug,
        fmt::format("{} {} not sent to the shared store {}: {}", dropped,
                    dropped == 1 ? "entry was" : "entries were", where(),
                    late_ > 0 ? "there was no time left" : "too many waited already"));
}

Lookup RedisStore::get(Kind kind, const Key& key, ByteView canonical) {
  auto found = guarded([&] { return fetch(kind, key); });
  if (!found) return {{}, found.error().message()};
  if (!std::ranges::equal(found->canonical, canonical)) return {{}, "key collision"};
  return {std::move(found->entry), {}};
}

Expected<SharedLayer::Found> RedisStore::fetch(Kind kind, const Key& key) {
  const Deadline deadline(options_.timeout);
  const auto reply = client_.call(redis::Client::Use::read, {"GET", place_of(kind, key)}, deadline,
                                  tuning_.largest + around_content);
  if (!reply) return tl::unexpected(reply.error());
  if ((*reply)->type == REDIS_REPLY_NIL) return fail(Errc::not_found, "no entry");
  if ((*reply)->type != REDIS_REPLY_STRING)
    return fail(Errc::corrupt, "the key holds something else than a string");
  auto decoded = decode_entry(as_bytes(text_of(**reply)));
  if (!decoded) return tl::unexpected(decoded.error());
  EntryHead& head = decoded->head;
  if (head.kind != kind || head.key != key)
    return fail(Errc::corrupt, "found an entry of another key at its place");
  if (const auto why = options_.trust.refusal(decoded->signature, decoded->head_bytes);
      !why.empty())
    return fail(Errc::refused, why);
  return Found{std::move(head.canonical), Entry{std::move(decoded->content),
                                                metadata_from_elsewhere(head, decoded->signature)}};
}

Expected<void> RedisStore::put(Kind kind, const Key& key, ByteView canonical, ByteView content,
                               const Metadata& metadata) {
  if (content.size() > tuning_.largest) {
    auto text = fmt::format("an entry of {} bytes is not shared, since it is larger than {}",
                            content.size(), tuning_.largest);
    log(LogLevel::info, text);
    return fail(Errc::refused, std::move(text));
  }
  return guarded([&]() -> Expected<void> {
    WriteQueue::Item item{kind, key, canonical.size() + content.size(), {}};
    item.write = [this, kind, key, metadata, canonical = Bytes(canonical.begin(), canonical.end()),
                  content = Bytes(content.begin(), content.end())] {
      const auto sent =
          send_by(Deadline(tuning_.patience), kind, key, canonical, content, metadata);
      if (sent) return;
      // Other failures are the server's, which are reported when they begin.
      if (client_.has_ended()) ++late_;
      log(LogLevel::debug,
          fmt::format("{} is not shared: {}", key.digest.brief(), sent.error().message()));
    };
    if (queue_.add_if_room(std::move(item))) return {};
    return fail(Errc::refused, "too many entries wait to be sent already");
  });
}

Expected<void> RedisStore::update(Kind, const Key&, ByteView, const Change&) {
  return fail(Errc::unsupported, "the shared store keeps whole entries only");
}

Expected<void> RedisStore::send(Kind kind, const Key& key, ByteView canonical, ByteView content,
                                const Metadata& metadata) {
  return send_by(Deadline(options_.timeout), kind, key, canonical, content, metadata);
}

Expected<void> RedisStore::send_by(const Deadline& deadline, Kind kind, const Key& key,
                                   ByteView canonical, ByteView content, const Metadata& metadata) {
  if (content.size() > tuning_.largest)
    return fail(Errc::refused, fmt::format("it has {} bytes; at most {} are shared", content.size(),
                                           tuning_.largest));
  const EntryHead head = head_of(kind, canonical, content, metadata);
  const auto signature = signature_for(metadata, head, options_);
  if (!signature) return tl::unexpected(signature.error());
  const Bytes value = encode_entry(head, *signature, content);
  const auto reply =
      client_.call(redis::Client::Use::write, {"SET", place_of(kind, key), as_text(value)},
                   deadline, around_content);
  if (!reply) return tl::unexpected(reply.error());
  if ((*reply)->type == REDIS_REPLY_STATUS) return {};
  return fail(Errc::corrupt, "unexpected reply to SET");
}

Expected<SharedLayer::Page> RedisStore::list(const std::string& cursor) {
  const auto reply =
      client_.call(redis::Client::Use::read,
                   {"SCAN", cursor.empty() ? "0" : cursor, "MATCH", "kiln:1:*", "COUNT", "500"},
                   Deadline(options_.timeout), tuning_.largest);
  if (!reply) return tl::unexpected(reply.error());
  if ((*reply)->elements != 2 || (*reply)->element[0]->type != REDIS_REPLY_STRING)
    return fail(Errc::corrupt, "unexpected reply to SCAN");
  // A number of 64 bits, which goes back to the server as it is.
  const auto next = text_of(*(*reply)->element[0]);
  if (next.empty() || next.size() > 20 || next.find_first_not_of("0123456789") != next.npos)
    return fail(Errc::corrupt, "the reply to SCAN has no cursor");
  Page page;
  if (next != "0") page.cursor = next;
  const redisReply& names = *(*reply)->element[1];
  for (std::size_t at = 0; at < names.elements; ++at)
    if (const auto place = parse_place(text_of(*names.element[at]))) page.places.push_back(*place);
  return page;
}

}  // namespace kiln
