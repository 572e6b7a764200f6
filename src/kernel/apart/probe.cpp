#include "kernel/apart/probe.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/data/digest.hpp"
#include "base/data/text.hpp"
#include "base/expected.hpp"
#include "base/log.hpp"
#include "kernel/apart/worker.hpp"

namespace kiln::apart {

// The trial's program: local memory and a barrier, so that work-groups are put together as usual.

namespace {

constexpr const char* kernel_name = "kiln_trial";
constexpr std::string_view trial_text = R"(
kernel void kiln_trial(global uint* out, local uint* parts, uint by) {
  const uint place = (uint)get_local_id(0);
  parts[place] = (uint)get_global_id(0) * by;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = parts[(uint)get_local_size(0) - 1u - place] + (uint)get_group_id(0);
}
)";
constexpr cl_uint factor = 3;
constexpr std::size_t groups = 4, first_local = 64, added_local = 32;

KernelVariant variant_for(std::size_t local) {
  NDRange range;
  range.global[0] = groups * local;
  range.local[0] = local;
  return variant_of(kernel_name, range);
}

void check_results(const std::vector<cl_uint>& out, std::size_t local) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t group = i / local, mirrored = group * local + local - 1 - i % local;
    const auto expected = static_cast<cl_uint>(mirrored * factor + group);
    if (out[i] != expected)
      throw Error(Errc::device, fmt::format("work-item {} of a trial program gave {}, expected {}",
                                            i, out[i], expected));
  }
}

}  // namespace

void run_trial(const Job& job) {
  const auto device = device_of(job.fingerprint);
  const cl::Context context(device->handle);
  const cl::CommandQueue queue(context, device->handle);
  cl::Program program = create_program(context, device->handle, job.archive);
  program.build({device->handle}, job.options.c_str());
  for (const auto& [name, folder] : job.variants) {
    const auto variant = poclbin::Variant::from_folder(folder);
    if (!variant) throw Error(Errc::bad_input, fmt::format("no variant {} of {}", folder, name));
    const std::size_t local = variant->local[0];
    std::vector<cl_uint> out(groups * local);
    const cl::Buffer buffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                            out.size() * sizeof out[0], out.data());
    cl::Kernel kernel(program, name.c_str());
    kernel.setArg(0, buffer);
    kernel.setArg(1, local * sizeof(cl_uint), nullptr);
    kernel.setArg(2, factor);
    queue.enqueueNDRangeKernel(kernel, cl::NDRange(0), cl::NDRange(out.size()), cl::NDRange(local));
    queue.enqueueReadBuffer(buffer, CL_TRUE, 0, out.size() * sizeof out[0], out.data());
    check_results(out, local);
  }
}

// Trials, from the library's side.

namespace {

/// What came of a trial.
struct Attempt {
  Expected<void> result;
  ApartEnd end;

  explicit operator bool() const { return result.has_value(); }
};

constexpr std::chrono::seconds trial_limit{30};

ApartRequest trial_request(const CompileWays& ways) {
  ApartRequest request;
  request.text = trial_text;
  request.label = "a trial program";
  request.build_hash = poclbin::build_hash(blake2b(as_bytes(trial_text)).bytes);
  request.variants = {variant_for(first_local)};
  request.limit = trial_limit;
  request.ways = ways;
  return request;
}

/// What the ways that come later take for granted of an archive.
void check_archive(const Device& device, ByteView bytes) {
  const auto archive = value_or_throw(poclbin::parse(bytes));
  if (archive.device_id != poclbin::device_id(device.pocl_device_string))
    throw Error(Errc::unsupported, "archives name their device in an unknown way");
  if (archive.find(kernel_name) == nullptr)
    throw Error(Errc::unsupported, "archives name their kernels in an unknown way");
  for (const auto& entry : archive.root)
    for (const auto& file : entry)
      if (file.path == "/program.bc") return;
  throw Error(Errc::unsupported, "archives keep the program's bitcode in an unknown place");
}

/// Has a process of its own start the program and check what it computes; where it is an archive,
/// one that finds no compiler.
void check_start(const Device& device, ByteView bytes, std::vector<KernelVariant> variants,
                 const CompileWays& ways, ApartEnd& end) {
  Job job;
  job.task = Job::Task::trial;
  job.fingerprint = device.fingerprint();
  job.archive.assign(bytes.begin(), bytes.end());
  for (const auto& one : variants) job.variants.emplace_back(one.kernel, one.variant.folder());
  HelperSetting setting;
  setting.limit = trial_limit;
  if (ways.archives) setting.environment = {{"PATH", "/nonexistent"}};
  end.by_chance = true;
  const auto run = value_or_throw(run_helper(job, setting));
  end.by_chance = ended_by_chance(run);
  if (const auto how = how_it_failed(run))
    throw Error(Errc::device, fmt::format("the trial program does not start: {}", *how));
}

Bytes made_by(const Device& device, ApartRequest request, ApartEnd& end) {
  request.end = &end;
  Bytes made = value_or_throw(compile_apart(device, request));
  if (request.ways.archives) check_archive(device, made);
  return made;
}

Attempt try_ways(const Device& device, const CompileWays& ways) {
  ApartEnd end;
  auto result = expected_from([&] {
    const Bytes made = made_by(device, trial_request(ways), end);
    check_start(device, made, {variant_for(first_local)}, ways, end);
  });
  return {std::move(result), end};
}

Attempt try_additions(const Device& device, const CompileWays& ways) {
  ApartEnd end;
  auto result = expected_from([&] {
    ApartRequest request = trial_request(ways);
    const Bytes first = made_by(device, request, end);
    request.text.clear();
    request.archive = first;
    request.variants = {variant_for(added_local)};
    const Bytes both = made_by(device, request, end);
    check_start(device, both, {variant_for(first_local), variant_for(added_local)}, ways, end);
  });
  return {std::move(result), end};
}

/// Once more where it failed, unless the helper itself said that it could not: it would say so
/// again. What else fails may do so once for want of memory or time.
template <class Try>
Attempt twice(const Try& attempt) {
  Attempt first = attempt();
  if (first || (first.result.error().code() == Errc::internal && !first.end.by_chance))
    return first;
  log(LogLevel::info, "trial of the driver: " + first.result.error().message());
  return attempt();
}

Finding finding_of(const Attempt& attempt) {
  if (attempt) return {true, ""};
  return {false, one_line(attempt.result.error().message()), !attempt.end.by_chance};
}

void require_helper() {
  const auto helper = find_compile_helper();
  value_or_throw(usable_helper(helper));
  if (::access(helper.c_str(), X_OK) != 0)
    throw Error(Errc::unsupported, "no compile helper at " + helper.string());
}

/// The first ways that work, from those that need most; the findings say what had to be given up.
class Ladder {
 public:
  Ladder(const Device& device, bool serves) : device_(device) { ways_.server = serves; }

  Findings climb_down() {
    if (works(compiling::stubs)) {
      found_[compiling::archives] = {true, ""};
    } else if (ways_.stubs = false; works(compiling::archives)) {
      // what the trial of stubs has said stays
    } else if (ways_.archives = false; !works(compiling::helper)) {
      // It may be the machine's fault, not the driver's.
      for (auto& [name, finding] : found_) finding.lasts = false;
      return found_;
    }
    found_[compiling::helper] = {true, ""};
    return found_;
  }

 private:
  /// Whether the present ways do; else the finding of this name says why not.
  bool works(const char* name) {
    Attempt attempt = twice([&] { return try_ways(device_, ways_); });
    if (attempt && ways_.server) {
      // A server that was busy, or that cannot be started here, leaves its work to a helper.
      found_[compiling::server] =
          attempt.end.by_server ? Finding{true, ""} : Finding{false, "none took the trial", false};
    } else if (ways_.server) {
      CompileWays alone = ways_;
      alone.server = false;
      const Attempt with_server = std::move(attempt);
      attempt = twice([&] { return try_ways(device_, alone); });
      if (attempt) found_[compiling::server] = finding_of(with_server);
    }
    found_[name] = finding_of(attempt);
    return static_cast<bool>(attempt);
  }

  const Device& device_;
  CompileWays ways_;
  Findings found_;
};

}  // namespace

Findings probe_compiling(const Device& device, const std::vector<std::string>& names,
                         const CompileWays& known) {
  require_helper();
  const auto asks = [&](const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  Findings found;
  CompileWays ways = known;
  // They are tried together: what one of them is found to do depends on the others.
  if (asks(compiling::helper) || asks(compiling::archives) || asks(compiling::stubs) ||
      asks(compiling::server)) {
    found = Ladder(device, asks(compiling::server) && serves()).climb_down();
    ways = ways_of(found);
  }
  if (asks(compiling::additions) && ways.helper && ways.archives)
    found[compiling::additions] = finding_of(twice([&] { return try_additions(device, ways); }));
  return found;
}

CompileWays ways_of(const Findings& findings) {
  const auto holds = [&](const char* name) {
    const auto found = findings.find(name);
    return found != findings.end() && found->second.holds;
  };
  const auto server = findings.find(compiling::server);
  CompileWays ways;
  ways.helper = holds(compiling::helper);
  ways.server = server == findings.end() || server->second.holds;  // not asked where it is off
  ways.archives = holds(compiling::archives);
  ways.stubs = holds(compiling::stubs);
  ways.additions = holds(compiling::additions);
  return ways;
}

std::vector<std::string> ways_not_taken(const Findings& findings) {
  std::vector<std::string> lines;
  const auto add = [&](const char* name, std::string_view means) {
    const auto found = findings.find(name);
    if (found == findings.end() || found->second.holds) return;
    lines.push_back(fmt::format("not taken: {} ({}): {}", name, means, found->second.reason));
  };
  add(compiling::helper, "programs are compiled in this process and not kept");
  add(compiling::server, "each compile is a process of its own");
  add(compiling::archives, "programs are kept as the driver gives them");
  add(compiling::stubs, "generic functions are compiled, too");
  add(compiling::additions, "the driver compiles for other local sizes at the launch");
  return lines;
}

}  // namespace kiln::apart
