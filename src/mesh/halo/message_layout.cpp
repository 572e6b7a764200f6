// What lies where in the messages of an exchange, and the host's way to fill and to empty them.
#include "mesh/halo/message_layout.hpp"

#include <cstring>
#include <set>

namespace kiln::mesh {

MessageLayout::MessageLayout(std::span<const HaloRead> reads, std::span<const std::size_t> which,
                             Way way) {
  std::set<int> ranks;
  for (const std::size_t read : which)
    for (const HaloNeighbour& neighbour : reads[read].halo->neighbours)
      ranks.insert(neighbour.rank);
  for (const int rank : ranks) {
    Message message{rank, bytes, 0};
    for (const std::size_t read : which)
      for (const HaloNeighbour& neighbour : reads[read].halo->neighbours) {
        const auto& elements = way == Way::out ? neighbour.exports : neighbour.imports;
        if (neighbour.rank != rank || elements.empty()) continue;
        segments.push_back({read, elements, bytes});
        bytes += elements.size() * row_bytes(*reads[read].dat);
      }
    message.bytes = bytes - message.at;
    if (message.bytes > 0) messages.push_back(message);
  }
}

namespace {

/// Calls `each(element's or component's place in memory, place in the message, bytes)`.
template <class Each>
void for_pieces(const DatState& dat, std::span<const std::int32_t> elements, const Each& each) {
  const auto& form = dat.data.form();
  const std::size_t item = size_of(form.type), row = form.dim * item;
  if (form.layout == DataLayout::aos || form.dim == 1) {
    for (std::size_t k = 0; k < elements.size(); ++k)
      each(static_cast<std::size_t>(elements[k]) * row, k * row, row);
    return;
  }
  for (std::size_t c = 0; c < form.dim; ++c)
    for (std::size_t k = 0; k < elements.size(); ++k)
      each((c * form.elements + static_cast<std::size_t>(elements[k])) * item, k * row + c * item,
           item);
}

/// The usual sizes are known to the compiler.
inline void copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  switch (bytes) {
    case 4:
      std::memcpy(to, from, 4);
      break;
    case 8:
      std::memcpy(to, from, 8);
      break;
    case 32:
      std::memcpy(to, from, 32);
      break;
    default:
      std::memcpy(to, from, bytes);
  }
}

}  // namespace

void gather_rows(const DatState& dat, const std::byte* memory,
                 std::span<const std::int32_t> elements, std::byte* message) {
  for_pieces(dat, elements, [&](std::size_t place, std::size_t at, std::size_t bytes) {
    copy(message + at, memory + place, bytes);
  });
}

void scatter_rows(const DatState& dat, std::byte* memory, std::span<const std::int32_t> elements,
                  const std::byte* message) {
  for_pieces(dat, elements, [&](std::size_t place, std::size_t at, std::size_t bytes) {
    copy(memory + place, message + at, bytes);
  });
}

}  // namespace kiln::mesh
