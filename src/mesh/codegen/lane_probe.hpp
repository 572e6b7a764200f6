#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/bytes.hpp"
#include "mesh/codegen/built_ins.hpp"

// How a driver's built-in functions are tried on vectors, as texts and bytes: one lane gets special
// values (zeros, denormals, huge, infinite, NaN), the others ordinary ones, and these must get the
// same bits as where all are ordinary. Vectors are held against vectors, so that it does not matter
// if functions of single numbers round otherwise. loop/lane_trial.hpp runs it.
namespace kiln::mesh {

/// The program that calls functions on vectors of `lanes` numbers; those of one type are in one
/// kernel, which takes the vectors of three arguments and of integers, where its results go, the
/// number of the function among those of its type, and the first case.
///
/// @param prelude text in front of it: what defines functions that are no built-in ones, in tests.
std::string lane_probe_text(std::span<const BuiltIn> built_ins, int lanes,
                            std::string_view prelude = {});
std::string lane_probe_kernel(ScalarType type);

/// What one function is given, and what its results say. Cases are numbered: first those in which
/// all lanes are ordinary, then rounds of them; the cases of one round have the same special values
/// in each lane of each of the ordinary vectors.
class LaneCases {
 public:
  LaneCases(const BuiltIn& built_in, int lanes);

  std::size_t ordinary() const { return ordinary_vectors; }
  std::size_t rounds() const { return specials_.size(); }
  std::size_t of_round() const { return ordinary_vectors * lanes_; }
  std::size_t first_of(std::size_t round) const { return ordinary_vectors + round * of_round(); }
  std::size_t count() const { return first_of(rounds()); }
  std::size_t vector_bytes() const { return lanes_ * size_of(type_); }

  /// Of all cases: argument 0, 1 or 2, and the integers of functions that take some.
  Bytes argument(int number) const;
  std::vector<std::int32_t> integers() const;

  /// Which lane changed which neighbour in `results`, those of cases from `first` on: nothing where
  /// all agree with the results of the ordinary cases.
  std::optional<std::string> mixed_up(std::size_t first, ByteView results, ByteView ordinary) const;

 private:
  /// Numbers of special values by argument; -1: the argument is an ordinary one.
  using Special = std::array<int, 3>;
  static constexpr std::size_t ordinary_vectors = 3;
  template <class T>
  Bytes numbers(int number) const;
  std::string special_text(const Special& special) const;

  ScalarType type_;
  std::size_t lanes_;
  int arguments_;
  bool takes_integer_;
  std::vector<Special> specials_;
};

}  // namespace kiln::mesh
