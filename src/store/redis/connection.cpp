#include "store/redis/connection.hpp"

#include <fmt/format.h>
#include <hiredis/hiredis.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <system_error>
#include <utility>

#include "base/text.hpp"

namespace kiln::redis {

int Descriptors::open_socket(int family) {
  const std::lock_guard lock(mutex_);
  const int descriptor = ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor >= 0) open_.push_back(descriptor);
  return descriptor;
}

void Descriptors::close(int descriptor) {
  const std::lock_guard lock(mutex_);
  // By now the number may be somebody else's, where it is not in the list.
  if (std::erase(open_, descriptor) > 0) ::close(descriptor);
}

void Descriptors::close_all() {
  for (const int descriptor : open_) ::close(descriptor);
  open_.clear();
}

namespace {

tl::unexpected<Error> system_error(std::string_view what, int number) {
  return fail(Errc::io, fmt::format("{}: {}", what, std::generic_category().message(number)));
}

}  // namespace

Expected<Stream> Stream::connect(const Address& address, const Deadline& deadline,
                                 Descriptors& descriptors) {
  const int family = address.bytes.ss_family;
  Stream stream(descriptors, descriptors.open_socket(family));
  const int fd = stream.fd_;
  if (fd < 0) return system_error("connect", errno);
  const int on = 1;
  if (family != AF_UNIX) ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const auto* to = reinterpret_cast<const sockaddr*>(&address.bytes);
  if (::connect(fd, to, address.size) == 0) return stream;
  // A full queue of a local socket says EAGAIN, for which there is nothing to wait on.
  if (errno != EINPROGRESS && errno != EINTR) return system_error("connect", errno);
  if (auto ready = stream.wait(POLLOUT, deadline, "connect"); !ready)
    return tl::unexpected(ready.error());
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return system_error("connect", error);
  return stream;
}

Expected<void> Stream::wait(short events, const Deadline& deadline, std::string_view what) const {
  while (!deadline.over()) {
    const auto look = deadline.next_look().count();
    const timespec time{static_cast<time_t>(look / 1'000'000'000), look % 1'000'000'000};
    pollfd poll{fd_, events, 0};
    const int ready = ::ppoll(&poll, 1, &time, nullptr);
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return system_error(what, errno);
  }
  return fail(Errc::timeout, fmt::format("{}: no answer in time", what));
}

Expected<void> Stream::send(std::string_view bytes, const Deadline& deadline) {
  while (!bytes.empty()) {
    if (deadline.over()) return fail(Errc::timeout, "send: no answer in time");
    const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return system_error("send", errno);
    if (auto ready = wait(POLLOUT, deadline, "send"); !ready) return ready;
  }
  return {};
}

Expected<std::size_t> Stream::receive(char* into, std::size_t room, const Deadline& deadline) {
  for (;;) {
    // Before each read, not only before each wait: a server that sends a byte now and then never
    // makes us wait long.
    if (auto ready = wait(POLLIN, deadline, "reply"); !ready) return tl::unexpected(ready.error());
    const ssize_t got = ::recv(fd_, into, room, 0);
    if (got > 0) return static_cast<std::size_t>(got);
    if (got == 0) return fail(Errc::io, "reply: the server has hung up");
    if (errno != EINTR && errno != EAGAIN) return system_error("reply", errno);
  }
}

bool Stream::quiet() const {
  pollfd poll{fd_, POLLIN | POLLRDHUP, 0};
  return fd_ >= 0 && ::poll(&poll, 1, 0) == 0;
}

std::string encode_command(Words words) {
  std::vector<const char*> texts;
  std::vector<std::size_t> sizes;
  for (const auto word : words) {
    texts.push_back(word.data());
    sizes.push_back(word.size());
  }
  char* formatted = nullptr;
  const int size = redisFormatCommandArgv(&formatted, static_cast<int>(words.size()), texts.data(),
                                          sizes.data());
  // hiredis counts in int: what would overflow it is refused before it gets here (RedisStore).
  if (size < 0) throw std::bad_alloc();
  std::string command(formatted, static_cast<std::size_t>(size));
  redisFreeCommand(formatted);
  return command;
}

struct ReplyReader::State {
  redisReader* reader = nullptr;
  std::size_t elements = 0;  ///< of the reply under way
  std::size_t fed = 0;       ///< bytes since the last whole reply

  ~State() {
    if (reader != nullptr) redisReaderFree(reader);
  }
};

// What hiredis calls to build a reply. Elements of an array live inside their parent, so only the
// outermost is ever freed. Null says that there is no memory; nothing may be thrown through C.
namespace {

using Type = Reply::Type;

Type type_of(const redisReadTask& task) {
  return task.type == REDIS_REPLY_STATUS  ? Type::status
         : task.type == REDIS_REPLY_ERROR ? Type::error
                                          : Type::string;
}

/// The place of a task's object; a new one for the outermost.
Reply* place_of(const redisReadTask& task) {
  if (task.parent == nullptr) return new (std::nothrow) Reply;
  return &static_cast<Reply*>(task.parent->obj)->elements[static_cast<std::size_t>(task.idx)];
}

template <class Fill>
void* build(const redisReadTask* task, const Fill& fill) noexcept {
  Reply* const reply = place_of(*task);
  if (reply == nullptr) return nullptr;
  try {
    fill(*reply);
    return reply;
  } catch (...) {
    if (task->parent == nullptr) delete reply;
    return nullptr;
  }
}

void* create_string(const redisReadTask* task, char* text, std::size_t size) {
  return build(task, [&](Reply& reply) {
    reply.type = type_of(*task);
    reply.text.assign(text, size);
  });
}

void* create_array(const redisReadTask* task, int size) {
  auto& seen = *static_cast<std::size_t*>(task->privdata);
  // A few bytes can announce two thousand million elements.
  if (size < 0 || (seen += static_cast<std::size_t>(size)) > ReplyReader::most_elements)
    return nullptr;
  return build(task, [&](Reply& reply) {
    reply.type = Type::array;
    reply.elements.resize(static_cast<std::size_t>(size));
  });
}

void* create_integer(const redisReadTask* task, long long value) {
  return build(task, [&](Reply& reply) {
    reply.type = Type::integer;
    reply.integer = value;
  });
}

void* create_nil(const redisReadTask* task) {
  return build(task, [](Reply& reply) { reply.type = Type::nil; });
}

void free_object(void* reply) { delete static_cast<Reply*>(reply); }

redisReplyObjectFunctions functions{create_string, create_array, create_integer, create_nil,
                                    free_object};

}  // namespace

ReplyReader::ReplyReader() : state_(std::make_unique<State>()) {
  state_->reader = redisReaderCreateWithFunctions(&functions);
  if (state_->reader == nullptr) throw std::bad_alloc();
  state_->reader->privdata = &state_->elements;
}
ReplyReader::~ReplyReader() = default;
ReplyReader::ReplyReader(ReplyReader&&) noexcept = default;
ReplyReader& ReplyReader::operator=(ReplyReader&&) noexcept = default;

Expected<std::optional<Reply>> ReplyReader::next() {
  void* built = nullptr;
  if (redisReaderGetReply(state_->reader, &built) != REDIS_OK)
    return fail(
        Errc::corrupt,
        fmt::format("the reply is not Redis's protocol ({}{})", one_line(state_->reader->errstr),
                    state_->elements > most_elements ? ", a list too long" : ""));
  if (built == nullptr) return std::nullopt;
  const std::unique_ptr<Reply> reply(static_cast<Reply*>(built));
  state_->elements = 0;
  state_->fed = state_->reader->len - state_->reader->pos;
  return std::move(*reply);
}

Expected<void> ReplyReader::feed(std::string_view bytes, std::size_t limit) {
  state_->fed += bytes.size();
  if (state_->fed > limit)
    return fail(Errc::corrupt, fmt::format("found a reply of more than {} bytes", limit));
  if (redisReaderFeed(state_->reader, bytes.data(), bytes.size()) != REDIS_OK)
    return fail(Errc::corrupt, "no memory for a reply");
  return {};
}

bool ReplyReader::empty() const { return state_->fed == 0; }

namespace {

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
