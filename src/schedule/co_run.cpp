#include "schedule/co_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/clock.hpp"
#include "device/forked.hpp"
#include "schedule/argument_check.hpp"
#include "schedule/merge.hpp"
#include "schedule/proof.hpp"

namespace kiln {

CoRun::CoRun(Resolver& resolver, std::vector<Queue> queues, Job job, Options options)
    : resolver_(resolver), job_(std::move(job)), options_(options) {
  check_before_compiling(queues);
  safety_ = analyse_job(job_);
  const std::vector<KernelVariant> wanted = [&] {
    std::vector<KernelVariant> variants{variant_of(job_.kernel, job_.range)};
    if (queues.size() > 1 && refusal().empty() && groups() > 1) {
      // A second device's part has an offset; ask for it at once, since it compiles in one go.
      auto offset = variants.front();
      offset.variant.zero_offset = false;
      variants.push_back(offset);
    }
    return variants;
  }();
  for (std::size_t i = 0; i < queues.size(); ++i) {
    Explanation explanation;
    Program& program =
        resolver_.resolve(job_.request, queues[i].context(), queues[i].device(), wanted,
                          options_.explanations != nullptr ? &explanation : nullptr);
    if (options_.explanations != nullptr) options_.explanations->push_back(std::move(explanation));
    if (i == 0) {
      program_ = &program;
      value_or_throw(check_arguments_match(program.kernel(job_.kernel), job_, safety_.parameters));
      take_element_sizes(program.kernel(job_.kernel), safety_, job_);
      protect_inputs();
      note_initial();
    }
    placements_.push_back(std::make_unique<Placement>(
        std::move(queues[i]), program, job_,
        fmt::format("device {}: {}", i, program.device()->name), options_.memory));
  }
  if (queues.size() > 1) {
    Proof proof = load_proof(resolver_, job_);
    conflict_ = proof.conflict;
    conflict_free_step_ = proof.conflict_free_step;
    slices_ = std::move(proof.slices);
  }
}

CoRun::~CoRun() = default;

/// What is wrong whatever the kernel says: found before a compiler is started.
void CoRun::check_before_compiling(const std::vector<Queue>& queues) const {
  if (queues.empty()) throw Error(Errc::bad_input, "no device to run on");
  for (const auto& queue : queues) {
    value_or_throw(check_range(job_.range, *queue.device()));
    if (queue.cl().getInfo<CL_QUEUE_PROPERTIES>() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
      throw Error(Errc::unsupported, "a run needs a queue that executes in order");
  }
  value_or_throw(check_buffers_apart(job_));
}

/// A kernel may write a buffer that its caller calls an input. The caller's memory must not
/// change, so the kernel gets a private copy, made anew for every run. A kernel that was not
/// understood is trusted with nothing.
void CoRun::protect_inputs() {
  scratch_.resize(job_.arguments.size());
  initial_.resize(job_.arguments.size());
  for (std::size_t i = 0; i < job_.arguments.size(); ++i) {
    auto* buffer = std::get_if<BufferArgument>(&job_.arguments[i]);
    const bool written = i >= safety_.parameters.size() || safety_.parameters[i].written;
    if (buffer == nullptr || buffer->access != BufferArgument::Access::in || !written) continue;
    scratch_[i] = HostArray(buffer->data.size());
    std::memcpy(scratch_[i].data(), buffer->data.data(), buffer->data.size());
    initial_[i] = buffer->data;
    buffer->data = scratch_[i].span();
    buffer->access = BufferArgument::Access::inout;
  }
}

void CoRun::note_initial() {
  noted_.resize(job_.arguments.size());
  for (std::size_t i = 0; i < job_.arguments.size(); ++i) {
    const auto* buffer = std::get_if<BufferArgument>(&job_.arguments[i]);
    if (buffer == nullptr || buffer->access == BufferArgument::Access::in) continue;
    aligned_results_ = aligned_results_ && is_buffer_aligned(buffer->data.data());
    if (buffer->access != BufferArgument::Access::inout || !initial_[i].empty()) continue;
    noted_[i] = HostArray(buffer->data.size());
    std::memcpy(noted_[i].data(), buffer->data.data(), buffer->data.size());
    initial_[i] = noted_[i].view();
  }
}

std::string CoRun::refusal() const {
  if (!conflict_.empty()) return conflict_;
  if (!safety_.splittable)
    return safety_.reasons.empty() ? "the kernel was not understood" : safety_.reasons.front();
  return "";
}

bool CoRun::provable() const {
  return refusal().empty() && !safety_.suspicious && !safety_.data_dependent_writes;
}

RunReport CoRun::run(std::span<const double> weights) {
  refuse_after_fork();
  if (weights.size() != placements_.size())
    throw Error(Errc::bad_input,
                fmt::format("{} weights for {} devices", weights.size(), placements_.size()));
  const auto parts = cut(groups(), weights);
  const auto busy = std::count_if(parts.begin(), parts.end(), [](auto& p) { return !p.empty(); });
  if (busy > 1 && !refusal().empty()) {
    // The device that was given most does it all.
    const auto most = std::max_element(weights.begin(), weights.end()) - weights.begin();
    return fall_back(static_cast<std::size_t>(most), refusal(), false);
  }
  return run_parts(parts);
}

RunReport CoRun::run_on(std::size_t device) {
  std::vector<Part> parts(placements_.size());
  parts[device] = {0, groups()};
  return run_parts(parts);
}

RunReport CoRun::fall_back(std::size_t device, std::string reason, bool conflicted) {
  RunReport report = run_on(device);
  report.reason = std::move(reason);
  report.conflicted = conflicted;
  return report;
}

bool CoRun::may_run_in_place(const std::vector<Part>& parts) const {
  if (conflict_free_step_ == 0 || options_.always_merge || !provable() || !aligned_results_)
    return false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty()) continue;
    const bool shown = parts[i].begin % conflict_free_step_ == 0 || parts[i].begin == 0;
    if (!shown || !placements_[i]->works_in_host_memory()) return false;
  }
  return true;
}

bool CoRun::will_run_in_place() const { return !last_.empty() && may_run_in_place(last_); }

/// The device whose copy the others' changes are merged into: one that can write the result in
/// place, else the first, whose copy is read straight into the result.
std::size_t CoRun::pick_owner(const std::vector<std::size_t>& active) const {
  const auto host = std::find_if(active.begin(), active.end(), [&](std::size_t i) {
    return placements_[i]->works_in_host_memory();
  });
  return host == active.end() ? active.front() : *host;
}

void CoRun::start(std::size_t device, Placement::Target target, const Placement::Ranges& ranges,
                  Placement::Reset reset) {
  placements_[device]->bind(target);
  placements_[device]->timeline().clear();
  placements_[device]->upload(initial_, ranges, reset);
}

/// Whether every buffer that is written may be sliced at all these cuts: then no two parts write
/// one element, and every device's slice goes straight into the result.
bool CoRun::slices_cover(const std::vector<Part>& parts) const {
  if (options_.always_merge || !provable() || !aligned_results_) return false;
  for (std::size_t i = 0; i < job_.arguments.size(); ++i) {
    const auto* buffer = std::get_if<BufferArgument>(&job_.arguments[i]);
    if (buffer != nullptr && buffer->access != BufferArgument::Access::in && !slices_.holds(i))
      return false;
  }
  return std::all_of(parts.begin(), parts.end(), [&](const Part& part) {
    return part.empty() || slices_.cover(part, groups());
  });
}

/// What a part needs of each buffer; nothing for buffers that are needed whole.
Placement::Ranges CoRun::ranges_of(std::size_t device, const Part& part, Sharing sharing) const {
  Placement::Ranges ranges(job_.arguments.size());
  if (sharing != Sharing::sliced || placements_[device]->works_in_host_memory()) return ranges;
  for (std::size_t i = 0; i < ranges.size(); ++i)
    if (slices_.holds(i))
      ranges[i] = slice_of(std::get<BufferArgument>(job_.arguments[i]), part, groups());
  return ranges;
}

RunReport CoRun::run_part(const Part& part) {
  std::vector<Part> parts(placements_.size());
  parts[0] = part;
  return run_parts(parts);
}

CoRun::Finisher::~Finisher() {
  if (std::uncaught_exceptions() == before_) return;
  for (const auto& placement : run_.placements_) {
    try {
      placement->finish();
    } catch (const Error&) {
      // The error that ends this run is on its way already.
    }
  }
}

RunReport CoRun::run_parts(const std::vector<Part>& parts) {
  const Finisher finisher(*this);
  std::vector<std::size_t> active;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (!parts[i].empty()) active.push_back(i);
  const Sharing sharing = active.size() == 1        ? Sharing::one_device
                          : may_run_in_place(parts) ? Sharing::in_place
                          : slices_cover(parts)     ? Sharing::sliced
                                                    : Sharing::merged;
  const std::size_t owner = pick_owner(active);
  const auto target = [&](std::size_t i) {
    return i == owner || sharing != Sharing::merged ? Placement::Target::result
                                                    : Placement::Target::own;
  };
  const auto reset = [&](std::size_t i) {
    return i == owner || sharing == Sharing::merged ? Placement::Reset::yes : Placement::Reset::no;
  };
  std::vector<Placement::Ranges> ranges(parts.size());
  for (const std::size_t i : active) ranges[i] = ranges_of(i, parts[i], sharing);

  const auto started = now_ns();
  // Everything is reset before anything runs: in place, devices share one result.
  for (const std::size_t i : active) start(i, target(i), ranges[i], reset(i));
  for (const std::size_t i : active) placements_[i]->launch(part_range(job_.range, parts[i]));
  for (const std::size_t i : active) {
    placements_[i]->download(target(i), ranges[i]);
    placements_[i]->flush();
  }
  for (const std::size_t i : active) placements_[i]->finish();
  std::vector<std::size_t> cuts;
  for (const std::size_t i : active) cuts.push_back(parts[i].begin);
  std::vector<HostArray> owners;
  if (sharing == Sharing::merged && needs_confirmation(cuts)) owners = copy_results();
  Merged merged;
  if (sharing == Sharing::merged) merged = merge(active, owner);

  RunReport report;
  report.wall_ns = now_ns() - started;
  report.split = active.size() > 1;
  report.merged = sharing == Sharing::merged;
  for (std::size_t i = 0; i < parts.size(); ++i) report_device(report, i, parts[i].groups());
  if (report.split) last_ = parts;
  Done done(parts.size());
  for (const std::size_t i : active) done[i].push_back(parts[i]);
  return settle(std::move(report), std::move(merged), done, owners, owner, cuts);
}

/// What a run has shown, once its parts are merged.
RunReport CoRun::settle(RunReport report, Merged merged, const Done& done,
                        const std::vector<HostArray>& owners, std::size_t owner,
                        const std::vector<std::size_t>& cuts) {
  if (!owners.empty() && !merged.conflict) {
    const auto started = now_ns();
    merged.conflict = confirm(done, owners, owner);
    report.wall_ns += now_ns() - started;
    report.confirmed = merged.shows_cuts && !depends_on_data();
  }
  if (merged.conflict) {
    remember_conflict(*merged.conflict);
    last_.clear();
    return fall_back(owner, *merged.conflict, true);
  }
  if (merged.shows_cuts)
    for (const std::size_t cut : cuts) remember_cut(cut);
  return report;
}

CoRun::Merged CoRun::merge(const std::vector<std::size_t>& active, std::size_t owner) {
  const auto started = now_ns();
  Merged merged;
  std::set<std::size_t> changed;
  for (std::size_t i = 0; i < job_.arguments.size() && !merged.conflict; ++i) {
    const auto* buffer = std::get_if<BufferArgument>(&job_.arguments[i]);
    if (buffer == nullptr || buffer->access == BufferArgument::Access::in) continue;
    // Who adds to an element finds what the other part added, on one device: c[0] += 1 in two parts
    // gives the same number in each, and only half of it.
    const bool is_read = i >= safety_.parameters.size() || safety_.parameters[i].read;
    const auto same_change = is_read ? SameChange::conflicts : SameChange::agrees;
    for (const std::size_t device : active) {
      if (device == owner || merged.conflict) continue;
      const auto outcome = merge_changes(buffer->data, placements_[device]->written(i), initial_[i],
                                         buffer->element_bytes, same_change);
      if (outcome.changed) changed.insert(device);
      if (outcome.conflict)
        merged.conflict = fmt::format("two parts {} byte {} of {}",
                                      is_read ? "both change" : "write different values to",
                                      *outcome.conflict, argument_text(i));
    }
  }
  // Where a device changed nothing (all inputs were zero, say), no conflict could have shown.
  merged.shows_cuts = !merged.conflict && changed.size() + 1 == active.size();
  if (options_.trace != nullptr)
    options_.trace->add({"host", "merge", "merge", started, now_ns(), {}});
  return merged;
}

std::string CoRun::argument_text(std::size_t argument) const {
  return "argument " + argument_name(program_->kernel(job_.kernel), safety_.parameters, argument);
}

/// Whether a run with other data may touch other elements, so that it shows nothing for them.
bool CoRun::depends_on_data() const {
  return safety_.data_dependent_writes || safety_.data_dependent_reads;
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

void CoRun::report_device(RunReport& report, std::size_t device, std::size_t groups) {
  DeviceReport entry;
  auto& placement = *placements_[device];
  entry.name = placement.device().name;
  entry.groups = groups;
  if (groups > 0) {
    entry.kernel_ns = placement.timeline().total_ns("kernel");
    entry.transfer_ns =
        placement.timeline().total_ns("write") + placement.timeline().total_ns("read");
    if (options_.trace != nullptr) placement.timeline().send(*options_.trace);
  }
  report.devices.push_back(std::move(entry));
}

}  // namespace kiln
