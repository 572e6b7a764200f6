// Which objects all parts still have, before a mesh is cut.

#include <algorithm>
#include <array>
#include <bit>

#include "mesh/distributed/mail.hpp"
#include "mesh/distributed/mesh_rows.hpp"
#include "mesh/distributed/mixing.hpp"
#include "mesh/model/basics.hpp"

namespace kiln::mesh {
namespace {

using Numbers = std::vector<std::uint64_t>;

template <class State>
void add_numbers(Numbers& numbers, const std::vector<std::shared_ptr<State>>& states) {
  for (const auto& state : states) numbers.push_back(state->declaration);
}

/// Those that all parts have, of some that rise; `first` and `last` are around all of them.
Numbers on_all_parts(Transport& transport, const Numbers& mine, std::uint64_t first,
                     std::uint64_t last) {
  // A bit each.
  std::vector<std::uint8_t> bits((last - first) / 8 + 1);
  for (const std::uint64_t number : mine)
    bits[(number - first) / 8] |= static_cast<std::uint8_t>(1u << (number - first) % 8);
  const auto all = gather_values<std::uint8_t>(transport, bits, "what all parts have");
  for (std::size_t at = 0; at < all.size(); ++at) bits[at % bits.size()] &= all[at];
  Numbers common;
  for (const std::uint64_t number : mine)
    if ((bits[(number - first) / 8] >> (number - first) % 8 & 1) != 0) common.push_back(number);
  return common;
}

/// Keeps what has one of some numbers, in both lists; gives the others.
template <class State>
std::vector<std::shared_ptr<State>> take_others(std::vector<std::shared_ptr<State>>& states,
                                                std::vector<std::weak_ptr<State>>& declared,
                                                const Numbers& common) {
  const auto others = std::stable_partition(states.begin(), states.end(), [&](const auto& state) {
    return std::ranges::binary_search(common, state->declaration);
  });
  std::vector<std::shared_ptr<State>> gone(others, states.end());
  states.erase(others, states.end());
  declared.assign(states.begin(), states.end());
  return gone;
}

}  // namespace

AliveEverywhere::AliveEverywhere(Session& session)
    : sets(alive(session.declared.sets)),
      maps(alive(session.declared.maps)),
      dats(alive(session.declared.dats)) {
  Numbers mine;
  add_numbers(mine, sets);
  add_numbers(mine, maps);
  add_numbers(mine, dats);
  std::ranges::sort(mine);
  std::uint64_t digest = mine.size();
  for (const std::uint64_t number : mine) digest = mixed(digest ^ mixed(number));
  struct Record {
    std::uint64_t digest, count, first;
  };
  const std::array record{
      Record{digest, session.declared.count, mine.empty() ? session.declared.count : mine[0]}};
  const auto all = gather_values<Record>(*session.transport, record, "what all parts have");
  const auto differ = [&](auto member) {
    return std::ranges::any_of(
        all, [&](const Record& one) { return one.*member != all.front().*member; });
  };
  // Where they declared different things they are told by what they have (declared.cpp).
  if (!differ(&Record::digest) || differ(&Record::count)) return;
  const auto first = std::ranges::min(all, {}, &Record::first).first;
  const Numbers common = on_all_parts(*session.transport, mine, first, session.declared.count);
  for (const auto& set : take_others(sets, session.declared.sets, common)) set->part = nullptr;
  for (const auto& map : take_others(maps, session.declared.maps, common)) {
    leave_out(*map, "was gone on another part when the mesh was partitioned");
  }
  for (const auto& dat : take_others(dats, session.declared.dats, common)) {
    session.part_with(dat.get());
    dat->is_left_out = true;
    dat->data.free();
  }
}

}  // namespace kiln::mesh
