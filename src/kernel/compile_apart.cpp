#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/file.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "format/poclbin.hpp"
#include "kernel/apart/helper.hpp"
#include "kernel/apart/server.hpp"
#include "kernel/compile.hpp"

namespace kiln {
namespace fs = std::filesystem;
namespace {

std::string variant_list(const std::vector<KernelVariant>& variants) {
  std::set<std::string> folders;
  for (const auto& [kernel, variant] : variants) folders.insert(variant.folder());
  std::string list;
  for (const auto& folder : folders) list += (list.empty() ? "" : ",") + folder;
  return list;
}

// What a helper may write; a server's might write anything.
constexpr std::uint64_t most_artifact = 256u << 20, most_log = 16u << 20;

Expected<Bytes> read_result(const Device& device, const ProcessResult& result,
                            const fs::path& folder, const ApartRequest& request) {
  if (result.timed_out)
    return fail(Errc::timeout, fmt::format("compiling {} took longer than {} s", request.label,
                                           static_cast<double>(request.limit.count()) / 1000));
  if (result.signal != 0) {
    const auto possible = can_compile_here(device);
    return fail(Errc::device,
                fmt::format("the driver's compiler died of {} on {}{}", signal_name(result.signal),
                            request.label, possible ? "" : ": " + possible.error().message()));
  }
  const auto log = read_text(folder / apart::log_file, most_log);
  if (result.exit_code == apart::done) {
    if (request.build_log != nullptr) *request.build_log = log.value_or("");
    return read_file(folder / apart::artifact_file, most_artifact);
  }
  if (result.exit_code == apart::does_not_build)
    return tl::unexpected(build_error(request.label, log.value_or("")));
  return fail(Errc::unsupported, fmt::format("the compile helper failed (exit code {}): {}",
                                             result.exit_code, log.value_or(result.errors)));
}

/// Whether an archive is the one that the job asked for: its build hash comes from the Key, and the
/// driver knows the program by it.
Expected<void> is_of(const apart::Job& job, ByteView bytes) {
  if (job.build_hash.empty()) return {};  // of no program in particular
  const auto archive = poclbin::parse(bytes);
  if (!archive) return tl::unexpected(archive.error());
  if (archive->build_hash != job.build_hash)
    return fail(Errc::bad_input, fmt::format("an archive of {}, expected {}",
                                             one_line(archive->build_hash), job.build_hash));
  for (const auto& [name, variant] : job.variants) {
    const auto* kernel = archive->find(name);
    const auto path = "/" + name + "/" + variant + "/" + name + ".so";
    const auto is_there = [&](const auto& file) { return file.path == path; };
    if (kernel != nullptr && std::none_of(kernel->files.begin(), kernel->files.end(), is_there))
      return fail(Errc::bad_input,
                  fmt::format("an archive without variant {} of {}", variant, name));
  }
  return {};
}

Expected<Bytes> compile_once(const Device& device, const ApartRequest& request) {
  apart::Job job;
  job.fingerprint = device.fingerprint();
  job.options = request.options;
  job.source = request.text;
  job.archive.assign(request.archive.begin(), request.archive.end());
  job.build_hash = request.build_hash;
  job.generic = request.generic;
  for (const auto& [kernel, variant] : request.variants)
    job.variants.emplace_back(kernel, variant.folder());

  apart::HelperSetting setting;
  setting.limit = request.limit;
  setting.keep = request.intermediates;
  setting.shared = setting.keep.empty();
  setting.environment = {{"POCL_BINARY_SPECIALIZE_WG", variant_list(request.variants)}};
  if (!setting.keep.empty())
    setting.environment.emplace_back("POCL_LEAVE_KERNEL_COMPILER_TEMP_FILES", "1");
  for (;; setting.shared = false) {
    const auto run = apart::run_helper(job, setting);
    if (!run) return tl::unexpected(run.error());
    auto made = read_result(device, run->result, run->folder.path(), request);
    const bool said_done =
        run->result.exit_code == apart::done && run->result.signal == 0 && !run->result.timed_out;
    if (!said_done) return made;
    const auto right = made ? is_of(job, *made) : Expected<void>(tl::unexpected(made.error()));
    if (right) return made;
    const std::string message =
        fmt::format("the compile {} said that it was done, but its result is not usable: {}",
                    run->by_server ? "server" : "helper", right.error().message());
    if (!run->by_server) return fail(Errc::unsupported, message);
    log(LogLevel::warning, message);
    apart::give_server_up(find_compile_helper());
  }
}

}  // namespace

Expected<Bytes> compile_apart(const Device& device, const ApartRequest& request) {
  // In one process PoCL 3.1 takes a function for large grids for the one for small grids of the
  // same local size and offset, and makes only the first of the two.
  const auto is_small = [](const KernelVariant& wanted) { return wanted.variant.small_grid; };
  ApartRequest first = request;
  const auto large = std::stable_partition(first.variants.begin(), first.variants.end(), is_small);
  if (large == first.variants.begin() || large == first.variants.end())
    return compile_once(device, request);
  ApartRequest second = request;
  second.variants.assign(large, first.variants.end());
  first.variants.erase(large, first.variants.end());
  const auto archive = compile_once(device, first);
  if (!archive) return archive;
  second.text.clear();
  second.archive = *archive;
  second.generic = false;
  if (!second.intermediates.empty()) second.intermediates += "-large-grids";
  return compile_once(device, second);
}

}  // namespace kiln
