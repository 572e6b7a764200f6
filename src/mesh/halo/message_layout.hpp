#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mesh/halo/halo_classes.hpp"

namespace kiln::mesh {

/// A Dat whose halo something reads, and which elements.
struct HaloRead {
  DatState* dat = nullptr;
  HaloClassPtr halo;
};

/// What goes to, or comes from, each neighbour when some Dats' halos are brought: one message, Dat
/// by Dat in the order of the reads, element by element.
struct MessageLayout {
  /// A list of a Dat's elements that lie in a message one behind the other.
  struct Segment {
    std::size_t read = 0;  ///< which of the reads
    std::span<const std::int32_t> elements;
    std::size_t at = 0;  ///< its first byte, among all messages one behind the other
  };
  struct Message {
    int rank = 0;
    std::size_t at = 0, bytes = 0;
  };
  enum class Way : std::uint8_t { out, in };

  std::vector<Segment> segments;
  std::vector<Message> messages;  ///< rising by rank; none is empty
  std::size_t bytes = 0;

  /// For those of `reads` that `which` has. The classes must outlive it.
  MessageLayout(std::span<const HaloRead> reads, std::span<const std::size_t> which, Way way);
};

/// Bytes of an element.
inline std::size_t row_bytes(const DatState& dat) {
  return dat.data.form().dim * size_of(dat.data.form().type);
}

/// Between a message and a Dat's memory, which lies as its layout says.
void gather_rows(const DatState& dat, const std::byte* memory,
                 std::span<const std::int32_t> elements, std::byte* message);
void scatter_rows(const DatState& dat, std::byte* memory, std::span<const std::int32_t> elements,
                  const std::byte* message);

}  // namespace kiln::mesh
