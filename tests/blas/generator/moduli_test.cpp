// The numbers by whose remainders doubles are multiplied: what kernels compute with them is exact.
#include "blas/generator/moduli.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

namespace kiln::blas::testing {
namespace {

__extension__ using Integer = __int128;

/// The numbers of one of the template's lists; doubles there are integers.
std::vector<std::int64_t> numbers(const std::string& name) {
  for (const Fact& fact : facts_of_moduli()) {
    if (fact.name != name) continue;
    std::vector<std::int64_t> list;
    std::istringstream text(std::get<std::string>(fact.value));
    for (std::string number; std::getline(text, number, ',');) list.push_back(std::stoll(number));
    return list;
  }
  ADD_FAILURE() << name;
  return {};
}

std::int64_t remainder(std::int64_t number, std::int64_t modulus) {
  return (number % modulus + modulus) % modulus;
}

TEST(Moduli, are_coprime_bytes) {
  for (std::size_t i = 0; i < moduli.size(); ++i) {
    EXPECT_GT(moduli[i], 128u);
    EXPECT_LE(moduli[i], 256u);
    for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(std::gcd(moduli[i], moduli[j]), 1u);
  }
}

// As templates/matrix_unit_tiles.cl has it.
TEST(Moduli, leave_remainders_of_sums_by_the_upper_word_of_a_product) {
  std::mt19937 random(1);
  std::uniform_int_distribution<std::int64_t> any(-most_sum, most_sum);
  for (const auto modulus : moduli) {
    const SumRemainder by = sum_remainder(modulus);
    const auto check = [&](std::int64_t sum) {
      const auto whole = static_cast<std::uint32_t>(sum) + by.bias;
      const auto quotient =
          static_cast<std::uint32_t>(std::uint64_t{whole} * by.inverse >> 32) >> 7;
      ASSERT_EQ(whole - quotient * modulus, remainder(sum + modulus / 2, modulus))
          << sum << " by " << modulus;
    };
    for (std::int64_t near = 0; near <= 2 * modulus; ++near) {
      check(near);
      check(-near);
      check(most_sum - near);
      check(near - most_sum);
    }
    for (int i = 0; i < 100'000; ++i) check(any(random));
  }
}

// As templates/emulated.cl has it: digits of 15 bits, the highest of which has a sign and 13 bits
// more.
TEST(Moduli, leave_remainders_of_integers_by_their_digits) {
  const auto weights = numbers("digit_weights"), biases = numbers("digit_biases"),
             reciprocals = numbers("reciprocals");
  ASSERT_EQ(weights.size(), 3 * moduli.size());
  constexpr std::int64_t excess = 0x4000L + (0x4000L << 15) + (0x4000L << 30),
                         most = std::int64_t{1} << 58;
  std::mt19937_64 random(2);
  std::uniform_int_distribution<std::int64_t> any(-most, most), digit(0, 1);
  for (std::size_t t = 0; t < moduli.size(); ++t) {
    const auto check = [&](std::int64_t integer) {
      const std::int64_t value = integer + excess;
      const std::int64_t sum =
          biases[t] + (value & 0x7fff) + (value >> 15 & 0x7fff) * weights[3 * t] +
          (value >> 30 & 0x7fff) * weights[3 * t + 1] + (value >> 45) * weights[3 * t + 2];
      ASSERT_GE(sum, 0) << integer << " by " << moduli[t];
      ASSERT_LT(sum, 1 << 24) << integer << " by " << moduli[t];
      const std::int64_t quotient = sum * reciprocals[t] >> 32;
      ASSERT_EQ(sum - quotient * moduli[t],
                remainder(integer % moduli[t] + moduli[t] / 2, moduli[t]))
          << integer << " by " << moduli[t];
    };
    for (std::int64_t near = 0; near < 600; ++near) {
      check(near);
      check(-near);
      check(most - near);
      check(near - most);
    }
    for (int i = 0; i < 20'000; ++i) {
      check(any(random));
      // Digits at their ends make the largest sums.
      std::int64_t ends = (digit(random) != 0 ? 0x1fff : -0x2000) * (std::int64_t{1} << 45);
      for (const int at : {0, 15, 30}) ends += digit(random) * (std::int64_t{0x7fff} << at);
      check(ends - excess);
    }
  }
}

// Three pieces make a weight; sums of 16 of them, each times a byte, are exact in doubles.
TEST(Moduli, have_weights_that_leave_1_by_one_of_them_and_0_by_the_others) {
  const auto pieces = numbers("weights"), product = numbers("whole_product");
  ASSERT_EQ(pieces.size(), 3 * moduli.size());
  constexpr std::int64_t most = std::int64_t{1} << 41;
  const auto whole = [](const std::vector<std::int64_t>& from, std::size_t at) {
    return (Integer{from[at + 2]} * (Integer{1} << 42) + from[at + 1]) * (Integer{1} << 42) +
           from[at];
  };
  Integer expected = 1;
  for (const auto modulus : moduli) expected *= modulus;
  EXPECT_TRUE(whole(product, 0) == expected);
  for (std::size_t t = 0; t < moduli.size(); ++t) {
    for (std::size_t piece = 0; piece < 3; ++piece)
      EXPECT_LE(std::abs(pieces[3 * t + piece]), most);
    for (std::size_t s = 0; s < moduli.size(); ++s) {
      const Integer modulus = moduli[s], rest = whole(pieces, 3 * t) % modulus;
      EXPECT_EQ(static_cast<int>((rest + modulus) % modulus), s == t ? 1 : 0) << t << ' ' << s;
    }
  }
}

}  // namespace
}  // namespace kiln::blas::testing
