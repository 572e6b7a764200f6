#include "store/redis/server.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "base/log.hpp"
#include "base/text.hpp"

namespace kiln::redis {
namespace {
double ns(std::chrono::milliseconds time) { return static_cast<double>(time.count()) * 1e6; }
}  // namespace

Breaker::Breaker(Pauses pauses, unsigned seed) : pauses_(pauses), random_(seed) {}

Breaker::Pass Breaker::ask(std::int64_t now_ns) {
  if (!open_) return Pass::normal;
  if (trying_ || now_ns < next_try_ns_) return Pass::refused;
  trying_ = true;
  return Pass::trial;
}

Breaker::Change Breaker::succeeded(Pass pass) {
  // Who set out before it opened says nothing about how things are now.
  if (pass != Pass::trial) return Change::none;
  open_ = trying_ = false;
  pause_ns_ = 0;
  reason_.clear();
  return Change::back;
}

Breaker::Change Breaker::failed(Pass pass, std::int64_t now_ns, const std::string& reason) {
  // Of many that set out together and fail together, the first counts.
  if (open_ && pass != Pass::trial) return Change::none;
  const Change change = open_ ? Change::none : Change::gone;
  pause_ns_ = open_ ? std::min(pause_ns_ * 2, ns(pauses_.longest)) : ns(pauses_.first);
  std::uniform_real_distribution<double> around(1 - pauses_.jitter, 1 + pauses_.jitter);
  next_try_ns_ = now_ns + static_cast<std::int64_t>(pause_ns_ * around(random_));
  open_ = true;
  trying_ = false;
  reason_ = reason;
  return change;
}

void Breaker::give_back(Pass pass) {
  if (pass == Pass::trial) trying_ = false;
}

std::string Breaker::state(std::int64_t now_ns) const {
  if (trying_) return reason_ + "; it is being tried again";
  const double seconds =
      static_cast<double>(std::max<std::int64_t>(next_try_ns_ - now_ns, 0)) * 1e-9;
  return fmt::format("{}; next try in {:.{}f} s", reason_, seconds, seconds < 10 ? 1 : 0);
}

namespace {

Expected<std::vector<Address>> look_up(const std::string& host, std::uint16_t port, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (error != 0) return fail(Errc::io, fmt::format("name: {}", ::gai_strerror(error)));
  std::vector<Address> addresses;
  for (const addrinfo* one = list; one != nullptr; one = one->ai_next) {
    Address address;
    address.size = one->ai_addrlen;
    std::memcpy(&address.bytes, one->ai_addr, one->ai_addrlen);
    addresses.push_back(address);
  }
  ::freeaddrinfo(list);
  return addresses;
}

}  // namespace

Expected<std::vector<Address>> resolve_by_system(const std::string& host, std::uint16_t port) {
  return look_up(host, port, AI_ADDRCONFIG);
}

std::vector<Address> numeric_address(const std::string& host, std::uint16_t port) {
  return look_up(host, port, AI_NUMERICHOST).value_or(std::vector<Address>());
}

Address socket_address(const std::string& path) {
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  std::memcpy(local.sun_path, path.c_str(), std::min(path.size(), sizeof local.sun_path - 1));
  Address address;
  address.size = sizeof local;
  std::memcpy(&address.bytes, &local, sizeof local);
  return address;
}

struct NameLookup::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Expected<std::vector<Address>>> answer;

  void set(Expected<std::vector<Address>> found) {
    const std::lock_guard lock(mutex);
    answer = std::move(found);
    changed.notify_all();
  }
};

NameLookup::NameLookup(const std::string& host, std::uint16_t port, const Resolve& resolve)
    : state_(std::make_shared<State>()) {
  try {
    std::thread([state = state_, host, port, resolve] {
      try {
        state->set(resolve(host, port));
      } catch (const std::exception& problem) {
        state->set(fail(Errc::io, fmt::format("name: {}", problem.what())));
      }
    }).detach();
  } catch (const std::system_error& error) {
    state_->set(fail(Errc::io, fmt::format("name: no thread: {}", error.what())));
  }
}

Expected<std::vector<Address>> NameLookup::addresses(const Deadline& deadline) const {
  std::unique_lock lock(state_->mutex);
  while (!state_->answer && !deadline.over()) state_->changed.wait_for(lock, deadline.next_look());
  if (!state_->answer) return fail(Errc::timeout, "name: no answer in time");
  return *state_->answer;
}

bool NameLookup::done() const {
  const std::lock_guard lock(state_->mutex);
  return state_->answer.has_value();
}

namespace {

using Pass = Breaker::Pass;
using Change = Breaker::Change;

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
