#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace kiln::layer {

using LocalSize = std::array<std::size_t, 3>;

/// What bounds the local sizes of a launch.
struct LocalBounds {
  std::size_t most_items = 1;  ///< CL_KERNEL_WORK_GROUP_SIZE
  LocalSize most{1, 1, 1};     ///< CL_DEVICE_MAX_WORK_ITEM_SIZES
  std::size_t multiple = 1;    ///< CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE
  bool compiles_each = false;  ///< the driver compiles a kernel for each local size
};

/// A launch without a local size: its global size, 1 beyond its dimensions.
struct FreeLaunch {
  unsigned dimensions = 1;
  LocalSize global{1, 1, 1};
  bool operator==(const FreeLaunch&) const = default;
};

/// Whether a driver takes it: each dimension is a multiple, and the bounds hold.
bool fits(const LocalSize& local, const FreeLaunch& launch, const LocalBounds& bounds);

/// Local sizes worth trying: powers of two that fit, so that those of one size class have the same.
/// The largest first; four at most where each is compiled for.
std::vector<LocalSize> local_size_candidates(const FreeLaunch& launch, const LocalBounds& bounds);

/// A name for launches that share their record: dimensions, global sizes rounded up to powers of
/// two, and the largest power of two that divides each: "2d 1024/64 512/512".
std::string size_class(const FreeLaunch& launch);

/// For people: "16x8"; dimensions beyond the launch's are left out.
std::string text_of(const LocalSize& local, unsigned dimensions);

}  // namespace kiln::layer
