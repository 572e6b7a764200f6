#include "layer/measure/statistics.hpp"

#include <algorithm>

namespace kiln::layer::measure {

void Times::add(std::int64_t ns) {
  least_ = count_ == 0 ? ns : std::min(least_, ns);
  most_ = std::max(most_, ns);
  total_ += ns;
  ++count_;
  if (sample_.size() < sample_size) {
    sample_.push_back(ns);
    return;
  }
  random_ ^= random_ << 13, random_ ^= random_ >> 7, random_ ^= random_ << 17;
  const std::uint64_t place = random_ % count_;
  if (place < sample_size) sample_[place] = ns;
}

std::int64_t Times::median() const {
  if (sample_.empty()) return 0;
  std::vector<std::int64_t> sorted = sample_;
  const std::size_t half = sorted.size() / 2;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(half);
  std::nth_element(sorted.begin(), middle, sorted.end());
  if (sorted.size() % 2 != 0) return *middle;
  const std::int64_t below = *std::max_element(sorted.begin(), middle);
  return below + (*middle - below) / 2;
}

void SizesSeen::add(const LaunchSizes& sizes) {
  ++calls_;
  if (last_ >= seen_.size() || seen_[last_].sizes != sizes) {
    const auto found = std::find_if(seen_.begin(), seen_.end(),
                                    [&](const Seen& seen) { return seen.sizes == sizes; });
    if (found == seen_.end() && seen_.size() == most_kept) return;
    last_ = static_cast<std::size_t>(found - seen_.begin());
    if (found == seen_.end()) seen_.push_back({sizes, 0});
  }
  ++seen_[last_].calls;
}

std::vector<SizesSeen::Seen> SizesSeen::most_frequent(std::size_t most) const {
  std::vector<Seen> sorted = seen_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Seen& a, const Seen& b) { return a.calls > b.calls; });
  if (sorted.size() > most) sorted.resize(most);
  return sorted;
}

}  // namespace kiln::layer::measure
