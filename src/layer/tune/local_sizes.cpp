#include "layer/tune/local_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <span>

namespace kiln::layer {
namespace {

constexpr LocalSize lines[] = {{1024, 1, 1}, {512, 1, 1}, {256, 1, 1},
                               {128, 1, 1},  {64, 1, 1},  {32, 1, 1}};
constexpr LocalSize planes[] = {{256, 1, 1}, {128, 1, 1}, {64, 4, 1}, {32, 8, 1},
                                {16, 16, 1}, {64, 1, 1},  {64, 2, 1}, {32, 4, 1},
                                {32, 1, 1},  {8, 8, 1},   {16, 4, 1}, {32, 32, 1}};
constexpr LocalSize boxes[] = {{256, 1, 1}, {128, 1, 1}, {64, 4, 1}, {32, 8, 1}, {32, 4, 2},
                               {16, 4, 4},  {8, 8, 4},   {64, 1, 1}, {32, 1, 1}, {32, 2, 2}};
// Processors vectorise the first dimension, and want few, large groups.
constexpr LocalSize compiled_lines[] = {{4096, 1, 1}, {1024, 1, 1}, {256, 1, 1}, {64, 1, 1}};
constexpr LocalSize compiled_planes[] = {{1024, 1, 1}, {256, 1, 1}, {64, 4, 1}, {64, 1, 1}};
constexpr LocalSize compiled_boxes[] = {{256, 1, 1}, {64, 4, 1}, {64, 1, 1}, {32, 4, 2}};

std::span<const LocalSize> shapes(unsigned dimensions, bool compiles_each) {
  if (dimensions == 1)
    return compiles_each ? std::span(compiled_lines) : std::span<const LocalSize>(lines);
  if (dimensions == 2)
    return compiles_each ? std::span(compiled_planes) : std::span<const LocalSize>(planes);
  return compiles_each ? std::span(compiled_boxes) : std::span<const LocalSize>(boxes);
}

/// Beyond it no candidate needs to know more of what divides a size.
constexpr std::size_t largest_divisor = 4096;

}  // namespace

bool fits(const LocalSize& local, const FreeLaunch& launch, const LocalBounds& bounds) {
  std::size_t items = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    if (local[d] == 0 || local[d] > bounds.most[d] || launch.global[d] % local[d] != 0)
      return false;
    items *= local[d];
    if (items > bounds.most_items) return false;
  }
  return true;
}

std::vector<LocalSize> local_size_candidates(const FreeLaunch& launch, const LocalBounds& bounds) {
  std::vector<LocalSize> candidates;
  const auto add = [&](const LocalSize& local) {
    if (fits(local, launch, bounds) && std::ranges::find(candidates, local) == candidates.end())
      candidates.push_back(local);
  };
  for (const LocalSize& local : shapes(launch.dimensions, bounds.compiles_each)) add(local);
  if (std::has_single_bit(bounds.multiple) && bounds.multiple > 1 && !bounds.compiles_each)
    add({bounds.multiple, 1, 1});
  return candidates;
}

std::string size_class(const FreeLaunch& launch) {
  std::string name = fmt::format("{}d", launch.dimensions);
  for (unsigned d = 0; d < launch.dimensions; ++d) {
    const std::size_t size = std::max<std::size_t>(launch.global[d], 1);
    const std::size_t divisor = size & (~size + 1);
    name += fmt::format(" {}/{}", std::bit_ceil(std::min(size, std::size_t{1} << 62)),
                        std::min(divisor, largest_divisor));
  }
  return name;
}

std::string text_of(const LocalSize& local, unsigned dimensions) {
  std::string text;
  for (unsigned d = 0; d < dimensions && d < 3; ++d)
    text += fmt::format("{}{}", d == 0 ? "" : "x", local[d]);
  return text;
}

}  // namespace kiln::layer
