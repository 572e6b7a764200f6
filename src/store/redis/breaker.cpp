#include "store/redis/breaker.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::redis {
namespace {

double ns(std::chrono::milliseconds time) { return static_cast<double>(time.count()) * 1e6; }
}  // namespace

Breaker::Pass Breaker::ask(std::int64_t now_ns) {
  if (!open_) return Pass::normal;
  if (now_ns < next_try_ns_) return Pass::refused;
  pause_from(now_ns);
  return Pass::trial;
}

Breaker::Change Breaker::succeeded(Pass pass) {
  // Who set out before it opened says nothing about how things are now.
  if (pass != Pass::trial) return Change::none;
  open_ = false;
  return Change::back;
}

Breaker::Change Breaker::failed(Pass pass, std::int64_t now_ns, const std::string& reason) {
  // Of many that set out together and fail together, the first counts.
  if (open_ && pass != Pass::trial) return Change::none;
  const Change change = open_ ? Change::none : Change::gone;
  pause_ns_ = open_ ? std::min(pause_ns_ * 2, ns(pauses_.longest)) : ns(pauses_.first);
  pause_from(now_ns);
  open_ = true;
  reason_ = reason;
  return change;
}

void Breaker::pause_from(std::int64_t now_ns) {
  std::uniform_real_distribution<double> around(1 - pauses_.jitter, 1 + pauses_.jitter);
  next_try_ns_ = now_ns + static_cast<std::int64_t>(pause_ns_ * around(random_));
}

std::string Breaker::state(std::int64_t now_ns) const {
  const double seconds =
      static_cast<double>(std::max<std::int64_t>(next_try_ns_ - now_ns, 0)) * 1e-9;
  return fmt::format("{}; next try in {:.{}f} s", reason_, seconds, seconds < 10 ? 1 : 0);
}

}  // namespace kiln::redis
