#include "schedule/graph_findings/part_trials.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "base/data/byte_fields.hpp"
#include "base/log.hpp"
#include "device/transfer.hpp"
#include "store/key/canonical.hpp"

namespace kiln::graph {
namespace {

/// What memory holds that no part is to write.
constexpr std::byte untouched{0xa5};

bool is_written(const Use& use) { return use.access != Access::in; }

Bytes contents_of(const Queue& queue, cl_mem memory, std::size_t bytes) {
  Bytes contents(bytes);
  enqueue_read(queue, cl::Buffer(memory, true), 0, contents, {.waits = true});
  return contents;
}

std::vector<Bytes> written_contents(const TaskRun& run) {
  std::vector<Bytes> contents;
  for (std::size_t use = 0; use < run.memory.size(); ++use) {
    const Use& entry = run.work.uses()[use];
    contents.push_back(
        is_written(entry) ? contents_of(run.where.queue, run.memory[use], entry.bytes) : Bytes());
  }
  return contents;
}

/// Parts of a task over memory of their own, and the task's inputs.
class Rerun {
 public:
  Rerun(const TaskRun& run, Resolver& resolver, const std::vector<Bytes>& initial)
      : run_(run),
        resolver_(resolver),
        initial_(initial),
        memory_(run.memory.begin(), run.memory.end()) {
    const Queue& queue = run.where.queue;
    for (std::size_t use = 0; use < memory_.size(); ++use) {
      buffers_.emplace_back();
      if (!is_written(run.work.uses()[use])) continue;
      buffers_.back() =
          make_buffer(*queue.context(), *queue.device(), nullptr, run.work.uses()[use].bytes);
      memory_[use] = buffers_.back().cl();
    }
  }

  /// What is written holds after works have run one after the other, from the task's own start;
  /// outside of `inside`, by use, from other contents.
  std::vector<Bytes> after(std::span<const WorkPtr> works, const std::vector<ByteRange>* inside) {
    const Queue& queue = run_.where.queue;
    for (std::size_t use = 0; use < memory_.size(); ++use) {
      if (initial_[use].empty()) continue;
      Bytes start = initial_[use];
      if (inside != nullptr) {
        std::fill(start.begin(), start.begin() + at((*inside)[use].begin), untouched);
        std::fill(start.begin() + at((*inside)[use].end), start.end(), untouched);
      }
      enqueue_write(queue, buffers_[use].cl, 0, start, {.waits = true});
    }
    for (const WorkPtr& work : works) {
      work->prepare(resolver_, queue)->enqueue(*work, memory_, {}, nullptr);
      run_.wait(queue);
    }
    std::vector<Bytes> contents;
    for (std::size_t use = 0; use < memory_.size(); ++use)
      contents.push_back(
          initial_[use].empty() ? Bytes() : contents_of(queue, memory_[use], initial_[use].size()));
    return contents;
  }

 private:
  static std::ptrdiff_t at(std::size_t byte) { return static_cast<std::ptrdiff_t>(byte); }
  const TaskRun& run_;
  Resolver& resolver_;
  const std::vector<Bytes>& initial_;
  std::vector<Buffer> buffers_;
  std::vector<cl_mem> memory_;
};

/// Whether a part that runs alone does within its pieces what the whole does, and nothing outside.
bool stays_within(const WorkGraph::Part& part, Rerun& rerun, const std::vector<Bytes>& whole) {
  const auto alone = rerun.after({&part.work, 1}, &part.writes);
  for (std::size_t use = 0; use < alone.size(); ++use)
    for (std::size_t at = 0; at < alone[use].size(); ++at) {
      const bool is_inside = at >= part.writes[use].begin && at < part.writes[use].end;
      if (alone[use][at] != (is_inside ? whole[use][at] : untouched)) return false;
    }
  return true;
}

/// What a kernel adds to may stay as it is where it adds nothing, so that a write outside of a
/// piece does not show. Where each element has changed, the pieces' own parts have written all of
/// them; none is left for another part then, unless two work-items write the same one.
bool all_have_changed(const KernelWork& kernel, const std::vector<Bytes>& initial,
                      const std::vector<Bytes>& whole) {
  for (std::size_t use = 0; use < whole.size(); ++use) {
    if (whole[use].empty() || kernel.writes(use) != Work::Writes::unknown) continue;
    const std::size_t element = kernel.element_bytes(use);
    for (std::size_t at = 0; at < whole[use].size(); at += element) {
      const std::size_t bytes = std::min(element, whole[use].size() - at);
      if (std::memcmp(&whole[use][at], &initial[use][at], bytes) == 0) return false;
    }
  }
  return true;
}

/// Whether no two parts write the same byte of what starts as zeros, as far as what they write
/// there differs from other contents.
bool write_apart(const std::vector<WorkGraph::Part>& parts, const Work& whole, Rerun& rerun) {
  std::vector<std::vector<bool>> is_taken(whole.uses().size());
  std::vector<ByteRange> kept;
  for (const Use& use : whole.uses())
    kept.push_back({0, use.access == Access::out ? 0 : use.bytes});
  for (const auto& part : parts) {
    const auto alone = rerun.after({&part.work, 1}, &kept);
    for (std::size_t use = 0; use < alone.size(); ++use) {
      if (whole.uses()[use].access != Access::out) continue;
      is_taken[use].resize(alone[use].size());
      for (std::size_t at = 0; at < alone[use].size(); ++at) {
        if (alone[use][at] == untouched) continue;
        if (is_taken[use][at]) return false;
        is_taken[use][at] = true;
      }
    }
  }
  return true;
}

struct Shown {
  bool are_alike = false, are_in_pieces = false;
};
constexpr std::uint32_t shown_schema = 3;
constexpr auto shown_fields = [](auto& to, auto& shown) {
  to.field("alike", shown.are_alike);
  to.field("in pieces", shown.are_in_pieces);
};

}  // namespace

bool PartTrials::Candidate::is_shown() const {
  if (is_known || !are_alike) return true;
  return std::ranges::all_of(kinds, [&](const std::string& kind) {
    return kind.empty() || std::ranges::find(seen, kind) != seen.end();
  });
}

std::size_t PartTrials::add(WorkPtr whole, KernelParts parts,
                            const std::vector<const Device*>& devices) {
  Candidate made;
  std::set<std::string> kinds;
  for (const Device* device : devices) {
    made.kinds.push_back(device == nullptr ? "" : device->fingerprint());
    if (device != nullptr) kinds.insert(made.kinds.back());
  }
  CanonicalWriter writer("graph task parts", 2);
  const auto& kernel = static_cast<const KernelWork&>(*whole);
  writer.bytes("kind", kernel.kind());
  write_shape(writer, kernel.job());
  for (const Use& use : kernel.uses()) writer.integer("access", static_cast<int>(use.access));
  for (const Part& part : parts.cuts) writer.integer("cut", static_cast<std::int64_t>(part.end));
  for (const std::string& kind : kinds) writer.text("device", kind);
  made.identity = writer.view();
  for (std::size_t i = 0; i < candidates_.size(); ++i)
    if (candidates_[i].identity == made.identity) return i;
  made.are_in_pieces = parts.are_in_pieces;
  if (resolver_.store() != nullptr) {
    const auto known = resolver_.store()->get(Kind::record, key_of(made.identity), made.identity);
    if (known.entry && known.entry->metadata.schema == shown_schema)
      if (const auto shown =
              read_by<Shown>(shown_fields, known.entry->content, "parts of a task")) {
        made.is_known = true;
        made.are_alike = shown->are_alike;
        made.are_in_pieces = shown->are_in_pieces && parts.are_in_pieces;
      }
  }
  made.whole = std::move(whole);
  made.parts = std::move(parts);
  candidates_.push_back(std::move(made));
  return candidates_.size() - 1;
}

bool PartTrials::is_wanted(const Candidate& candidate, std::uint32_t device) const {
  const std::string& kind = candidate.kinds[device];
  return !candidate.is_shown() && !kind.empty() &&
         std::ranges::find(candidate.seen, kind) == candidate.seen.end();
}

bool PartTrials::lack(std::uint32_t device) const {
  return std::ranges::any_of(candidates_,
                             [&](const Candidate& one) { return is_wanted(one, device); });
}

void PartTrials::before(const TaskRun& run) {
  initial_.clear();
  for (const Candidate& candidate : candidates_)
    if (candidate.whole.get() == &run.work && is_wanted(candidate, run.where.device))
      initial_[&run.work] = {written_contents(run)};
}

void PartTrials::after(const TaskRun& run) {
  for (Candidate& candidate : candidates_) {
    if (candidate.whole.get() != &run.work || !is_wanted(candidate, run.where.device)) continue;
    if (!initial_.contains(&run.work)) continue;
    try {
      look(candidate, run);
    } catch (const Error& error) {
      if (error.code() != Errc::device) throw;
      candidate.are_alike = false;
    }
    candidate.seen.push_back(candidate.kinds[run.where.device]);
  }
  initial_.clear();
}

void PartTrials::look(Candidate& candidate, const TaskRun& run) {
  ++looks_;
  const auto whole = written_contents(run);
  Rerun rerun(run, resolver_, initial_.at(&run.work).by_use);
  const auto& parts = candidate.parts.parts;
  // Where a part reads what another one writes, the order would show.
  std::vector<WorkPtr> works;
  for (const auto& part : parts) works.push_back(part.work);
  for (int order = 0; order < 2; ++order) {
    candidate.are_alike = candidate.are_alike && rerun.after(works, nullptr) == whole;
    std::ranges::reverse(works);
  }
  const auto& kernel = static_cast<const KernelWork&>(run.work);
  // With other data more may change.
  const bool is_seen = all_have_changed(kernel, initial_.at(&run.work).by_use, whole);
  candidate.is_for_good = candidate.is_for_good && (is_seen || !candidate.are_in_pieces);
  const auto is_in_its_pieces = [&](const auto& part) { return stays_within(part, rerun, whole); };
  candidate.are_in_pieces = candidate.are_alike && candidate.are_in_pieces && is_seen &&
                            std::ranges::all_of(parts, is_in_its_pieces);
  if (candidate.are_alike && !candidate.are_in_pieces)
    candidate.are_alike = write_apart(parts, run.work, rerun);
}

std::optional<KernelParts> PartTrials::shown(std::size_t number) const {
  const Candidate& candidate = candidates_[number];
  if (!candidate.is_shown() || !candidate.are_alike) return std::nullopt;
  return candidate.are_in_pieces ? candidate.parts : without_pieces(candidate.parts);
}

void PartTrials::save() {
  if (resolver_.store() == nullptr) return;
  for (Candidate& candidate : candidates_) {
    if (candidate.is_known || !candidate.is_shown() || !candidate.is_for_good) continue;
    candidate.is_known = true;
    const Shown shown{candidate.are_alike, candidate.are_in_pieces};
    const auto kept = resolver_.store()->put(Kind::record, key_of(candidate.identity),
                                             candidate.identity, bytes_by(shown_fields, shown),
                                             {shown_schema, candidate.whole->name(), "", 0});
    if (!kept)
      log(LogLevel::info, "what parts of a task do is not kept: " + kept.error().message());
  }
}

}  // namespace kiln::graph
