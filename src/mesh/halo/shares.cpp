// Reductions over all parts, put off until they are asked for.
#include "mesh/halo/shares.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/clock.hpp"
#include "mesh/model/basics.hpp"

namespace kiln::mesh {
namespace {

using Share = GlobalState::Share;

Share share_of(Access access) {
  return access == Access::inc   ? Share::sum
         : access == Access::min ? Share::least
                                 : Share::greatest;
}

/// What is no number (NaN) stays.
template <class T>
T combined(Share share, T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (share == Share::sum) return a + b;
    if (std::isnan(a)) return a;
    if (std::isnan(b)) return b;
  } else if (share == Share::sum) {
    // Wraps round, as devices do.
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
  return share == Share::least ? std::min(a, b) : std::max(a, b);
}

/// Brings `count` numbers of one part into what the parts before it came to.
void combine(Share share, ScalarType type, std::byte* into, const std::byte* from,
             std::size_t count) {
  with_type(type, [&]<class T>(T) {
    for (std::size_t k = 0; k < count; ++k) {
      T a, b;
      std::memcpy(&a, into + k * sizeof(T), sizeof(T));
      std::memcpy(&b, from + k * sizeof(T), sizeof(T));
      a = combined(share, a, b);
      std::memcpy(into + k * sizeof(T), &a, sizeof(T));
    }
  });
}

}  // namespace

void Shares::begin(GlobalState& global, Access access) {
  const Share share = share_of(access);
  if (global.share == share) return;
  if (global.share != Share::whole || pending_.size() >= most_pending) bring_together();
  // What it was before counts once.
  if (share == Share::sum && session_.transport->rank() != 0) {
    const std::vector<std::byte> zeros(global.data.bytes());
    global.data.overwrite(session_.queue, zeros.data());
  }
  global.share = share;
  auto form = global.data.form();
  form.elements = 0;
  pending_.push_back({&global, global.name, share, Residence(form)});
}

void Shares::bring_together() {
  if (pending_.empty()) return;
  std::string names, details;
  std::vector<std::byte> mine;
  for (Pending& one : pending_) {
    Residence& data = one.values();
    names += (names.empty() ? "" : ", ") + one.name;
    details += fmt::format("{} {} {};", static_cast<int>(one.share), data.bytes(),
                           name_of(data.form().type));
    const std::byte* values = data.on_host(session_.queue, false);
    mine.insert(mine.end(), values, values + data.bytes());
  }
  const std::int64_t start = now_ns();
  const auto all = Agreement(*session_.transport).gather("global " + names, details, mine);
  const std::int64_t end = now_ns();
  ++count_;
  wait_seconds_ += 1e-9 * static_cast<double>(end - start);
  if (session_.options.timeline)
    session_.record({"host", "global " + names, "wait", start, end, {}});
  std::vector<std::byte> result(all.begin(),
                                all.begin() + static_cast<std::ptrdiff_t>(mine.size()));
  for (std::size_t part = mine.size(); part < all.size(); part += mine.size()) {
    std::size_t at = 0;
    for (Pending& one : pending_) {
      const auto& form = one.values().form();
      combine(one.share, form.type, result.data() + at, all.data() + part + at, form.dim);
      at += one.values().bytes();
    }
  }
  std::size_t at = 0;
  auto pending = std::exchange(pending_, {});
  for (Pending& one : pending) {
    if (one.global != nullptr) {
      one.global->data.overwrite(session_.queue, result.data() + at);
      one.global->share = Share::whole;
    }
    at += one.values().bytes();
  }
}

void Shares::forget(const void* global) {
  std::erase_if(pending_, [&](const Pending& one) {
    if (one.global != global) return false;
    one.global->share = Share::whole;
    return true;
  });
}

void Shares::gone(const void* global) {
  for (Pending& one : pending_)
    if (one.global == global) {
      one.data = std::move(one.global->data);
      one.global = nullptr;
    }
}

}  // namespace kiln::mesh
