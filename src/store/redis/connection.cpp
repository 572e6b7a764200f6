#include "store/redis/connection.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace kiln::redis {
namespace {

constexpr std::size_t small_reply = 64 << 10;

Expected<Stream> connect_any(std::span<const Address> addresses, const Deadline& deadline,
                             Descriptors& descriptors) {
  Error last(Errc::io, "name: no address");
  // Each gets its share of the time, so that one that swallows everything does not hide the next.
  for (std::size_t at = 0; at < addresses.size(); ++at) {
    auto stream =
        Stream::connect(addresses[at], deadline.share(addresses.size() - at), descriptors);
    if (stream) return stream;
    last = stream.error();
  }
  return tl::unexpected(last);
}

/// What the server says against us, without what we told it: an old server repeats the words of a
/// command that it does not know, the password among them.
Error refusal(std::string_view what, const Reply& reply) {
  const auto word = one_line(reply.text.substr(0, std::min<std::size_t>(reply.text.find(' '), 20)));
  return {Errc::refused, fmt::format("{}: the server says {}", what, word)};
}

}  // namespace

Expected<std::unique_ptr<Connection>> Connection::open(const SharedUrl& url,
                                                       std::span<const Address> addresses,
                                                       const Deadline& deadline,
                                                       Descriptors& descriptors) {
  auto stream = connect_any(addresses, deadline, descriptors);
  if (!stream) return tl::unexpected(stream.error());
  std::unique_ptr<Connection> connection(new Connection(*std::move(stream)));
  if (auto known = connection->introduce(url, deadline); !known)
    return tl::unexpected(known.error());
  return connection;
}

Expected<void> Connection::introduce(const SharedUrl& url, const Deadline& deadline) {
  // All in one piece: each wait for a reply would cost a way to the server and back.
  std::string commands;
  std::vector<std::string_view> steps;
  if (!url.password.empty()) {
    commands += url.user.empty() ? encode_command({"AUTH", url.password})
                                 : encode_command({"AUTH", url.user, url.password});
    steps.emplace_back("password");
  }
  if (url.database != 0) {
    commands += encode_command({"SELECT", std::to_string(url.database)});
    steps.emplace_back("database");
  }
  if (auto sent = stream_.send(commands, deadline); !sent) return sent;
  for (const auto step : steps) {
    const auto reply = receive(deadline, small_reply);
    if (!reply) return tl::unexpected(reply.error());
    if (!reply->is(Reply::Type::status)) return tl::unexpected(refusal(step, *reply));
  }
  return {};
}

Expected<Reply> Connection::call(Words words, const Deadline& deadline, std::size_t limit) {
  heard_ = false;
  if (auto sent = stream_.send(encode_command(words), deadline); !sent)
    return tl::unexpected(sent.error());
  return receive(deadline, limit);
}

Expected<Reply> Connection::receive(const Deadline& deadline, std::size_t limit) {
  char piece[64 << 10];
  for (;;) {
    auto reply = reader_.next();
    if (!reply) return tl::unexpected(reply.error());
    if (*reply) return **std::move(reply);
    const auto got = stream_.receive(piece, sizeof piece, deadline);
    if (!got) return tl::unexpected(got.error());
    heard_ = true;
    if (auto fed = reader_.feed({piece, *got}, limit); !fed) return tl::unexpected(fed.error());
  }
}

}  // namespace kiln::redis
