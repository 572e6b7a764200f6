#include "kernel/apart/probe.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/data/digest.hpp"
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
  std::vector<unsigned char> bytes(job.archive.size());
  std::memcpy(bytes.data(), job.archive.data(), bytes.size());
  cl::Program program(context, {device->handle}, cl::Program::Binaries{std::move(bytes)});
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

using Attempt = Expected<void>;

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
                 const CompileWays& ways) {
  Job job;
  job.task = Job::Task::trial;
  job.fingerprint = device.fingerprint();
  job.archive.assign(bytes.begin(), bytes.end());
  for (const auto& one : variants) job.variants.emplace_back(one.kernel, one.variant.folder());
  HelperSetting setting;
  setting.limit = trial_limit;
  if (ways.archives) setting.environment = {{"PATH", "/nonexistent"}};
  const auto run = value_or_throw(run_helper(job, setting));
  if (const auto how = how_it_failed(run))
    throw Error(Errc::device, fmt::format("the trial program does not start: {}", *how));
}

Bytes made_by(const Device& device, const CompileWays& ways) {
  Bytes made = value_or_throw(compile_apart(device, trial_request(ways)));
  if (ways.archives) check_archive(device, made);
  return made;
}

Attempt try_ways(const Device& device, const CompileWays& ways) {
  return expected_from(
      [&] { check_start(device, made_by(device, ways), {variant_for(first_local)}, ways); });
}

Attempt try_additions(const Device& device, const CompileWays& ways) {
  return expected_from([&] {
    ApartRequest request = trial_request(ways);
    const Bytes first = made_by(device, ways);
    request.text.clear();
    request.archive = first;
    request.variants = {variant_for(added_local)};
    const Bytes both = value_or_throw(compile_apart(device, request));
    check_start(device, both, {variant_for(first_local), variant_for(added_local)}, ways);
  });
}

/// Whether the helper said by itself that it could not: it would say so again, whoever started it.
/// What else fails may do so once for want of memory or time, and is tried again.
bool is_final(const Attempt& attempt) {
  return attempt || attempt.error().code() == Errc::internal;
}

template <class Try>
Attempt twice(const Try& attempt) {
  Attempt first = attempt();
  if (is_final(first)) return first;
  log(LogLevel::info, "trial of the driver: " + first.error().message());
  return attempt();
}

Finding finding_of(const Attempt& attempt) {
  return attempt ? Finding{true, ""} : Finding{false, attempt.error().message()};
}

void require_helper() {
  const auto helper = find_compile_helper();
  if (auto usable = usable_helper(helper); !usable) throw usable.error();
}

/// The first ways that work, from those that need most; the findings say what had to be given up.
Findings probe_ways(const Device& device) {
  Findings found;
  const auto note = [&](const char* name, const Attempt& attempt) {
    found[name] = finding_of(attempt);
  };
  CompileWays ways;
  const auto works = [&](const char* name, Attempt& last) {
    ways.server = serves();
    last = twice([&] { return try_ways(device, ways); });
    if (ways.server && !is_final(last)) {
      const Attempt with_server = last;
      ways.server = false;
      last = twice([&] { return try_ways(device, ways); });
      if (last) note(compiling::server, with_server);
    } else if (ways.server && last) {
      note(compiling::server, {});
    }
    note(name, last);
    return last.has_value();
  };
  Attempt last;
  if (works(compiling::stubs, last)) {
    note(compiling::archives, {});
  } else if (ways.stubs = false; works(compiling::archives, last)) {
    // what the stubs' trial has said stays
  } else if (ways.archives = false; !works(compiling::helper, last)) {
    found[compiling::helper].lasts = false;
    return found;
  }
  note(compiling::helper, {});
  return found;
}

}  // namespace

Findings probe_compiling(const Device& device, const std::vector<std::string>& names,
                         const CompileWays& known) {
  require_helper();
  const auto asks = [&](const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  Findings found;
  CompileWays ways = known;
  if (asks(compiling::helper)) {
    found = probe_ways(device);
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
