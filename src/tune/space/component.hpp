#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace kiln::tune {

/// Valid combinations of some parameters' values: a table with a column of positions for each,
/// and an index that finds a row in O(1). A space is the product of such tables, since parameters
/// that no constraint joins choose independently. Immutable once indexed; const use thread-safe.
class Component {
 public:
  /// The parameters of the space that its columns stand for.
  explicit Component(std::vector<std::size_t> parameters);

  std::span<const std::size_t> parameters() const { return parameters_; }
  std::size_t rows() const { return columns_.empty() ? 1 : columns_.front().size(); }
  std::uint16_t position(std::size_t row, std::size_t column) const {
    return columns_[column][row];
  }

  /// Adds a row from the positions of all the space's parameters.
  void add(std::span<const std::uint16_t> positions);
  /// To be called once, behind the last row. False where a row stands twice.
  bool index();
  /// The row with these positions (of all the space's parameters).
  std::optional<std::size_t> find(std::span<const std::uint16_t> positions) const;

 private:
  std::uint64_t hash(std::span<const std::uint16_t> positions) const;
  bool equals(std::size_t row, std::span<const std::uint16_t> positions) const;
  /// The slot that holds the row with these positions, or the empty one where it would go.
  std::size_t slot_of(std::span<const std::uint16_t> positions) const;

  std::vector<std::size_t> parameters_;
  std::vector<std::vector<std::uint16_t>> columns_;
  std::vector<std::uint32_t> slots_;  ///< open addressing: a row's number + 1, 0: empty
};

}  // namespace kiln::tune
