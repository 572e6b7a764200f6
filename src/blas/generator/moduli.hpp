#pragma once

#include <array>
#include <cstdint>

#include "kernel/request/facts.hpp"

// The numbers by whose remainders doubles are multiplied (templates/emulated.cl).
namespace kiln::blas {

/// Coprime in pairs, the largest such up to 256. Their product has 125 bits.
constexpr std::array<std::uint32_t, 16> moduli{256, 255, 253, 251, 247, 241, 239, 233,
                                               229, 227, 223, 217, 211, 199, 197, 193};
constexpr int bits_of_product = 125;

/// What the template emulated takes of them.
Facts facts_of_moduli();

/// Remainders of sums by way of the upper word of a product: (sum + bias) inverse / 2^39 is the
/// quotient by a modulus where |sum| is at most 2^30. The bias makes it positive, and adds half of
/// the modulus to the remainder.
struct SumRemainder {
  std::uint32_t modulus, inverse, bias;
};
constexpr std::int64_t most_sum = std::int64_t{1} << 30;
constexpr SumRemainder sum_remainder(std::uint32_t modulus) {
  constexpr int bits = 39;
  constexpr auto most = static_cast<std::uint32_t>(most_sum);
  return {modulus, static_cast<std::uint32_t>(((std::uint64_t{1} << bits) + modulus - 1) / modulus),
          (most + modulus - 1) / modulus * modulus + modulus / 2};
}

}  // namespace kiln::blas
