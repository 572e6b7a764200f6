#pragma once
// The 27 published kernel specification files, as a test has to know them: which arguments a kernel
// takes, whether dimension 0 of it may be split, and what it computes (references.hpp).
//
// The specification files themselves are not needed here, so that the kernels can be checked
// without them; a test that has them can hold its parser against this table.

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "published/compare.hpp"
#include "published/references.hpp"

namespace kiln::published {

enum class ArgumentKind { Input, Output, Local, Int, Uint, Float };

/// The values that a size or a scalar takes in these specs.
enum class Quantity {
  Dataset,  ///< `dataset`
  Squared,  ///< `dataset**2`
  Rounded,  ///< `partition_round(dataset, size_percent)`
  Literal,  ///< Argument::literal
};

/// One kernel argument; its position is its index in Case::arguments.
struct Argument {
  ArgumentKind kind;
  Quantity quantity;   ///< elements of a buffer or local array, value of a scalar
  double literal = 0;  ///< only for Quantity::Literal
};

/// Whether the work-items of dimension 0 may be dealt out to several devices.
enum class Split {
  Allowed,    ///< no work-item depends on its group: any cut gives the one-device result
  WorkGroup,  ///< the result depends on group ids or on local memory: one device only
};

struct Case {
  std::string_view spec;    ///< file name without `.json`
  std::string_view kernel;  ///< `name` in the spec
  std::string_view source;  ///< `src` in the spec, in tests/published/kernel_src
  std::size_t dimensions;   ///< each of `dataset` work-items
  Split split;
  std::vector<Argument> arguments;
  Reference reference;
  Tolerance tolerance;

  /// Position of the only output buffer that each of these specs has.
  std::size_t output() const;
  /// Elements of buffer or local argument `position`.
  std::size_t elements(std::size_t position, const Shape& shape) const;
  /// Value of scalar argument `position`.
  double scalar(std::size_t position, const Shape& shape) const;
};

/// All 27, in alphabetical order. The table lives as long as the program.
std::span<const Case> cases();

/// The case of a spec, or null. `spec` is the file name without `.json`.
const Case* find_case(std::string_view spec);

/// Input arrays by argument position, uniform in [0, 1); empty where an argument is no input. The
/// same seed gives the same arrays on every machine.
std::vector<std::vector<float>> random_inputs(const Case& published, const Shape& shape,
                                              unsigned seed);

}  // namespace kiln::published
