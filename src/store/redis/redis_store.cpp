#include "store/redis/redis_store.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "base/log.hpp"
#include "store/layer/entry_form.hpp"
#include "store/layer/layer.hpp"

namespace kiln::redis {

Sender::Sender(Send send, Limits limits) : send_(std::move(send)), limits_(limits) {}

Expected<void> Sender::add(Item item) {
  const std::lock_guard lock(mutex_);
  const auto drop = [&](Errc code, std::string reason) {
    ++dropped_.entries;
    dropped_.reason = reason;
    return fail(code, std::move(reason));
  };
  if (waiting_.size() >= limits_.entries || bytes_ + item.size() > limits_.bytes)
    return drop(Errc::refused,
                fmt::format("{} entries of {} bytes wait already", waiting_.size(), bytes_));
  try {
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    return drop(Errc::io, fmt::format("no thread to send it: {}", error.what()));
  }
  const std::size_t size = item.size();
  waiting_.push_back(std::move(item));
  bytes_ += size;
  changed_.notify_one();
  return {};
}

void Sender::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return finishing_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const Item item = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    const Expected<void> sent = send(item);
    lock.lock();
    bytes_ -= item.size();
    // Other failures are the server's, which are reported when they begin.
    if (!sent && end_ns_ <= now_ns()) {
      ++dropped_.entries;
      dropped_.reason = "there was no time left";
    }
  }
}

Expected<void> Sender::send(const Item& item) const {
  const Deadline deadline = Deadline(limits_.patience).capped_by(end_ns_);
  // A server that is not asked any more must not be taken for one that does not answer.
  if (deadline.over()) return fail(Errc::timeout, "timed out before the request was sent");
  try {
    return send_(item, deadline);
  } catch (const std::exception& problem) {
    // No memory, mostly. Thrown on, it would end the process.
    return fail(Errc::internal, problem.what());
  }
}

Sender::Dropped Sender::finish(std::chrono::milliseconds bound) {
  // A wait in the thread notices a new end at its next look.
  const std::chrono::nanoseconds rest = bound;
  end_ns_ = now_ns() + std::max<std::int64_t>((rest - Deadline::slice()).count(), 0);
  {
    const std::lock_guard lock(mutex_);
    finishing_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
  return dropped_;
}

}  // namespace kiln::redis

namespace kiln {
namespace {

using redis::Deadline;
using redis::Reply;

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
/// says "made here, or of parts that are trusted here". Where nobody asks for signatures, parts
/// from elsewhere may be anybody's, and nobody's key speaks for them. Errors: refused, where an
/// unsigned entry would be of no use to those who trust as this machine does, and might replace a
/// signed one.
Expected<std::optional<Signature>> signature_for(const Metadata& metadata, const EntryHead& head,
                                                 const SharedOptions& options) {
  if (metadata.signature) return metadata.signature;
  const bool speaks_for_it = !metadata.made_elsewhere || options.trust.required;
  if (options.signer && speaks_for_it) return options.signer->sign(encode_head(head));
  if (!options.trust.required) return std::nullopt;
  return fail(Errc::refused,
              "not signed: this machine requires signatures, and has no signing key");
}

redis::Server::Options server_options(const RedisStore::Tuning& tuning,
                                      const SharedOptions& options) {
  auto server = tuning.server;
  server.failures = options.failures;
  return server;
}

}  // namespace

RedisStore::RedisStore(SharedUrl url, SharedOptions options)
    : RedisStore(std::move(url), std::move(options), Tuning{}) {}

RedisStore::RedisStore(SharedUrl url, SharedOptions options, Tuning tuning)
    : options_(std::move(options)),
      tuning_(std::move(tuning)),
      server_(std::move(url), server_options(tuning_, options_)),
      process_(::getpid()) {
  watch();
}

RedisStore::~RedisStore() {
  unwatch();
  if (process_ != ::getpid()) leave_sender_to_parent();
  if (!sender_) return;
  // A server that has failed has cost a look-up its bound, and a line in the log, already.
  const bool reachable = server_.reachable();
  const auto dropped = sender_->finish(reachable ? options_.timeout : std::chrono::milliseconds(0));
  if (dropped.entries > 0)
    log(reachable ? LogLevel::warning : LogLevel::debug,
        fmt::format("{} {} not sent to the shared store {}: {}", dropped.entries,
                    dropped.entries == 1 ? "entry was" : "entries were", where(), dropped.reason));
}

Lookup RedisStore::get(Kind kind, const Key& key, ByteView canonical) {
  auto found = guarded([&] { return fetch(kind, key); });
  if (!found) return {{}, found.error().message()};
  if (!std::ranges::equal(found->canonical, canonical)) return {{}, "key collision"};
  return {std::move(found->entry), {}};
}

Expected<SharedLayer::Found> RedisStore::fetch(Kind kind, const Key& key) {
  const Deadline deadline(options_.timeout);
  const auto reply = server_.call(redis::Server::Use::read, {"GET", place_of(kind, key)}, deadline,
                                  tuning_.largest + around_content);
  if (!reply) return tl::unexpected(reply.error());
  if (reply->is(Reply::Type::nil)) return fail(Errc::not_found, "no entry");
  if (!reply->is(Reply::Type::string))
    return fail(Errc::corrupt, "the key holds something else than a string");
  auto decoded = decode_entry(as_bytes(reply->text));
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
  return guarded([&] {
    const std::lock_guard lock(sender_mutex_);
    return sender().add({kind, key, Bytes(canonical.begin(), canonical.end()),
                         Bytes(content.begin(), content.end()), metadata});
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
      server_.call(redis::Server::Use::write, {"SET", place_of(kind, key), as_text(value)},
                   deadline, around_content);
  if (!reply) return tl::unexpected(reply.error());
  if (reply->is(Reply::Type::status)) return {};
  return fail(Errc::corrupt, "unexpected reply to SET");
}

Expected<SharedLayer::Page> RedisStore::list(const std::string& cursor) {
  const auto reply =
      server_.call(redis::Server::Use::read,
                   {"SCAN", cursor.empty() ? "0" : cursor, "MATCH", "kiln:1:*", "COUNT", "500"},
                   Deadline(options_.timeout), tuning_.largest);
  if (!reply) return tl::unexpected(reply.error());
  if (reply->elements.size() != 2 || !reply->elements[0].is(Reply::Type::string))
    return fail(Errc::corrupt, "unexpected reply to SCAN");
  // A number of 64 bits, which goes back to the server as it is.
  const std::string& next = reply->elements[0].text;
  if (next.empty() || next.size() > 20 || next.find_first_not_of("0123456789") != next.npos)
    return fail(Errc::corrupt, "the reply to SCAN has no cursor");
  Page page;
  if (next != "0") page.cursor = next;
  for (const auto& name : reply->elements[1].elements)
    if (const auto place = parse_place(name.text)) page.places.push_back(*place);
  return page;
}

redis::Sender& RedisStore::sender() {
  if (process_ != ::getpid()) leave_sender_to_parent();
  if (!sender_)
    sender_ = std::make_unique<redis::Sender>(
        [this](const redis::Sender::Item& item, const Deadline& deadline) {
          auto sent =
              send_by(deadline, item.kind, item.key, item.canonical, item.content, item.metadata);
          if (!sent)
            log(LogLevel::debug, fmt::format("{} is not shared: {}", item.key.digest.brief(),
                                             sent.error().message()));
          return sent;
        },
        tuning_.sender);
  return *sender_;
}

void RedisStore::leave_sender_to_parent() {
  process_ = ::getpid();
  // Not freed: its thread is the parent's, and may hold its lock for ever in this copy.
  (void)sender_.release();
}

void RedisStore::before_fork() {
  sender_mutex_.lock();
  server_.before_fork();
}

void RedisStore::after_fork() {
  server_.after_fork();
  if (process_ != ::getpid()) leave_sender_to_parent();
  sender_mutex_.unlock();
}

}  // namespace kiln
