#include "store/redis/connection.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <new>
#include <system_error>
#include <vector>

#include "base/data/text.hpp"

namespace kiln::redis {
namespace {

Error system_error(std::string_view what, int number) {
  return {Errc::io, fmt::format("{}: {}", what, std::generic_category().message(number))};
}

/// Lists in lists. No reply of ours has more than two; hiredis bounds them before 1.0 only (at 7),
/// and frees a reply by recursion.
constexpr int most_depth = 7;

int depth_of(const redisReadTask* task) {
  int depth = 0;
  while (depth <= most_depth && (task = task->parent) != nullptr) ++depth;
  return depth;
}

/// Lists are made by what stood at `create`, but for bounds: a few bytes can announce two thousand
/// million elements, for which hiredis would allocate. It counts in int, and in size_t from 1.0 on.
template <class Count>
void bound_lists(void* (*&create)(const redisReadTask*, Count)) {
  static const auto create_array = create;
  create = [](const redisReadTask* task, Count size) -> void* {
    auto& seen = *static_cast<std::size_t*>(task->privdata);
    const bool fits =
        size >= Count{} && (seen += static_cast<std::size_t>(size)) <= Connection::most_elements;
    return fits && depth_of(task) < most_depth ? create_array(task, size) : nullptr;
  };
}

/// hiredis's functions that build a reply, with a bound on lists.
redisReplyObjectFunctions* bounded(const redisReplyObjectFunctions& own) {
  static redisReplyObjectFunctions functions = [&] {
    auto made = own;
    bound_lists(made.createArray);
    return made;
  }();
  return &functions;
}

/// What the server says against us, without what we told it: an old server repeats the words of a
/// command that it does not know, the password among them.
Error refusal(std::string_view what, const redisReply& reply) {
  const auto text = text_of(reply);
  const auto word = one_line(text.substr(0, std::min<std::size_t>(text.find(' '), 20)));
  return {Errc::refused, fmt::format("{}: the server says {}", what, word)};
}

}  // namespace

Connection::Connection(const SharedUrl& url, const std::string& address)
    : context_(url.host.empty() ? redisConnectUnixNonBlock(url.socket.c_str())
                                : redisConnectNonBlock(address.c_str(), url.port)) {
  if (!context_) throw std::bad_alloc();
  context_->reader->fn = bounded(*context_->reader->fn);
  context_->reader->privdata = &elements_;
  if (context_->err != 0) return;
  ::fcntl(context_->fd, F_SETFD, FD_CLOEXEC);
  // So that a host which vanished is known before a look-up waits for it.
  if (!url.host.empty()) redisEnableKeepAlive(context_.get());
}

Error Connection::failure(std::string_view what) const {
  return {Errc::io, fmt::format("{}: {}", what, one_line(context_->errstr))};
}

Expected<void> Connection::wait(short events, const Deadline& deadline,
                                std::string_view what) const {
  while (!deadline.over()) {
    const auto look = deadline.next_look().count();
    const timespec time{static_cast<time_t>(look / 1'000'000'000), look % 1'000'000'000};
    pollfd poll{context_->fd, events, 0};
    const int ready = ::ppoll(&poll, 1, &time, nullptr);
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return tl::unexpected(system_error(what, errno));
  }
  return fail(Errc::timeout, fmt::format("{}: no answer in time", what));
}

Expected<void> Connection::open(const SharedUrl& url, const Deadline& deadline) {
  if (context_->err != 0) return tl::unexpected(failure("connect"));
  if (auto ready = wait(POLLOUT, deadline, "connect"); !ready) return ready;
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(context_->fd, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return tl::unexpected(system_error("connect", error));
  // All in one piece: each wait for a reply would cost a way to the server and back.
  std::vector<std::string_view> steps;
  if (!url.password.empty()) {
    url.user.empty() ? append({"AUTH", url.password}) : append({"AUTH", url.user, url.password});
    steps.emplace_back("password");
  }
  if (url.database != 0) {
    append({"SELECT", std::to_string(url.database)});
    steps.emplace_back("database");
  }
  if (auto sent = send(deadline); !sent) return sent;
  for (const auto step : steps) {
    const auto reply = receive(deadline, small_reply);
    if (!reply) return tl::unexpected(reply.error());
    if ((*reply)->type != REDIS_REPLY_STATUS) return tl::unexpected(refusal(step, **reply));
  }
  return {};
}

Expected<Reply> Connection::call(Words words, const Deadline& deadline, std::size_t limit) {
  in_step_ = false;
  append(words);
  if (auto sent = send(deadline); !sent) return tl::unexpected(sent.error());
  auto reply = receive(deadline, limit);
  in_step_ = reply && (*reply)->type != REDIS_REPLY_ERROR;
  return reply;
}

void Connection::append(Words words) {
  std::vector<const char*> texts;
  std::vector<std::size_t> sizes;
  for (const auto word : words) {
    texts.push_back(word.data());
    sizes.push_back(word.size());
  }
  char* command = nullptr;
  const auto size =  // int, long long from hiredis 1.0 on
      redisFormatCommandArgv(&command, static_cast<int>(texts.size()), texts.data(), sizes.data());
  // hiredis counts in int: what would overflow it is refused before it gets here (RedisStore).
  if (size < 0) throw std::bad_alloc();
  commands_.append(command, static_cast<std::size_t>(size));
  redisFreeCommand(command);
}

/// In place of redisBufferWrite, which raises SIGPIPE where the server has hung up, and moves all
/// that is left after each piece.
Expected<void> Connection::send(const Deadline& deadline) {
  std::string_view left = commands_;
  while (!left.empty()) {
    if (auto ready = wait(POLLOUT, deadline, "send"); !ready) return ready;
    const ssize_t sent = ::send(context_->fd, left.data(), left.size(), MSG_NOSIGNAL);
    if (sent >= 0)
      left.remove_prefix(static_cast<std::size_t>(sent));
    else if (errno != EINTR && errno != EAGAIN)
      return tl::unexpected(system_error("send", errno));
  }
  // Freed: a connection is kept for long, and a command may have been large.
  commands_ = std::string();
  return {};
}

Expected<Reply> Connection::receive(const Deadline& deadline, std::size_t limit) {
  redisReader* const reader = context_->reader;
  elements_ = 0;
  for (std::size_t arrived = 0;;) {
    void* built = nullptr;
    if (redisReaderGetReply(reader, &built) != REDIS_OK)
      return fail(Errc::corrupt,
                  fmt::format("the reply is not Redis's protocol ({}{})", one_line(reader->errstr),
                              elements_ > most_elements ? ", a list too long" : ""));
    if (built != nullptr) return Reply(static_cast<redisReply*>(built));
    if (arrived > limit)
      return fail(Errc::corrupt, fmt::format("found a reply of more than {} bytes", limit));
    if (auto ready = wait(POLLIN, deadline, "reply"); !ready) return tl::unexpected(ready.error());
    const std::size_t before = reader->len;
    if (redisBufferRead(context_.get()) != REDIS_OK) return tl::unexpected(failure("reply"));
    arrived += reader->len - before;
  }
}

bool Connection::reusable() const {
  pollfd poll{context_->fd, POLLIN | POLLRDHUP, 0};
  return in_step_ && context_->reader->len == context_->reader->pos && ::poll(&poll, 1, 0) == 0;
}

}  // namespace kiln::redis
