#include "blas/generator/moduli.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <string>
#include <vector>

namespace kiln::blas {
namespace {

__extension__ using Integer = __int128;

constexpr Integer product_of_moduli() {
  Integer product = 1;
  for (const auto modulus : moduli) product *= modulus;
  return product;
}
static_assert(product_of_moduli() >> bits_of_product == 1);

/// What is congruent to a number and nearest to 0.
constexpr Integer nearest_to_zero(Integer number, Integer modulus) {
  const Integer rest = number % modulus;
  if (rest > modulus / 2) return rest - modulus;
  return rest < -(modulus / 2) ? rest + modulus : rest;
}

/// The number that leaves 1 by one of the moduli and 0 by the others.
Integer weight_of(std::uint32_t modulus) {
  const Integer others = product_of_moduli() / modulus;
  Integer inverse = 1;
  while (others % modulus * inverse % modulus != 1) ++inverse;
  return nearest_to_zero(others * inverse, product_of_moduli());
}

constexpr int bits_of_piece = 42;

/// Adds a number's pieces, the lowest first, as text of doubles; the lower ones are nearest to 0.
void add_pieces(std::vector<std::string>& to, Integer number) {
  constexpr Integer unit = Integer{1} << bits_of_piece;
  for (const bool is_last : {false, false, true}) {
    const Integer piece = is_last ? number : nearest_to_zero(number, unit);
    to.push_back(fmt::format("{}.0", static_cast<std::int64_t>(piece)));
    number = (number - piece) / unit;
  }
}

// A number's digits to the base 2^15: three that are positive, with 2^14 too much, and one that
// has a sign, below 2^14.
constexpr int bits_of_digit = 15, weighted_digits = 3;

struct Digits {
  std::vector<std::int64_t> weights, biases;
  std::vector<std::uint64_t> reciprocals;
};
Digits digits_by_moduli() {
  Digits digits;
  constexpr std::int64_t excess = std::int64_t{1} << (bits_of_digit - 1);
  // Of the lowest digit and three weighted by up to 128 each.
  constexpr std::int64_t most = excess * (1 + 2 * 128) + (excess / 2 + 1) * 128;
  for (const std::int64_t modulus : moduli) {
    std::int64_t bias = (most + modulus - 1) / modulus * modulus + modulus / 2 - excess;
    for (int digit = 1; digit <= weighted_digits; ++digit) {
      const auto weight = static_cast<std::int64_t>(
          nearest_to_zero(Integer{1} << (bits_of_digit * digit), modulus));
      digits.weights.push_back(weight);
      if (digit < weighted_digits) bias -= weight * excess;
    }
    digits.biases.push_back(bias);
    digits.reciprocals.push_back(
        ((std::uint64_t{1} << 32) + static_cast<std::uint64_t>(modulus) - 1) /
        static_cast<std::uint64_t>(modulus));
  }
  return digits;
}

Facts found_facts() {
  const Digits digits = digits_by_moduli();
  std::vector<std::string> weights, product;
  for (const auto modulus : moduli) add_pieces(weights, weight_of(modulus));
  add_pieces(product, product_of_moduli());
  return {
      {"moduli", static_cast<std::int64_t>(moduli.size())},
      {"moduli_list", fmt::format("{}", fmt::join(moduli, ","))},
      {"digit_weights", fmt::format("{}", fmt::join(digits.weights, ","))},
      {"digit_biases", fmt::format("{}", fmt::join(digits.biases, ","))},
      {"reciprocals", fmt::format("{}", fmt::join(digits.reciprocals, ","))},
      {"weights", fmt::format("{}", fmt::join(weights, ","))},
      {"whole_product", fmt::format("{}", fmt::join(product, ","))},
      // Of the highest pieces in the product.
      {"pieces_of_product", fmt::format("{:.17e}", std::ldexp(1.0, 2 * bits_of_piece) /
                                                       static_cast<double>(product_of_moduli()))}};
}

}  // namespace

Facts facts_of_moduli() {
  static const Facts facts = found_facts();
  return facts;
}

}  // namespace kiln::blas
