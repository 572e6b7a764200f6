// Whether parts saw what other parts wrote. Two parts that write apart do not conflict, and yet one
// may have read what the other one changes: a[i] = a[i - 1] + 1 goes on from element to element on
// one device, and begins anew at every cut. So each part runs once more, on the others' results in
// place of what was there before: a part that does the same again did not look.
#include <fmt/format.h>

#include <algorithm>

#include "base/clock.hpp"
#include "schedule/co_run.hpp"
#include "schedule/host_array.hpp"
#include "schedule/merge.hpp"

namespace kiln {

/// A cut that was shown to be right needs no second look, unless other data decide otherwise.
bool CoRun::needs_confirmation(const std::vector<std::size_t>& cuts) const {
  if (!safety_.reads_what_is_written || cuts.empty()) return false;
  if (depends_on_data() || conflict_free_step_ == 0) return true;
  return std::any_of(cuts.begin(), cuts.end(),
                     [&](std::size_t cut) { return cut % conflict_free_step_ != 0; });
}

/// The caller's buffers as they are now, by argument; empty where a kernel writes nothing.
std::vector<HostArray> CoRun::copy_results() const {
  std::vector<HostArray> copies(job_.arguments.size());
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const auto* buffer = std::get_if<BufferArgument>(&job_.arguments[i]);
    if (buffer == nullptr || buffer->access == BufferArgument::Access::in) continue;
    copies[i] = HostArray(buffer->data.size());
    std::memcpy(copies[i].data(), buffer->data.data(), buffer->data.size());
  }
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
