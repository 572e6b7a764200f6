#include "store/redis/server.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <system_error>

#include "base/log.hpp"
#include "base/text.hpp"

namespace kiln::redis {
namespace {

using Pass = Breaker::Pass;
using Change = Breaker::Change;

constexpr std::size_t small_reply = 64 << 10;

/// An error reply, as far as people want to read it.
Error error_of(const Reply& reply) {
  const auto code = reply.text.starts_with("WRONGTYPE ") ? Errc::corrupt : Errc::refused;
  return {code, "the server says " + one_line(reply.text.substr(0, 100))};
}

}  // namespace

Server::Server(SharedUrl url, Options options)
    : url_(std::move(url)),
      resolve_(std::move(options.resolve)),
      failures_(options.failures),
      reach_(options.pauses),
      writes_(options.pauses),
      process_(::getpid()) {
  if (url_.host.empty())
    fixed_ = {socket_address(url_.socket)};
  else
    fixed_ = numeric_address(url_.host, url_.port);
}

Server::~Server() {
  if (process_ != ::getpid()) leave_to_parent();
  probe_end_ns_ = 0;
  if (probe_.joinable()) probe_.join();
}

Expected<Reply> Server::call(Use use, Words words, const Deadline& deadline, std::size_t limit) {
  auto turn = begin(use, deadline);
  if (!turn) return tl::unexpected(turn.error());
  auto reply = try_to_converse(turn->connection, words, deadline, limit);
  return end(use, *std::move(turn), std::move(reply));
}

Expected<Reply> Server::try_to_converse(std::unique_ptr<Connection>& connection, Words words,
                                        const Deadline& deadline, std::size_t limit) {
  try {
    return converse(connection, words, deadline, limit);
  } catch (const std::exception& problem) {
    // No memory, mostly. The turn has to come to its end, or nobody would ever try again.
    connection.reset();
    return fail(Errc::io, problem.what());
  }
}

Expected<Server::Turn> Server::begin(Use use, const Deadline& deadline) {
  std::vector<std::unique_ptr<Connection>> stale;  // closed outside the lock
  const std::lock_guard lock(mutex_);
  if (process_ != ::getpid()) leave_to_parent();  // forked without the C library
  const auto now = now_ns();
  Turn turn;
  turn.pass = reach_.ask(now);
  if (turn.pass == Pass::trial && use == Use::read) {
    start_probe(deadline.left());
    turn.pass = Pass::refused;
  }
  if (turn.pass == Pass::refused) return fail(Errc::io, "skipped: " + reach_.state(now));
  if (use == Use::write && (turn.write_pass = writes_.ask(now)) == Pass::refused) {
    reach_.give_back(turn.pass);
    return fail(Errc::io, "skipped: " + writes_.state(now));
  }
  while (!turn.connection && !idle_.empty()) {
    auto& last = idle_.back();
    (last->reusable() ? turn.connection : stale.emplace_back()) = std::move(last);
    idle_.pop_back();
  }
  return turn;
}

void Server::start_probe(std::chrono::nanoseconds bound) {
  // The one before has given its trial back, or this would be no trial: it is at its end.
  if (probe_.joinable()) probe_.join();
  try {
    probe_ = std::thread([this, bound] {
      Turn turn;
      turn.pass = Pass::trial;
      auto reply = try_to_converse(turn.connection, {"PING"},
                                   Deadline(bound).capped_by(probe_end_ns_), small_reply);
      (void)end(Use::read, std::move(turn), std::move(reply));
    });
  } catch (const std::system_error&) {
    reach_.give_back(Pass::trial);  // no thread now; perhaps the next time
  }
}

Expected<Reply> Server::converse(std::unique_ptr<Connection>& connection, Words words,
                                 const Deadline& deadline, std::size_t limit) {
  if (connection) {
    auto reply = connection->call(words, deadline, limit);
    const bool hung_up = !reply && reply.error().code() == Errc::io && !connection->heard();
    // A server may hang up on a connection that was not used for long; that says nothing of it.
    if (!hung_up) return reply;
    connection.reset();
  }
  auto fresh = connect(deadline);
  if (!fresh) return tl::unexpected(fresh.error());
  connection = *std::move(fresh);
  return connection->call(words, deadline, limit);
}

Expected<std::unique_ptr<Connection>> Server::connect(const Deadline& deadline) {
  const auto found = addresses(deadline);
  auto opened = found ? Connection::open(url_, *found, deadline, descriptors_)
                      : Expected<std::unique_ptr<Connection>>(tl::unexpected(found.error()));
  if (!opened) {
    // The host may have moved: ask for its name anew, unless that has not been answered yet.
    const std::lock_guard lock(mutex_);
    if (lookup_ && lookup_->done()) lookup_.reset();
  }
  return opened;
}

Expected<std::vector<Address>> Server::addresses(const Deadline& deadline) {
  if (!fixed_.empty()) return fixed_;
  std::unique_lock lock(mutex_);
  if (!lookup_) lookup_.emplace(url_.host, url_.port, resolve_);
  const NameLookup asked = *lookup_;
  lock.unlock();
  return asked.addresses(deadline);
}

Expected<Reply> Server::end(Use use, Turn turn, Expected<Reply> reply) {
  const bool unreached = !reply;
  if (reply && reply->is(Reply::Type::error)) reply = tl::unexpected(error_of(*reply));
  const std::string reason = reply ? "" : reply.error().message();
  // A key that holds something else says nothing of the server.
  const bool refused = !unreached && !reply && reply.error().code() == Errc::refused;
  const bool lost = unreached || (refused && use == Use::read);
  Change reach, writes = Change::none;
  {
    const std::lock_guard lock(mutex_);
    const auto now = now_ns();
    reach = lost ? reach_.failed(turn.pass, now, reason) : reach_.succeeded(turn.pass);
    if (use == Use::write && unreached) writes_.give_back(turn.write_pass);
    if (use == Use::write && !unreached)
      writes = refused ? writes_.failed(turn.write_pass, now, reason)
                       : writes_.succeeded(turn.write_pass);
    // One that was refused something may have to introduce itself again.
    if (!unreached && !refused && idle_.size() < most_idle && turn.connection->reusable())
      idle_.push_back(std::move(turn.connection));
  }
  note(reach, reason);
  note_writes(writes, reason);
  return reply;
}

bool Server::reachable() {
  const std::lock_guard lock(mutex_);
  return !reach_.open();
}

void Server::note(Change change, const std::string& reason) const {
  if (change == Change::gone)
    log(failures_,
        fmt::format("the shared store {} is skipped for a while: {}", url_.shown(), reason));
  if (change == Change::back)
    log(LogLevel::info, fmt::format("the shared store {} is back", url_.shown()));
}

void Server::note_writes(Change change, const std::string& reason) const {
  if (change == Change::gone)
    log(failures_,
        fmt::format("the shared store {} takes no entries for a while: {}", url_.shown(), reason));
  if (change == Change::back)
    log(LogLevel::info, fmt::format("the shared store {} takes entries again", url_.shown()));
}

void Server::before_fork() {
  mutex_.lock();
  descriptors_.lock();
}

void Server::after_fork() {
  const bool child = process_ != ::getpid();
  if (child) descriptors_.close_all();
  descriptors_.unlock();
  if (child) leave_to_parent();
  mutex_.unlock();
}

void Server::leave_to_parent() {
  process_ = ::getpid();
  idle_.clear();
  reach_.forget_trial();
  writes_.forget_trial();
  // Its thread stayed in the parent. What that thread shares with it is never freed here, since
  // it may hold its lock.
  lookup_.reset();
  // Nobody to join here; the object alone is left.
  if (probe_.joinable()) (void)new std::thread(std::move(probe_));
}

}  // namespace kiln::redis
