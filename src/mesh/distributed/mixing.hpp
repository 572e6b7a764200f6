#pragma once

#include <cstdint>

namespace kiln::mesh {

/// A number's bits mixed: every one of them depends on all (the finaliser of SplitMix64: Steele,
/// Lea and Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
constexpr std::uint64_t mixed(std::uint64_t number) {
  number += 0x9e3779b97f4a7c15u;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
  number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
  return number ^ (number >> 31);
}

}  // namespace kiln::mesh
