// Exchanges of halos through a Mesh's Transport.
#include "mesh/halo/exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <numeric>
#include <utility>

#include "base/clock.hpp"

namespace kiln::mesh {

/// The messages for some Dats.
struct Exchange::Route {
  MessageLayout out, in;
  std::string what;
  std::vector<Transport::Message> sends, receives;
  std::vector<std::size_t> dat_messages, dat_bytes;  ///< outward, by read
  std::unique_ptr<DeviceStaging> gather, scatter;    ///< null: the host does it
};

Exchange::Exchange(Session& session, std::vector<HaloRead> reads, std::string what)
    : session_(session), reads_(std::move(reads)), what_(std::move(what)) {
  for (const HaloRead& read : reads_) {
    by_dat_.push_back({read.dat->name});
    auto& first = first_sent_.emplace_back(read.dat->data.form().elements);
    for (const HaloNeighbour& neighbour : read.halo->neighbours)
      for (const std::int32_t element : neighbour.exports)
        first = std::min(first, static_cast<std::size_t>(element));
  }
  if (session.checks_halos) check_ = std::make_unique<HaloCheck>(session, reads_, what_);
}

Exchange::~Exchange() = default;

/// Whether some Dat is in a device's own memory.
bool Exchange::is_staged() {
  return session_.stages_halos || std::ranges::any_of(reads_, [&](const HaloRead& read) {
           read.dat->data.on_device(session_.queue);
           return !read.dat->data.is_shared();
         });
}

Exchange::Route& Exchange::route_for(const std::vector<std::size_t>& stale) {
  auto& known = routes_[stale];
  if (known) return *known;
  using Way = MessageLayout::Way;
  const bool staged = is_staged();
  std::vector<std::size_t> all(reads_.size());
  std::iota(all.begin(), all.end(), 0);
  // For all of them, so that there is room for any.
  const std::size_t room_out = MessageLayout(reads_, all, Way::out).bytes,
                    room_in = MessageLayout(reads_, all, Way::in).bytes;
  if (staged && out_ == nullptr) {
    auto out =
        std::make_unique<DeviceStaging::Memory>(session_.queue, session_.transfers(), room_out);
    in_ = std::make_unique<DeviceStaging::Memory>(session_.queue, session_.transfers(), room_in);
    out_ = std::move(out);
  } else if (!staged && host_out_.empty()) {
    host_out_ = HostArray::undefined(std::max<std::size_t>(room_out, 1));
    host_in_ = HostArray::undefined(std::max<std::size_t>(room_in, 1));
  }
  auto made = std::make_unique<Route>(
      Route{MessageLayout(reads_, stale, Way::out), MessageLayout(reads_, stale, Way::in)});
  Route& route = *made;
  std::string names;
  for (const std::size_t read : stale)
    names += (names.empty() ? "" : ", ") + reads_[read].dat->name;
  route.what = fmt::format("halo of {} before {}", names, what_);
  std::byte* const out = staged ? out_->host.data() : host_out_.data();
  std::byte* const in = staged ? in_->host.data() : host_in_.data();
  for (const auto& message : route.out.messages)
    route.sends.push_back({message.rank, {out + message.at, message.bytes}});
  for (const auto& message : route.in.messages)
    route.receives.push_back({message.rank, {in + message.at, message.bytes}});
  route.dat_messages.resize(reads_.size());
  route.dat_bytes.resize(reads_.size());
  for (const auto& segment : route.out.segments) {
    ++route.dat_messages[segment.read];
    route.dat_bytes[segment.read] += segment.elements.size() * row_bytes(*reads_[segment.read].dat);
  }
  if (staged) {
    route.gather = std::make_unique<DeviceStaging>(session_, reads_, route.out, Way::out, *out_);
    route.scatter = std::make_unique<DeviceStaging>(session_, reads_, route.in, Way::in, *in_);
  }
  known = std::move(made);
  return route;
}

void Exchange::stamp(double Phases::*phase) {
  const std::int64_t now = now_ns();
  phases_.*phase += static_cast<double>(now - last_stamp_) * 1e-9;
  last_stamp_ = now;
}

std::optional<std::size_t> Exchange::first_sent(const DatState& dat) const {
  const auto read = std::ranges::find(reads_, &dat, &HaloRead::dat);
  if (read == reads_.end()) return std::nullopt;
  return first_sent_[static_cast<std::size_t>(read - reads_.begin())];
}

void Exchange::begin_early(const Queue& queue, Where where) {
  const bool is_stale = std::ranges::any_of(
      reads_, [](const HaloRead& read) { return !read.halo->is_fresh(*read.dat); });
  if (is_stale && is_staged()) {
    begin(queue, where);
    ++early_begins_;
  }
}

bool Exchange::is_bringing(const DatState& dat) const {
  return present_ != nullptr &&
         std::ranges::any_of(stale_, [&](std::size_t read) { return reads_[read].dat == &dat; });
}

bool Exchange::begin(const Queue& queue, Where where) {
  if (present_ != nullptr) return true;
  where_ = where;
  stale_.clear();
  start_ns_ = now_ns();
  if (check_) check_->note();
  for (std::size_t i = 0; i < reads_.size(); ++i)
    if (!reads_[i].halo->is_fresh(*reads_[i].dat)) stale_.push_back(i);
  if (stale_.empty()) {
    if (check_) check_->compare();
    return false;
  }
  last_stamp_ = now_ns();
  // Before anything is on its way: what the host writes to a Dat goes to the device as a whole.
  if (session_.options.check)
    for (const std::size_t read : stale_) poison(*reads_[read].dat);
  Route& route = route_for(stale_);
  for (const std::size_t read : stale_) reads_[read].dat->data.on_device(queue);
  if (route.gather != nullptr) {
    // With a queue of its own it has time until more is enqueued for the device to do.
    if (where_ == Where::next_to_loops)
      computed_ = DeviceStaging::end_of(queue);
    else
      route.gather->gather(queue, where_, {});
  } else {
    std::vector<const std::byte*> memory(reads_.size());
    for (const auto& segment : route.out.segments) {
      DatState& dat = *reads_[segment.read].dat;
      auto& from = memory[segment.read];
      if (from == nullptr) from = dat.data.shared(queue);
      gather_rows(dat, from, segment.elements, host_out_.data() + segment.at);
    }
    session_.transport->start(route.receives, route.sends, route.what);
    is_started_ = true;
  }
  present_ = &route;
  seconds_ = 1e-9 * static_cast<double>(now_ns() - start_ns_);
  stamp(&Phases::begin);
  return true;
}

void Exchange::depart(const Queue& queue) {
  if (present_ == nullptr || !computed_) return;
  present_->gather->gather(queue, where_, *std::exchange(computed_, std::nullopt));
}

void Exchange::send(const Queue& queue) {
  Route& route = *present_;
  depart(queue);
  stamp(&Phases::core);
  if (route.gather == nullptr) return;
  const Stopwatch watch;
  in_->wait();
  out_->wait();
  stamp(&Phases::gathered);
  session_.transport->start(route.receives, route.sends, route.what);
  is_started_ = true;
  seconds_ += watch.seconds();
  stamp(&Phases::sent);
}

void Exchange::finish(const Queue& queue) {
  Route& route = *present_;
  // What computes in the host's memory does so on the host's cores: this thread leaves them to it,
  // as long as there is something to compute, rather than look for messages there.
  if (queue.device()->host_memory) check_cl(::clFinish(queue.cl()()), "clFinish");
  const std::int64_t wait_start = now_ns();
  session_.transport->finish(route.what);
  is_started_ = false;
  const std::int64_t wait_end = now_ns();
  stamp(&Phases::arrived);
  if (route.scatter != nullptr) {
    // Where this part has sent something, what was on the loops' queue when this began has ended.
    // What came since reads no copy that is stale, and others get the values that they have.
    if (route.out.bytes == 0) where_ = Where::with_loops;
    route.scatter->scatter(queue, where_);
    for (const auto& segment : route.in.segments) reads_[segment.read].dat->data.device_writes();
  } else {
    for (const auto& segment : route.in.segments) {
      DatState& dat = *reads_[segment.read].dat;
      // Not shared(): what kernels do to other elements meanwhile is nothing to wait for.
      scatter_rows(dat, dat.data.shared_memory(), segment.elements, host_in_.data() + segment.at);
      dat.data.was_written();
    }
  }
  for (const std::size_t read : stale_) reads_[read].halo->brought(*reads_[read].dat);
  count(route, wait_start, wait_end);
  present_ = nullptr;
  stamp(&Phases::scattered);
  if (check_) check_->compare();
}

void Exchange::give_up() noexcept {
  const Route* const given_up = std::exchange(present_, nullptr);
  computed_.reset();
  if (!std::exchange(is_started_, false)) return;
  try {
    session_.transport->finish(given_up != nullptr ? given_up->what : what_);
  } catch (const std::exception&) {
    // What has failed before is the error.
  }
}

void Exchange::count(const Route& route, std::int64_t wait_start, std::int64_t wait_end) {
  const std::int64_t now = now_ns();
  const double waited = 1e-9 * static_cast<double>(wait_end - wait_start);
  seconds_ += 1e-9 * static_cast<double>(now - wait_start);
  const auto add = [&](HaloTraffic& to, std::size_t messages, std::size_t bytes) {
    ++to.exchanges;
    to.messages += messages;
    to.bytes += bytes;
    to.wait_seconds += waited;
    to.seconds += seconds_;
  };
  add(total_, route.sends.size(), route.out.bytes);
  for (const std::size_t read : stale_)
    add(by_dat_[read], route.dat_messages[read], route.dat_bytes[read]);
  if (!session_.options.timeline) return;
  session_.record({"messages", route.what, "exchange", start_ns_, now, {}});
  session_.record({"host", route.what, "wait", wait_start, wait_end, {}});
}

void Exchange::refresh(const Queue& queue) {
  const GiveUpOnFailure on_failure(this);
  if (!begin(queue, Where::with_loops)) return;
  send(queue);
  finish(queue);
}

void Exchange::clear_counts() {
  total_ = {};
  phases_ = {};
  for (HaloTraffic& counts : by_dat_) counts = {counts.dat};
}

}  // namespace kiln::mesh
