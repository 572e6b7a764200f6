#include "schedule/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>

#include "base/clock.hpp"
#include "schedule/co_run.hpp"
#include "schedule/proof.hpp"

// What the parts of a split run have written is merged here: first the bytes of one buffer, then
// all buffers of a CoRun. Where parts conflict, or one has read what another one wrote, the Job
// runs again on one device. What was shown is remembered in the store (proof.hpp).
namespace kiln {
namespace {

constexpr std::size_t usual_block = 4096;
const std::byte zeros[usual_block] = {};

bool all_zero(const std::byte* bytes, std::size_t size) {
  for (std::size_t at = 0; at < size; at += usual_block)
    if (std::memcmp(bytes + at, zeros, std::min(usual_block, size - at)) != 0) return false;
  return true;
}

/// Whether bytes are as before; without `initial`, zero.
bool unchanged(const std::byte* bytes, const std::byte* initial, std::size_t size) {
  return initial == nullptr ? all_zero(bytes, size) : std::memcmp(bytes, initial, size) == 0;
}

/// Merges one block, element by element; the last element may be cut off by the buffer's end.
std::optional<std::size_t> merge_block(std::byte* result, const std::byte* changed,
                                       const std::byte* initial, std::size_t bytes,
                                       std::size_t unit, SameChange same_change) {
  for (std::size_t at = 0; at < bytes; at += unit) {
    const std::size_t size = std::min(unit, bytes - at);
    const std::byte* before = initial == nullptr ? nullptr : initial + at;
    if (unchanged(changed + at, before, size)) continue;
    if (!unchanged(result + at, before, size)) {
      if (same_change == SameChange::conflicts || std::memcmp(result + at, changed + at, size) != 0)
        return at;
      continue;
    }
    std::memcpy(result + at, changed + at, size);
  }
  return {};
}

}  // namespace

MergeOutcome merge_changes(std::span<std::byte> result, ByteView changed, ByteView initial,
                           std::size_t element_bytes, SameChange same_change) {
  // Too large a unit may see a conflict where none is, too small a one may miss it.
  const std::size_t unit = std::max<std::size_t>(element_bytes, 1);
  // Elements do not reach from one block into the next.
  const std::size_t block = unit >= usual_block ? unit : usual_block / unit * unit;
  MergeOutcome outcome;
  for (std::size_t at = 0; at < result.size(); at += block) {
    const std::size_t size = std::min(block, result.size() - at);
    const std::byte* before = initial.empty() ? nullptr : initial.data() + at;
    // Most blocks were touched by one side only, and memcmp runs at memory speed.
    if (unchanged(changed.data() + at, before, size)) continue;
    outcome.changed = true;
    if (unchanged(result.data() + at, before, size)) {
      std::memcpy(result.data() + at, changed.data() + at, size);
      continue;
    }
    const auto conflict =
        merge_block(result.data() + at, changed.data() + at, before, size, unit, same_change);
    if (!conflict) continue;
    outcome.conflict = at + *conflict;
    return outcome;
  }
  return outcome;
}

/// Merges what the devices wrote apart, and tells what the run did and has shown.
RunReport CoRun::conclude(std::int64_t started, const Team& team, const Done& done,
                          const std::vector<std::size_t>& cuts) {
  RunReport report;
  report.merged = team.sharing == Sharing::merged;
  // What the owner wrote, kept for confirm(): the merge writes over it.
  std::vector<HostArray> owners;
  Merged merged;
  if (report.merged && needs_confirmation(cuts)) owners = copy_results();
  if (report.merged) merged = merge(team);
  report.wall_ns = now_ns() - started;
  std::size_t busy = 0;
  for (std::size_t i = 0; i < done.size(); ++i) {
    std::size_t groups = 0;
    for (const auto& part : done[i]) groups += part.groups();
    busy += groups > 0;
    report_device(report, i, groups);
  }
  report.split = busy > 1;
  if (!owners.empty() && !merged.conflict) {
    const auto confirming = now_ns();
    merged.conflict = confirm(done, owners, team.owner);
    report.wall_ns += now_ns() - confirming;
    report.confirmed = merged.shows_cuts && !depends_on_data();
  }
  if (merged.conflict) {
    remember_conflict(*merged.conflict);
    last_.clear();
    return fall_back(team.owner, *merged.conflict, true);
  }
  if (merged.shows_cuts)
    for (const std::size_t cut : cuts) remember_cut(cut);
  return report;
}

CoRun::Merged CoRun::merge(const Team& team) {
  const auto started = now_ns();
  Merged merged;
  std::set<std::size_t> changed;
  for (const std::size_t i : results_) {
    const auto& buffer = std::get<BufferArgument>(job_.arguments[i]);
    // A kernel that reads an element before it writes it depends on the other part's change: c[0]
    // += 1 in two parts gives the same number in both, which is half of the right one.
    const bool is_read = i >= facts_.parameters.size() || facts_.parameters[i].read;
    const auto same_change = is_read ? SameChange::conflicts : SameChange::agrees;
    for (const std::size_t device : team.devices) {
      if (device == team.owner || merged.conflict) continue;
      const auto outcome = merge_changes(buffer.data, placements_[device]->written(i), initial_[i],
                                         buffer.element_bytes, same_change);
      if (outcome.changed) changed.insert(device);
      if (outcome.conflict)
        merged.conflict = fmt::format("two parts {} byte {} of {}",
                                      is_read ? "both change" : "write different values to",
                                      *outcome.conflict, argument_text(i));
    }
  }
  // Where a device changed nothing (all inputs were zero, say), no conflict could have shown.
  merged.shows_cuts = !merged.conflict && changed.size() + 1 == team.devices.size();
  if (options_.trace != nullptr)
    options_.trace->add({"host", "merge", "merge", started, now_ns(), {}});
  return merged;
}

std::string CoRun::argument_text(std::size_t argument) const {
  return "argument " + argument_name(program_->kernel(job_.kernel), facts_.parameters, argument);
}

/// Whether a run with other data may touch other elements, so that it shows nothing for them.
bool CoRun::depends_on_data() const {
  return facts_.data_dependent_writes || facts_.data_dependent_reads;
}

void CoRun::remember_conflict(const std::string& where) {
  conflict_free_step_ = 0;
  // Where the writes depend on data, other data may well not conflict.
  if (depends_on_data()) return;
  conflict_ = where;
  add_proof(resolver_, job_, {.conflict = where, .conflict_free_step = 0, .slices = {}});
}

/// Two parts with a cut between them did not conflict. A kernel whose work-items share elements
/// does so in steps (out[i / 100], out[i & ~1]), and shows no conflict where a cut falls between
/// two steps; so this says something about multiples of the cut only. See docs/splitting.md.
void CoRun::remember_cut(std::size_t group) {
  const std::size_t step = std::gcd(conflict_free_step_, group);
  if (step == conflict_free_step_) return;
  conflict_free_step_ = step;
  if (!depends_on_data())
    add_proof(resolver_, job_, {.conflict = "", .conflict_free_step = step, .slices = {}});
}

// Two parts that write apart do not conflict, and yet one may have read what the other one changes:
// a[i] = a[i - 1] + 1 is a chain through all elements on one device, and a new chain in every part.
// So each part runs once more, on the others' results in place of what was there before: a part
// that does the same again did not look.

/// A cut that was shown to be right needs no second look, unless other data decide otherwise.
bool CoRun::needs_confirmation(const std::vector<std::size_t>& cuts) const {
  if (!facts_.reads_what_is_written || cuts.empty()) return false;
  if (depends_on_data() || conflict_free_step_ == 0) return true;
  return std::any_of(cuts.begin(), cuts.end(),
                     [&](std::size_t cut) { return cut % conflict_free_step_ != 0; });
}

/// The caller's buffers as they are now, by argument; empty where a kernel writes nothing.
std::vector<HostArray> CoRun::copy_results() const {
  std::vector<HostArray> copies(job_.arguments.size());
  for (const std::size_t i : results_)
    copies[i] = HostArray::copy_of(std::get<BufferArgument>(job_.arguments[i]).data);
  return copies;
}

/// What every buffer held before the run, changed by all devices but this one.
std::vector<HostArray> CoRun::others_contents(std::size_t device, const Done& done,
                                              const std::vector<HostArray>& owners,
                                              std::size_t owner) {
  std::vector<HostArray> contents(job_.arguments.size());
  for (std::size_t i = 0; i < contents.size(); ++i) {
    if (owners[i].empty()) continue;
    contents[i] = HostArray(owners[i].size());
    if (!initial_[i].empty())
      std::memcpy(contents[i].data(), initial_[i].data(), initial_[i].size());
    const std::size_t element = std::get<BufferArgument>(job_.arguments[i]).element_bytes;
    for (std::size_t other = 0; other < done.size(); ++other) {
      if (other == device || done[other].empty()) continue;
      const ByteView changed = other == owner ? owners[i].view() : placements_[other]->written(i);
      // There is no conflict: the merge before this one would have found it.
      merge_changes(contents[i].span(), changed, initial_[i], element);
    }
  }
  return contents;
}

/// `owners` is what the owner of the result had made of it before the others were merged in. The
/// result holds the merged run; only the placements' own memory is used here.
std::optional<std::string> CoRun::confirm(const Done& done, const std::vector<HostArray>& owners,
                                          std::size_t owner) {
  const auto started = now_ns();
  // All of them before any device begins, since they are made from what the devices hold.
  std::vector<std::vector<HostArray>> contents(done.size());
  const Finisher finisher(*this);  // before `contents` goes: devices may still read it
  for (std::size_t i = 0; i < done.size(); ++i)
    if (!done[i].empty()) contents[i] = others_contents(i, done, owners, owner);
  for (std::size_t i = 0; i < done.size(); ++i) {
    if (done[i].empty()) continue;
    std::vector<ByteView> views;
    for (const auto& array : contents[i]) views.push_back(array.view());
    auto& placement = *placements_[i];
    placement.bind(Placement::Target::own);
    placement.upload(views, Placement::Ranges(views.size()), Placement::Reset::yes);
    for (const auto& part : done[i]) placement.launch(part_range(job_.range, part));
    placement.download(Placement::Target::own, Placement::Ranges(views.size()));
    placement.flush();
  }
  for (std::size_t i = 0; i < done.size(); ++i)
    if (!done[i].empty()) placements_[i]->finish();
  if (options_.trace != nullptr)
    options_.trace->add({"host", "confirm", "merge", started, now_ns(), {}});

  for (std::size_t i = 0; i < done.size(); ++i) {
    if (done[i].empty()) continue;
    for (std::size_t k = 0; k < owners.size(); ++k) {
      if (owners[k].empty()) continue;
      const ByteView merged = std::get<BufferArgument>(job_.arguments[k]).data;
      const ByteView again = placements_[i]->written(k);
      const auto [at, end] = std::mismatch(merged.begin(), merged.end(), again.begin());
      if (at != merged.end())
        return fmt::format("one part reads what another one writes: byte {} of {} depends on it",
                           at - merged.begin(), argument_text(k));
    }
  }
  return {};
}

}  // namespace kiln
