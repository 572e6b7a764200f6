#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "blas/call.hpp"

namespace kiln::blas {

/// More queues than this are accepted and get no work.
constexpr std::size_t most_queues = 8;

/// What the solution sequence of a call depends on: everything but the memory objects, the offsets
/// and the values of the scalars other than an alpha of 0 or 1. Plain bytes without padding, so
/// that equal shapes are equal memory.
struct Shape {
  std::uint8_t routine, precision, order, side, uplo, trans_a, trans_b, diag;
  std::uint8_t real_alpha, alpha_is_zero, alpha_is_one, queues, unused[4];
  std::uint64_t m, n, k, kl, ku;
  std::array<std::int64_t, slot_count> strides;
  cl_context context;
  std::array<cl_device_id, most_queues> devices;

  /// Strides of arguments that the routine does not have count as 0.
  Shape(const Call& call, cl_context context, const cl_device_id* devices, std::size_t queues);
  bool operator==(const Shape& other) const;
  std::uint64_t hash() const;
};

}  // namespace kiln::blas
