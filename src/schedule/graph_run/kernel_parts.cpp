#include "schedule/graph_run/kernel_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "base/data/byte_fields.hpp"
#include "base/log.hpp"
#include "schedule/graph_run/watched_wait.hpp"
#include "store/key/canonical.hpp"

namespace kiln::graph {
namespace {

constexpr std::size_t most_trial_bytes = std::size_t{1} << 30;
constexpr std::chrono::seconds longest_run{20};
/// Of one graph: many tasks that are all different would take long.
constexpr int most_trials = 32;
/// What memory holds that no part is to write.
constexpr std::byte untouched{0xa5};

bool is_written(const Use& use) { return use.access != Access::in; }

/// Runs of a kernel and of its parts over memory of their own.
class Trial {
 public:
  Trial(const KernelWork& whole, Resolver& resolver, const Queue& queue,
        const std::function<bool()>& stop)
      : whole_(whole), resolver_(resolver), queue_(queue), stop_(stop) {
    for (std::size_t use = 0; use < whole.uses().size(); ++use) {
      const std::size_t bytes = whole.uses()[use].bytes;
      buffers_.push_back(make_buffer(*queue.context(), *queue.device(), nullptr, bytes));
      memory_.push_back(buffers_.back().cl());
      initial_.push_back(numbers(use, bytes));
    }
  }

  /// What all memory that is written holds after works have run one after the other. `only`: with
  /// other contents outside of what this part writes.
  std::vector<Bytes> after(std::span<const WorkPtr> works, const WorkGraph::Part* only) {
    for (std::size_t use = 0; use < memory_.size(); ++use) {
      Bytes start = initial_[use];
      if (only != nullptr && is_written(whole_.uses()[use]))
        for (std::size_t at = 0; at < start.size(); ++at)
          if (at < only->writes[use].begin || at >= only->writes[use].end) start[at] = untouched;
      enqueue_write(queue_, buffers_[use].cl, 0, start, {.waits = true});
    }
    for (const WorkPtr& work : works) run(*work);
    std::vector<Bytes> contents;
    for (std::size_t use = 0; use < memory_.size(); ++use) {
      contents.emplace_back(is_written(whole_.uses()[use]) ? initial_[use].size() : 0);
      if (!contents.back().empty())
        enqueue_read(queue_, buffers_[use].cl, 0, contents.back(), {.waits = true});
    }
    return contents;
  }

 private:
  void run(const Work& work) {
    work.prepare(resolver_, queue_)->enqueue(work, memory_, {}, nullptr);
    Watch watch;
    watch.timeout = longest_run;
    watch.stop = stop_;
    try {
      wait_watched(queue_, watch);
    } catch (const Error& error) {
      if (error.code() != Errc::timeout) throw;
      throw Error(Errc::timeout,
                  fmt::format("{}: it has not ended in {} s over random data, which was to show "
                              "whether parts of it do the same: it can be left whole",
                              work.name(), longest_run.count()));
    }
  }
  /// What each run starts from: numbers of a size that sums and products of many of them keep.
  Bytes numbers(std::size_t use, std::size_t bytes) {
    Bytes made(bytes);
    if (whole_.uses()[use].access == Access::out) return made;
    const std::string& type = whole_.element_types()[use];
    std::uniform_real_distribution<double> fractions(0.5, 1);
    const auto fill = [&]<class T>(T) {
      for (std::size_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
        const T number = static_cast<T>(fractions(random_));
        std::memcpy(made.data() + at, &number, sizeof number);
      }
    };
    if (type.starts_with("float")) {
      fill(float());
    } else if (type.starts_with("double")) {
      fill(double());
    } else if (type.starts_with("half")) {
      for (std::size_t at = 0; at + 1 < bytes; at += 2) made[at + 1] = std::byte{0x38};
      for (std::size_t at = 0; at < bytes; at += 2) made[at] = static_cast<std::byte>(random_());
    } else {
      // Integers may be places of elements: 0 and 1 are there nearly always.
      const std::size_t element = builtin_layout(type).bytes;
      for (std::size_t at = 0; at < bytes; at += element) made[at] = std::byte(random_() % 2);
    }
    return made;
  }

  const KernelWork& whole_;
  Resolver& resolver_;
  const Queue& queue_;
  const std::function<bool()>& stop_;
  std::mt19937_64 random_{1};
  std::vector<Buffer> buffers_;
  std::vector<cl_mem> memory_;
  std::vector<Bytes> initial_;
};

constexpr std::uint32_t shown_schema = 1;
constexpr auto shown_fields = [](auto& to, auto& shown) {
  to.field("alike", shown.are_alike);
  to.field("in pieces", shown.are_in_pieces);
};

/// A part that runs alone does within its pieces what the whole does, and nothing outside.
bool stays_within(const WorkGraph::Part& part, Trial& trial, const std::vector<Bytes>& whole) {
  const auto alone = trial.after({&part.work, 1}, &part);
  for (std::size_t use = 0; use < alone.size(); ++use)
    for (std::size_t at = 0; at < alone[use].size(); ++at) {
      const bool is_inside = at >= part.writes[use].begin && at < part.writes[use].end;
      if (alone[use][at] != (is_inside ? whole[use][at] : untouched)) return false;
    }
  return true;
}

Bytes identity_of(const KernelWork& whole, const std::vector<Part>& cuts,
                  const std::vector<Queue>& queues) {
  CanonicalWriter writer("graph task parts", 1);
  write_program(writer, whole.job());
  write_shape(writer, whole.job());
  for (const Part& part : cuts) writer.integer("cut", static_cast<std::int64_t>(part.end));
  for (const Queue& queue : queues) writer.text("device", queue.device()->fingerprint());
  return writer.view();
}

}  // namespace

KernelCutter::Shown KernelCutter::show(const Queue& queue, const KernelWork& whole,
                                       const std::vector<WorkGraph::Part>& parts,
                                       bool may_be_in_pieces) {
  Trial trial(whole, resolver_, queue, stop_);
  Shown shown;
  const WorkPtr alone = std::make_shared<KernelWork>(whole);
  const auto expected = trial.after({&alone, 1}, nullptr);
  // Where a part reads what another one writes, the order would show.
  std::vector<WorkPtr> works;
  for (const auto& part : parts) works.push_back(part.work);
  for (int order = 0; order < 2; ++order) {
    if (trial.after(works, nullptr) != expected) return shown;
    std::ranges::reverse(works);
  }
  shown.are_alike = true;
  shown.are_in_pieces = may_be_in_pieces && std::ranges::all_of(parts, [&](const auto& part) {
                          return stays_within(part, trial, expected);
                        });
  return shown;
}

const KernelCutter::Shown& KernelCutter::shown(const KernelWork& whole,
                                               const std::vector<Part>& cuts,
                                               const std::vector<WorkGraph::Part>& parts,
                                               bool may_be_in_pieces) {
  const Bytes identity = identity_of(whole, cuts, queues_);
  const auto [found, is_new] = shown_.try_emplace(identity);
  Shown& shown = found->second;
  Layer* const store = resolver_.store();
  if (!is_new) return shown;
  if (store != nullptr) {
    const auto known = store->get(Kind::record, key_of(identity), identity);
    if (known.entry && known.entry->metadata.schema == shown_schema)
      if (const auto read = read_by<Shown>(shown_fields, known.entry->content, "parts of a task"))
        return shown = *read;
  }
  if (++trials_ > most_trials) return shown;
  shown = {true, may_be_in_pieces};
  for (const Queue& queue : queues_) {
    if (!shown.are_alike) break;
    const Shown here = show(queue, whole, parts, shown.are_in_pieces);
    shown = {here.are_alike, here.are_in_pieces};
  }
  if (store == nullptr) return shown;
  const auto kept = store->put(Kind::record, key_of(identity), identity,
                               bytes_by(shown_fields, shown), {shown_schema, whole.name(), "", 0});
  if (!kept) log(LogLevel::info, "what parts of a task do is not kept: " + kept.error().message());
  return shown;
}

std::optional<KernelParts> KernelCutter::cut(const KernelWork& whole,
                                             std::span<const double> weights,
                                             const std::vector<bool>& needs_zeros) {
  const auto is_known = [](const std::string& type) { return builtin_layout(type).known(); };
  if (!whole.may_be_cut() || !std::ranges::all_of(whole.element_types(), is_known))
    return std::nullopt;
  const std::size_t groups = groups_of(whole.job().range);
  std::vector<Part> cuts = kiln::cut(groups, weights);
  std::erase_if(cuts, [](const Part& part) { return part.empty(); });
  if (cuts.size() < 2) return std::nullopt;
  std::size_t bytes = 0;
  for (const Use& use : whole.uses()) bytes += use.bytes;
  if (bytes > most_trial_bytes) return std::nullopt;
  KernelParts made;
  bool may_be_in_pieces = true;
  for (const Part& part : cuts) {
    std::vector<Work::Writes> writes;
    WorkGraph::Part piece;
    for (std::size_t use = 0; use < whole.uses().size(); ++use) {
      writes.push_back(needs_zeros[use] ? Work::Writes::unknown : Work::Writes::whole);
      piece.writes.emplace_back();
      if (!is_written(whole.uses()[use])) continue;
      const auto& argument = whole.job().arguments[whole.memory_positions()[use]];
      const auto slice = slice_of(std::get<BufferArgument>(argument), part, groups);
      if (slice)
        piece.writes.back() = *slice;
      else
        may_be_in_pieces = false;
    }
    piece.work = std::make_shared<KernelWork>(whole, part, std::move(writes));
    made.parts.push_back(std::move(piece));
  }
  const Shown& known = shown(whole, cuts, made.parts, may_be_in_pieces);
  if (!known.are_alike) return std::nullopt;
  made.are_in_pieces = known.are_in_pieces;
  if (!made.are_in_pieces)
    for (auto& part : made.parts) std::ranges::fill(part.writes, ByteRange());
  return made;
}

}  // namespace kiln::graph
