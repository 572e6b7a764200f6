#include "tune/space/component.hpp"

#include <algorithm>
#include <bit>

namespace kiln::tune {

Component::Component(std::vector<std::size_t> parameters)
    : parameters_(std::move(parameters)), columns_(parameters_.size()) {}

void Component::add(std::span<const std::uint16_t> positions) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    columns_[i].push_back(positions[parameters_[i]]);
  }
}

bool Component::index() {
  for (auto& column : columns_) column.shrink_to_fit();
  // At most half full, so that probes stay short.
  slots_.assign(std::bit_ceil(2 * rows() + 2), 0);
  const std::size_t highest =
      parameters_.empty() ? 0 : *std::max_element(parameters_.begin(), parameters_.end());
  std::vector<std::uint16_t> positions(highest + 1);
  for (std::size_t row = 0; row < rows(); ++row) {
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      positions[parameters_[i]] = columns_[i][row];
    std::uint32_t& slot = slots_[slot_of(positions)];
    if (slot != 0) return false;
    slot = static_cast<std::uint32_t>(row + 1);
  }
  return true;
}

std::optional<std::size_t> Component::find(std::span<const std::uint16_t> positions) const {
  const std::uint32_t slot = slots_[slot_of(positions)];
  if (slot == 0) return std::nullopt;
  return slot - 1;
}

std::size_t Component::slot_of(std::span<const std::uint16_t> positions) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash(positions) & mask;
  while (slots_[at] != 0 && !equals(slots_[at] - 1, positions)) at = (at + 1) & mask;
  return at;
}

std::uint64_t Component::hash(std::span<const std::uint16_t> positions) const {
  std::uint64_t sum = 0;
  for (const std::size_t parameter : parameters_) {
    sum = (sum ^ positions[parameter]) * 0x9E3779B97F4A7C15u;
    sum ^= sum >> 29;
  }
  return sum;
}

bool Component::equals(std::size_t row, std::span<const std::uint16_t> positions) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (columns_[i][row] != positions[parameters_[i]]) return false;
  }
  return true;
}

}  // namespace kiln::tune
