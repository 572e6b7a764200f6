// Back to the original order: rows of maps and dats go from their owners to the blocks that they
// were declared in.
#include <algorithm>

#include "mesh/distributed/blocks.hpp"
#include "mesh/distributed/mail.hpp"
#include "mesh/model/basics.hpp"
#include "mesh/model/session.hpp"

namespace kiln::mesh {
namespace {

/// The rows of this part's block; `row` bytes each. All parts call it.
std::vector<std::byte> to_blocks(const SetState& set, std::span<const std::byte> owned,
                                 std::size_t row, const std::string& what) {
  Transport& transport = *set.session->transport;
  const Blocks& blocks = *set.blocks;
  std::map<int, std::vector<std::size_t>> leaving;
  for (std::size_t at = 0; at < set.part->sizes[1]; ++at)
    leaving[blocks.rank_of(set.part->numbers[at])].push_back(at);
  std::vector<Transport::Packet> packets;
  for (const auto& [rank, elements] : leaving) {
    std::vector<std::byte> packet;
    const std::array count{static_cast<std::int64_t>(elements.size())};
    append_to<std::int64_t>(packet, count);
    for (const std::size_t at : elements)
      append_to<std::int64_t>(packet, std::span(set.part->numbers).subspan(at, 1));
    for (const std::size_t at : elements)
      append_to<std::byte>(packet, owned.subspan(at * row, row));
    packets.push_back({rank, std::move(packet)});
  }
  const std::int64_t first = blocks.first(transport.rank());
  std::vector<std::byte> rows(blocks.count(transport.rank()) * row);
  for (const auto& packet : transport.deliver(std::move(packets), what)) {
    Unpacking from(packet);
    const auto count = static_cast<std::size_t>(from.take<std::int64_t>());
    std::vector<std::int64_t> numbers;
    std::vector<std::byte> values;
    from.append_to(numbers, count);
    from.append_to(values, count * row);
    for (std::size_t at = 0; at < count; ++at)
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(at * row), row,
                  rows.begin() + static_cast<std::ptrdiff_t>(
                                     static_cast<std::size_t>(numbers[at] - first) * row));
  }
  return rows;
}

}  // namespace

std::vector<std::byte> from_blocks(const SetState& set, const SetPart& part,
                                   std::span<const std::byte> rows, std::size_t row,
                                   std::string_view what) {
  Transport& transport = *set.session->transport;
  std::map<int, std::vector<std::size_t>> places;  // by who has the rows
  Outbox<std::int64_t> questions;
  for (std::size_t at = 0; at < part.numbers.size(); ++at) {
    const int rank = set.blocks->rank_of(part.numbers[at]);
    places[rank].push_back(at);
    questions.add(rank, part.numbers[at]);
  }
  const std::int64_t first = set.blocks->first(transport.rank());
  Outbox<std::byte> answers;
  for (const auto& [rank, asked] : questions.deliver(transport, what)) {
    auto& answer = answers.box(rank);
    answer.reserve(asked.size() * row);
    for (const std::int64_t number : asked)
      append_to<std::byte>(answer,
                           rows.subspan(static_cast<std::size_t>(number - first) * row, row));
  }
  std::vector<std::byte> found(part.numbers.size() * row);
  for (const auto& [rank, told] : answers.deliver(transport, what)) {
    auto from = told.begin();
    for (const std::size_t at : places[rank]) {
      std::copy_n(from, row, found.begin() + static_cast<std::ptrdiff_t>(at * row));
      from += static_cast<std::ptrdiff_t>(row);
    }
  }
  return found;
}

namespace {

/// Whether what is on the set lies as it was declared.
bool is_in_blocks(const SetState& set) { return set.part == nullptr || set.blocks == nullptr; }

}  // namespace

std::vector<std::byte> Dat::fetch_bytes() const {
  const auto& set_state = *Handles::state(set());
  const auto* const values = static_cast<const std::byte*>(host(type(), false));
  const std::size_t row = dim() * size_of(type());
  const std::span owned(values, set().size() * row);
  if (is_in_blocks(set_state)) return {owned.begin(), owned.end()};
  return to_blocks(set_state, owned, row, fmt::format("dat {} in its original order", name()));
}

std::vector<std::int64_t> Map::fetch() const {
  check_not_left_out(*state_);
  if (!state_->declared.empty()) return state_->declared.plain();
  const auto& from_state = *Handles::state(from());
  const auto& to_state = *Handles::state(to());
  const auto local = state_->view().first(from().size() * arity());
  std::vector<std::int64_t> numbers(local.begin(), local.end());
  if (is_in_blocks(from_state) || is_in_blocks(to_state)) return numbers;
  for (std::int64_t& number : numbers)
    number = to_state.part->numbers[static_cast<std::size_t>(number)];
  const auto rows =
      to_blocks(from_state, std::as_bytes(std::span(numbers)), arity() * sizeof(std::int64_t),
                fmt::format("map {} in its original order", name()));
  numbers.resize(rows.size() / sizeof(std::int64_t));
  if (!rows.empty()) std::memcpy(numbers.data(), rows.data(), rows.size());
  return numbers;
}

std::vector<std::int32_t> owners_in_blocks(const SetState& set) {
  const std::vector<std::int32_t> mine(set.part->sizes[1], set.session->transport->rank());
  const auto rows = to_blocks(set, std::as_bytes(std::span(mine)), sizeof(std::int32_t),
                              fmt::format("owners of set {}", set.name));
  std::vector<std::int32_t> owners(rows.size() / sizeof(std::int32_t));
  if (!rows.empty()) std::memcpy(owners.data(), rows.data(), rows.size());
  return owners;
}

}  // namespace kiln::mesh
