#include "store/redis/client.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <unistd.h>

#include <algorithm>

#include "base/data/text.hpp"
#include "base/lifetime.hpp"
#include "store/layer/layer.hpp"

namespace kiln::redis {
namespace {
using Pass = Breaker::Pass;
using Change = Breaker::Change;
}  // namespace

Expected<Addresses> resolve_by_system(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* list = nullptr;
  const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &list);
  if (error != 0) return fail(Errc::io, fmt::format("name: {}", ::gai_strerror(error)));
  Addresses addresses;
  for (const addrinfo* one = list; one != nullptr; one = one->ai_next) {
    char number[NI_MAXHOST];
    if (::getnameinfo(one->ai_addr, one->ai_addrlen, number, sizeof number, nullptr, 0,
                      NI_NUMERICHOST) == 0)
      addresses.emplace_back(number);
  }
  ::freeaddrinfo(list);
  return addresses;
}

namespace {

bool is_number(const std::string& host) {
  in6_addr unused;
  return ::inet_pton(AF_INET, host.c_str(), &unused) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), &unused) == 1;
}

/// In a thread of its own, which goes on when no caller waits any more: getaddrinfo has no time-out
/// and cannot be stopped, and hiredis would call it in the thread of a look-up, whatever time-out
/// it is given.
std::shared_future<Expected<Addresses>> look_up(const std::string& host, const Resolve& resolve) {
  std::promise<Expected<Addresses>> answer;
  auto found = answer.get_future().share();
  const SignalsBlocked blocked;
  std::thread([host, resolve, answer = std::move(answer)]() mutable {
    answer.set_value(guarded([&] { return resolve(host); }));
  }).detach();
  return found;
}

constexpr std::chrono::seconds no_time{0};

/// What the server said no to.
Error error_of(std::string_view text) {
  const auto code = text.starts_with("WRONGTYPE ") ? Errc::corrupt : Errc::refused;
  return {code, "the server says " + one_line(text.substr(0, 100))};
}

}  // namespace

Client::Client(SharedUrl url, Options options, LogLevel failures)
    : url_(std::move(url)),
      resolve_(std::move(options.resolve)),
      failures_(failures),
      reach_(options.pauses),
      writes_(options.pauses),
      process_(::getpid()) {
  idle_.reserve(most_idle);
}

Client::~Client() {
  end_ns_ = 0;
  if (probe_.joinable()) probe_.join();
}

void Client::end_within(std::chrono::milliseconds bound) {
  // Those who wait notice it at their next look.
  const std::chrono::nanoseconds rest = bound;
  end_ns_ = now_ns() + std::max<std::int64_t>((rest - Deadline::slice()).count(), 0);
}

Expected<Reply> Client::call(Use use, Words words, const Deadline& deadline, std::size_t limit) {
  // A server that is not asked any more must not be taken for one that does not answer.
  if (has_ended()) return fail(Errc::timeout, "timed out before the request was sent");
  Pass pass, write_pass = Pass::normal;
  {
    const std::lock_guard lock(mutex_);
    const auto now = now_ns();
    pass = reach_.ask(now);
    if (pass == Pass::trial && use == Use::read) {
      start_probe(deadline.left());
      pass = Pass::refused;
    }
    if (pass == Pass::refused) return fail(Errc::io, "skipped: " + reach_.state(now));
    if (use == Use::write) write_pass = writes_.ask(now);
    if (write_pass == Pass::refused) return fail(Errc::io, "skipped: " + writes_.state(now));
  }
  return judged(use, pass, write_pass,
                guarded([&] { return converse(words, deadline.capped_by(end_ns_), limit); }));
}

void Client::start_probe(std::chrono::nanoseconds bound) {
  if (probing_) return;
  if (probe_.joinable()) probe_.join();  // the one before, which is at its end
  try {
    const SignalsBlocked blocked;
    probe_ = std::thread([this, bound] {
      // What it throws is the log's sink.
      (void)guarded([&] {
        return judged(Use::read, Pass::trial, Pass::normal, guarded([&] {
                        return converse({"PING"}, Deadline(bound).capped_by(end_ns_), small_reply);
                      }));
      });
      const std::lock_guard lock(mutex_);
      probing_ = false;
    });
    probing_ = true;
  } catch (const std::system_error&) {
    // No thread now; perhaps the next time.
  }
}

Expected<Reply> Client::converse(Words words, const Deadline& deadline, std::size_t limit) {
  if (const auto used = lend_idle()) {
    auto reply = used->call(words, deadline, limit);
    // A server may hang up on a connection that was not used for long; that says nothing of it.
    if (reply || reply.error().code() != Errc::io) return reply;
  }
  const auto fresh = connect(deadline);
  if (!fresh) return tl::unexpected(fresh.error());
  return (*fresh)->call(words, deadline, limit);
}

Client::Lent Client::lend_idle() {
  const std::lock_guard lock(mutex_);
  while (!idle_.empty()) {
    auto last = std::move(idle_.back());
    idle_.pop_back();
    if (!last->reusable()) continue;
    lent_.insert(last.get());
    return {last.release(), {this}};
  }
  return {nullptr, {this}};
}

Client::Lent Client::lend_new(const std::string& address) {
  // Under the lock, so that no fork() falls between hiredis's socket and what closes it there.
  const std::lock_guard lock(mutex_);
  auto fresh = std::make_unique<Connection>(url_, address);
  lent_.insert(fresh.get());
  return {fresh.release(), {this}};
}

void Client::take_back(Connection* connection) {
  const std::lock_guard lock(mutex_);
  lent_.erase(connection);
  std::unique_ptr<Connection> back(connection);
  if (keeps_ && idle_.size() < most_idle && back->reusable()) idle_.push_back(std::move(back));
}

Expected<Client::Lent> Client::connect(const Deadline& deadline) {
  const auto found = addresses(deadline);
  Error last = found ? Error(Errc::io, "name: no address") : found.error();
  // Each gets its share of the time, so that one that swallows everything does not hide the next.
  for (std::size_t at = 0; found && at < found->size(); ++at) {
    Lent fresh = lend_new((*found)[at]);
    const auto share = deadline.left() / (found->size() - at);
    const auto opened = fresh->open(url_, Deadline(share).capped_by(end_ns_));
    if (opened) return fresh;
    last = opened.error();
  }
  // The host may have moved: ask for its name anew, unless that has not been answered yet.
  const std::lock_guard lock(mutex_);
  if (lookup_.valid() && lookup_.wait_for(no_time) == std::future_status::ready) lookup_ = {};
  return tl::unexpected(last);
}

Expected<Addresses> Client::addresses(const Deadline& deadline) {
  if (url_.host.empty() || is_number(url_.host)) return Addresses{url_.host};
  std::unique_lock lock(mutex_);
  if (!lookup_.valid()) lookup_ = look_up(url_.host, resolve_);
  const auto asked = lookup_;
  lock.unlock();
  // Late, the answer serves a later caller.
  while (!deadline.over())
    if (asked.wait_for(deadline.next_look()) == std::future_status::ready) return asked.get();
  return fail(Errc::timeout, "name: no answer in time");
}

Expected<Reply> Client::judged(Use use, Pass pass, Pass write_pass, Expected<Reply> reply) {
  const bool unreached = !reply;
  if (reply && (*reply)->type == REDIS_REPLY_ERROR)
    reply = tl::unexpected(error_of(text_of(**reply)));
  const std::string reason = reply ? "" : reply.error().message();
  // A key that holds something else says nothing of the server.
  const bool refused = !unreached && !reply && reply.error().code() == Errc::refused;
  Change reach, writes = Change::none;
  {
    const std::lock_guard lock(mutex_);
    const auto now = now_ns();
    const bool lost = unreached || (refused && use == Use::read);
    reach = lost ? reach_.failed(pass, now, reason) : reach_.succeeded(pass);
    if (use == Use::write && !unreached)
      writes = refused ? writes_.failed(write_pass, now, reason) : writes_.succeeded(write_pass);
  }
  note(reach, "is skipped for a while", "is back", reason);
  note(writes, "takes no entries for a while", "takes entries again", reason);
  return reply;
}

bool Client::reachable() {
  const std::lock_guard lock(mutex_);
  return !reach_.open();
}

void Client::note(Change change, std::string_view gone, std::string_view back,
                  const std::string& reason) const {
  if (change == Change::gone)
    log(failures_, fmt::format("the shared store {} {}: {}", url_.shown(), gone, reason));
  if (change == Change::back)
    log(LogLevel::info, fmt::format("the shared store {} {}", url_.shown(), back));
}

void Client::keep_no_connections() {
  const std::lock_guard lock(mutex_);
  keeps_ = false;
  idle_.clear();
}

void Client::after_fork() {
  if (std::exchange(process_, ::getpid()) != ::getpid()) {
    // The others' contexts may be in the middle of a change: they are left as they are, and so is
    // what their threads share, which stayed in the parent.
    for (const auto* connection : lent_) ::close(connection->descriptor());
    lent_.clear();
    idle_.clear();
    lookup_ = {};
    probing_ = false;
    if (probe_.joinable()) (void)new std::thread(std::move(probe_));
  }
  mutex_.unlock();
}

}  // namespace kiln::redis
