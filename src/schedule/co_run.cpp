#include "schedule/co_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>

#include "base/clock.hpp"
#include "device/opencl.hpp"

// How a Job runs on several devices: resolved for each of them, cut, launched and read back; in one
// go (run_parts) or chunk by chunk (run_dynamic). merge.cpp puts together what the parts wrote.
namespace kiln {

CoRun::CoRun(Resolver& resolver, std::vector<Queue> queues, Job job, Options options)
    : resolver_(resolver), job_(std::move(job)), options_(options) {
  check_before_compiling(queues);
  std::vector<KernelVariant> wanted{variant_of(job_.kernel, job_.range)};
  if (queues.size() > 1 && groups() > 1) {
    // A second device's part has an offset; ask for it at once, since it compiles in one go.
    auto offset = wanted.front();
    offset.variant.zero_offset = false;
    offset.for_part = true;
    wanted.push_back(std::move(offset));
  }
  std::vector<Program*> programs;
  for (const Queue& queue : queues) {
    Explanation explanation;
    Explanation* const told = options_.explanations != nullptr ? &explanation : nullptr;
    programs.push_back(
        &resolver_.resolve(job_.request, queue.context(), queue.device(), wanted, told));
    KernelFacts facts = resolver_.facts(job_.request, *programs.back(), job_.kernel, told);
    if (programs.size() == 1)
      facts_ = std::move(facts);
    else
      add_worse(facts_, facts);
    if (told != nullptr) options_.explanations->push_back(std::move(explanation));
  }
  // The kernel's interface is the same on every device, so the first program is enough to check it.
  program_ = programs.front();
  const KernelInfo& kernel = program_->kernel(job_.kernel);
  value_or_throw(check_arguments_match(kernel, job_, facts_.parameters));
  take_element_sizes(kernel, facts_.parameters, job_);
  protect_inputs();
  note_initial();
  for (std::size_t i = 0; i < queues.size(); ++i)
    placements_.push_back(std::make_unique<Placement>(
        std::move(queues[i]), *programs[i], job_,
        fmt::format("device {}: {}", i, programs[i]->device()->name), options_.memory));
  if (queues.size() > 1) {
    Proof proof = load_proof(resolver_, job_);
    conflict_ = proof.conflict;
    conflict_free_step_ = proof.conflict_free_step;
    slices_ = std::move(proof.slices);
  }
}

CoRun::~CoRun() = default;

/// Errors that do not depend on the kernel, found before a compiler is started.
void CoRun::check_before_compiling(const std::vector<Queue>& queues) const {
  if (queues.empty()) throw Error(Errc::bad_input, "no device to run on");
  for (const auto& queue : queues) {
    value_or_throw(check_range(job_.range, *queue.device()));
    if (queue.cl().getInfo<CL_QUEUE_PROPERTIES>() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
      throw Error(Errc::unsupported, "a run needs a queue that executes in order");
  }
  value_or_throw(check_buffers_apart(job_));
  value_or_throw(check_module_takes(job_));
}

/// A kernel may write a buffer that its caller calls an input. The caller's memory must not
/// change, so the kernel gets a private copy, which every run fills again. A kernel that was not
/// understood may write any of them.
void CoRun::protect_inputs() {
  scratch_.resize(job_.arguments.size());
  initial_.resize(job_.arguments.size());
  for (std::size_t i = 0; i < job_.arguments.size(); ++i) {
    auto* buffer = std::get_if<BufferArgument>(&job_.arguments[i]);
    const bool written = i >= facts_.parameters.size() || facts_.parameters[i].written;
    if (buffer == nullptr || buffer->access != BufferArgument::Access::in || !written) continue;
    scratch_[i] = HostArray::copy_of(buffer->data);
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
    results_.push_back(i);
    aligned_results_ = aligned_results_ && is_buffer_aligned(buffer->data.data());
    if (buffer->access != BufferArgument::Access::inout || !initial_[i].empty()) continue;
    noted_[i] = HostArray::copy_of(buffer->data);
    initial_[i] = noted_[i].view();
  }
}

void CoRun::take_contents() {
  for (std::size_t i = 0; i < job_.arguments.size(); ++i) {
    const auto* buffer = std::get_if<BufferArgument>(&job_.arguments[i]);
    if (buffer == nullptr || !buffer->continues || noted_[i].empty()) continue;
    std::memcpy(noted_[i].data(), buffer->data.data(), noted_[i].size());
  }
}

std::string CoRun::refusal() const {
  if (!conflict_.empty()) return conflict_;
  if (!facts_.splittable)
    return facts_.reasons.empty() ? "the kernel was not understood" : facts_.reasons.front();
  return "";
}

bool CoRun::provable() const {
  return refusal().empty() && !facts_.suspicious && !facts_.data_dependent_writes;
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

void CoRun::start(std::size_t device, const Team& team, const Placement::Ranges& ranges) {
  auto& placement = *placements_[device];
  placement.bind(team.target(device));
  placement.timeline().clear();
  // Memory that devices share is reset once.
  const bool resets = device == team.owner || team.sharing == Sharing::merged;
  placement.upload(initial_, ranges, resets ? Placement::Reset::yes : Placement::Reset::no);
}

/// Whether every buffer that is written may be sliced at all these cuts: then no two parts write
/// one element, and every device's slice goes straight into the result.
bool CoRun::slices_cover(const std::vector<Part>& parts) const {
  if (options_.always_merge || !provable() || !aligned_results_) return false;
  if (!std::ranges::all_of(results_, [&](std::size_t i) { return slices_.holds(i); })) return false;
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
  Team team;
  Done done(parts.size());
  std::vector<std::size_t> cuts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty()) continue;
    team.devices.push_back(i);
    done[i].push_back(parts[i]);
    cuts.push_back(parts[i].begin);
  }
  team.sharing = team.devices.size() == 1  ? Sharing::one_device
                 : may_run_in_place(parts) ? Sharing::in_place
                 : slices_cover(parts)     ? Sharing::sliced
                                           : Sharing::merged;
  team.owner = pick_owner(team.devices);
  std::vector<Placement::Ranges> ranges(parts.size());
  for (const std::size_t i : team.devices) ranges[i] = ranges_of(i, parts[i], team.sharing);

  const auto started = now_ns();
  // Everything is reset before anything runs: in place, devices share one result.
  for (const std::size_t i : team.devices) start(i, team, ranges[i]);
  for (const std::size_t i : team.devices) placements_[i]->launch(part_range(job_.range, parts[i]));
  for (const std::size_t i : team.devices) {
    placements_[i]->download(team.target(i), ranges[i]);
    placements_[i]->flush();
  }
  for (const std::size_t i : team.devices) placements_[i]->finish();
  if (team.devices.size() > 1) last_ = parts;
  return conclude(started, team, done, cuts);
}

void CoRun::report_device(RunReport& report, std::size_t device, std::size_t groups) {
  RunSummary::Share share;
  auto& placement = *placements_[device];
  share.device = placement.device().name;
  share.groups = groups;
  if (groups > 0) {
    share.kernel_ns = placement.timeline().total_ns("kernel");
    share.transfer_ns =
        placement.timeline().total_ns("write") + placement.timeline().total_ns("read");
    if (options_.trace != nullptr) placement.timeline().send(*options_.trace);
  }
  report.shares.push_back(std::move(share));
}

// Self-scheduling for CoRun: chunks of work-groups, large at first and shrinking (HGuided, after
// "Maat" and "EngineCL": chunk = what is left × a device's share of the speed / 2).
namespace {

/// Hands out chunks; shared by the devices' threads.
class ChunkSource {
 public:
  ChunkSource(std::size_t groups, std::vector<double> speeds)
      : left_(groups), groups_(groups), speeds_(std::move(speeds)) {
    // Below this a launch costs more than its work spreads.
    least_ = std::max<std::size_t>(1, groups / 64);
  }

  /// The next chunk for a device, empty at the end. `last` and `took_ns` are its previous one.
  Part next(std::size_t device, std::size_t last, std::int64_t took_ns) {
    const std::lock_guard lock(mutex_);
    if (last > 0 && took_ns > 0) {
      const double measured = static_cast<double>(last) / static_cast<double>(took_ns);
      // Guesses are in compute units: the first measurement gives the others their scale.
      if (!measured_) {
        const double scale = measured / speeds_[device];
        for (auto& speed : speeds_) speed *= scale;
        measured_ = true;
      }
      speeds_[device] = measured;
    }
    double total = 0;
    for (const double speed : speeds_) total += speed;
    const double share = total > 0 ? speeds_[device] / total : 1.0;
    auto size = static_cast<std::size_t>(static_cast<double>(left_) * share / 2);
    size = std::min(left_, std::max(size, least_));
    const std::size_t begin = groups_ - left_;
    left_ -= size;
    return {begin, begin + size};
  }

 private:
  std::mutex mutex_;
  std::size_t left_, groups_, least_;
  std::vector<double> speeds_;
  bool measured_ = false;
};

/// Where a chunk of one device meets one of another.
std::vector<std::size_t> cuts_between(const std::vector<std::vector<Part>>& done) {
  std::map<std::size_t, std::size_t> owners;  // by a chunk's first group
  for (std::size_t i = 0; i < done.size(); ++i)
    for (const auto& part : done[i]) owners[part.begin] = i;
  std::vector<std::size_t> cuts;
  for (auto at = owners.begin(); at != owners.end(); ++at)
    if (at != owners.begin() && std::prev(at)->second != at->second) cuts.push_back(at->first);
  return cuts;
}

}  // namespace

RunReport CoRun::run_dynamic() {
  if (placements_.size() == 1) return run_on(0);
  if (!refusal().empty()) return fall_back(0, refusal(), false);

  const Finisher finisher(*this);
  Team team;
  team.devices.resize(placements_.size());
  std::iota(team.devices.begin(), team.devices.end(), std::size_t{0});
  // Where the chunks will end is not known yet, so every cut must have been shown to be right.
  const bool in_place = conflict_free_step_ == 1 &&
                        may_run_in_place(std::vector<Part>(device_count(), {0, groups()}));
  team.sharing = in_place ? Sharing::in_place : Sharing::merged;
  team.owner = pick_owner(team.devices);
  const auto started = now_ns();
  const Placement::Ranges whole(job_.arguments.size());
  for (const std::size_t i : team.devices) start(i, team, whole);

  std::vector<double> speeds;
  for (const auto& placement : placements_) speeds.push_back(placement->device().compute_units);
  ChunkSource chunks(groups(), speeds);
  Done done(placements_.size());
  const auto work = [&](std::size_t i) {
    auto& placement = *placements_[i];
    std::size_t last = 0;
    std::int64_t took = 0;
    for (;;) {
      const Part part = chunks.next(i, last, took);
      if (part.empty()) break;
      const auto chunk_started = now_ns();
      placement.launch(part_range(job_.range, part));
      placement.finish();
      took = now_ns() - chunk_started;
      last = part.groups();
      done[i].push_back(part);
    }
    placement.download(team.target(i), whole);
    placement.finish();
  };
  {
    std::vector<std::future<void>> others;  // each is waited for, also where an error is thrown
    for (std::size_t i = 1; i < placements_.size(); ++i)
      others.push_back(std::async(std::launch::async, work, i));
    work(0);
    for (auto& other : others) other.get();
  }

  // A device that came too late for any chunk has changed nothing, and merges as such.
  return conclude(started, team, done, cuts_between(done));
}

}  // namespace kiln
