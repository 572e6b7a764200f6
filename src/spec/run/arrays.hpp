#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "device/host_array.hpp"
#include "kiln/spec/run.hpp"

/// The data that a specification's kernel works on: made, read from and written to .npy files,
/// compared.
namespace kiln::spec {

/// Argument positions and the .npy files, or the data, given for them.
using Files = std::map<std::uint32_t, std::filesystem::path>;
using Inputs = std::map<std::uint32_t, InputData>;

/// The data of a bound spec's buffers: one array for each buffer argument, aligned so that CPU
/// devices use it in place. Inputs are random or from files, outputs zero.
class Arrays {
 public:
  /// Errors: bad_input for data whose type or size does not fit the argument, and for a position
  /// that is no input; io, not_found.
  static Expected<Arrays> make(const BoundSpec& bound, std::uint64_t seed, const Inputs& inputs);

  /// Position is an argument's; empty for scalars and local memory.
  HostArray& at(std::uint32_t position) { return arrays_[position]; }
  const HostArray& at(std::uint32_t position) const { return arrays_[position]; }

 private:
  std::vector<HostArray> arrays_;
};

/// Writes a buffer argument as a .npy file: shape (count,), or (count, lanes) for vectors. A
/// structure is as many lanes of 8-bit integers as it has bytes.
Expected<void> save_npy(const BoundArgument& argument, ByteView data,
                        const std::filesystem::path& file);

/// Compares a buffer argument with a file. Empty where they are equal (floating-point numbers
/// within rtol, relative to the larger one); else where and how they first differ. Errors as
/// make().
Expected<std::string> compare_with_npy(const BoundArgument& argument, ByteView data,
                                       const std::filesystem::path& file, double rtol);

/// The same for two arrays of one argument. Two NaNs are equal, and numbers (whole ones, too) that
/// are no farther apart than `atol`.
std::string first_difference(const Type& type, ByteView expected, ByteView actual, double rtol,
                             double atol = 0);

/// The first element of `actual` that differs from the same element of every `expected` array, as
/// text; empty where there is none.
std::string first_stranger(const Type& type, const std::vector<ByteView>& expected, ByteView actual,
                           double rtol, double atol = 0);

/// The argument of a position that must be a buffer, for messages about `option`.
Expected<const BoundArgument*> buffer_argument(const BoundSpec& bound, std::uint32_t position,
                                               std::string_view option);

/// Fills memory with test data of a type: integers of 8 bits uniform in 0..127, wider ones in
/// 0..4095, floating-point numbers in [0, 1). A structure's members get such numbers, the bytes of
/// one without known members those of 8-bit integers. The same for the same seed and argument on
/// every machine, whatever the other arguments are. `memory` holds a number of complete scalars.
void fill_random(std::span<std::byte> memory, const Type& type, std::uint64_t seed,
                 std::uint32_t position);

}  // namespace kiln::spec
