// Copies of others' elements: held against what these are, and such that are stale made to show.
#include "mesh/halo/halo_check.hpp"

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <numeric>

#include "mesh/model/basics.hpp"

namespace kiln::mesh {
namespace {

std::vector<std::size_t> all_of(std::span<const HaloRead> reads) {
  std::vector<std::size_t> all(reads.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// FNV-1a.
std::uint32_t digest_of(std::span<const std::byte> bytes) {
  std::uint32_t digest = 0x811c9dc5u;
  for (const std::byte byte : bytes)
    digest = (digest ^ std::to_integer<unsigned>(byte)) * 0x01000193u;
  return digest;
}

bool is_in_message(const MessageLayout::Segment& segment, const MessageLayout::Message& message) {
  return segment.at >= message.at && segment.at < message.at + message.bytes;
}

/// What no element should be: NaN, and of integers that with all bytes 0x5A.
std::array<std::byte, 8> odd_number(ScalarType type) {
  if (is_floating(type)) return scalar_bytes(type, std::numeric_limits<double>::quiet_NaN());
  std::array<std::byte, 8> bytes;
  bytes.fill(std::byte{0x5A});
  return bytes;
}

}  // namespace

HaloCheck::HaloCheck(Session& session, std::span<const HaloRead> reads, const std::string& what)
    : session_(session),
      reads_(reads.begin(), reads.end()),
      what_(what),
      out_(reads_, all_of(reads_), Way::out),
      in_(reads_, all_of(reads_), Way::in) {}

std::vector<std::uint32_t> HaloCheck::digests(const MessageLayout& layout) const {
  std::vector<std::uint32_t> all;
  for (const auto& segment : layout.segments) {
    DatState& dat = *reads_[segment.read].dat;
    const std::size_t row = row_bytes(dat);
    const std::byte* const values = dat.data.on_host(session_.queue, false);
    for (const std::int32_t element : segment.elements)
      all.push_back(digest_of({values + static_cast<std::size_t>(element) * row, row}));
  }
  return all;
}

std::vector<Transport::Message> HaloCheck::messages(const MessageLayout& layout,
                                                    std::vector<std::uint32_t>& digests) const {
  std::vector<Transport::Message> made;
  std::size_t at = 0;
  for (const auto& message : layout.messages) {
    std::size_t count = 0;
    for (const auto& segment : layout.segments)
      if (is_in_message(segment, message)) count += segment.elements.size();
    made.push_back({message.rank, std::as_writable_bytes(std::span(digests).subspan(at, count))});
    at += count;
  }
  return made;
}

void HaloCheck::note() { told_ = digests(out_); }

void HaloCheck::compare() {
  const std::vector<std::uint32_t> found = digests(in_);
  heard_.assign(found.size(), 0);
  const std::string what = "digests before " + what_;
  session_.transport->start(messages(in_, heard_), messages(out_, told_), what);
  session_.transport->finish(what);
  hold_against(found);
}

void HaloCheck::hold_against(std::span<const std::uint32_t> found) const {
  std::size_t at = 0;
  for (const auto& segment : in_.segments) {
    const auto mine = found.subspan(at, segment.elements.size());
    const auto theirs = std::span(heard_).subspan(at, segment.elements.size());
    at += segment.elements.size();
    std::size_t wrong = 0, first = 0;
    for (std::size_t k = 0; k < mine.size(); ++k)
      if (mine[k] != theirs[k] && wrong++ == 0) first = k;
    if (wrong == 0) continue;
    const auto owner = std::ranges::find_if(
        in_.messages, [&](const auto& message) { return is_in_message(segment, message); });
    const DatState& dat = *reads_[segment.read].dat;
    const SetState& set = *reads_[segment.read].halo->set;
    throw Error(
        Errc::internal,
        fmt::format(
            "halo of {} before {}: the copy of element {} of set {} is not what rank {} has; "
            "so are {} of {} copies of its elements",
            dat.name, what_, set.part->numbers[static_cast<std::size_t>(segment.elements[first])],
            set.name, owner->rank, wrong, mine.size()));
  }
}

void poison(DatState& dat) {
  if (!dat.is_halo_stale || dat.is_poisoned || !dat.is_in_parts()) return;
  const SetState& set = *Handles::state(dat.on.set());
  std::vector<bool> is_fresh(set.sizes[3] - set.sizes[1]);
  for (const auto& known : dat.fresh_classes)
    for (const HaloNeighbour& neighbour : known->neighbours)
      for (const std::int32_t element : neighbour.imports)
        is_fresh[static_cast<std::size_t>(element) - set.sizes[1]] = true;
  const auto& form = dat.data.form();
  const std::size_t item = size_of(form.type);
  const auto number = odd_number(form.type);
  std::byte* const values = dat.data.on_host(dat.session->queue, true);
  for (std::size_t k = 0; k < is_fresh.size(); ++k) {
    if (is_fresh[k]) continue;
    std::byte* const row = values + (set.sizes[1] + k) * row_bytes(dat);
    for (std::size_t c = 0; c < form.dim; ++c) std::memcpy(row + c * item, number.data(), item);
  }
  dat.is_poisoned = true;
}

}  // namespace kiln::mesh
