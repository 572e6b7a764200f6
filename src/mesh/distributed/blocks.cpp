// Blocks of rows, look-ups of numbers, and the directory of owners that blocks are.
#include "mesh/distributed/blocks.hpp"

#include <algorithm>
#include <bit>

#include "mesh/distributed/mail.hpp"

namespace kiln::mesh {

int Blocks::rank_of(std::int64_t number) const {
  return static_cast<int>(std::upper_bound(starts.begin(), starts.end(), number) - starts.begin()) -
         1;
}

NumberIndex::NumberIndex(std::span<const std::int64_t> rising) : list_(rising) {
  if (list_.empty()) return;
  least_ = list_.front();
  const auto range = static_cast<std::uint64_t>(list_.back() - least_);
  while ((range >> shift_) > list_.size()) ++shift_;
  starts_.assign((range >> shift_) + 2, 0);
  for (const std::int64_t number : list_)
    ++starts_[(static_cast<std::uint64_t>(number - least_) >> shift_) + 1];
  for (std::size_t at = 1; at < starts_.size(); ++at) starts_[at] += starts_[at - 1];
}

std::ptrdiff_t NumberIndex::find(std::int64_t number) const {
  if (list_.empty() || number < least_ || number > list_.back()) return -1;
  const auto bucket =
      static_cast<std::size_t>(static_cast<std::uint64_t>(number - least_) >> shift_);
  const auto begin = list_.begin() + starts_[bucket], end = list_.begin() + starts_[bucket + 1];
  const auto at = std::lower_bound(begin, end, number);
  return at != end && *at == number ? at - list_.begin() : -1;
}

void make_rising(std::vector<std::int64_t>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

std::vector<std::int32_t> look_up(Transport& transport, const Blocks& blocks,
                                  std::span<const std::int64_t> numbers,
                                  std::span<const std::int32_t> mine) {
  Outbox<std::int64_t> questions;
  for (std::size_t at = 0; at < numbers.size();) {
    // Those of a block lie together, as numbers rise.
    const int rank = blocks.rank_of(numbers[at]);
    const auto end = std::lower_bound(numbers.begin() + static_cast<std::ptrdiff_t>(at),
                                      numbers.end(), blocks.first(rank + 1));
    questions.box(rank).assign(numbers.begin() + static_cast<std::ptrdiff_t>(at), end);
    at = static_cast<std::size_t>(end - numbers.begin());
  }
  Outbox<std::int32_t> answers;
  const std::int64_t first = blocks.first(transport.rank());
  for (const auto& [rank, asked] : questions.deliver(transport, "questions for owners"))
    for (const std::int64_t number : asked)
      answers.add(rank, mine[static_cast<std::size_t>(number - first)]);
  std::vector<std::int32_t> known;
  known.reserve(numbers.size());
  for (const auto& [rank, told] : answers.deliver(transport, "owners"))
    known.insert(known.end(), told.begin(), told.end());
  return known;
}

}  // namespace kiln::mesh
