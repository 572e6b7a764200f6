#include "kernel/source/symbols.hpp"

#include <functional>

namespace kiln {

Symbols::Symbols() : names_(1), slots_(1024) { names_.reserve(512); }

std::size_t Symbols::slot_of(std::string_view name) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = std::hash<std::string_view>{}(name)&mask;
  while (slots_[slot] != 0 && names_[slots_[slot]] != name) slot = (slot + 1) & mask;
  return slot;
}

std::uint32_t Symbols::find(std::string_view name) const { return slots_[slot_of(name)]; }

std::uint32_t Symbols::intern(std::string_view name) {
  if (name.empty()) return 0;
  const std::size_t slot = slot_of(name);
  if (slots_[slot] != 0) return slots_[slot];
  const auto symbol = static_cast<std::uint32_t>(names_.size());
  slots_[slot] = symbol;
  names_.push_back(name);
  if (names_.size() * 2 > slots_.size()) grow();
  return symbol;
}

void Symbols::grow() {
  slots_.assign(slots_.size() * 2, 0);
  for (std::uint32_t symbol = 1; symbol < names_.size(); ++symbol)
    slots_[slot_of(names_[symbol])] = symbol;
}

}  // namespace kiln
