#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <set>

#include "base/file.hpp"
#include "base/process.hpp"
#include "kernel/apart/job.hpp"
#include "kernel/compile.hpp"

namespace kiln {
namespace fs = std::filesystem;
namespace {

/// The file that holds this code: libkiln.so, or the program it is linked into.
fs::path own_file() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&find_compile_helper), &info) == 0 ||
      info.dli_fname == nullptr)
    return {};
  std::error_code error;
  // A program's own name may be relative to a folder that was left since; the kernel knows better.
  const fs::path named = fs::canonical(info.dli_fname, error);
  if (!error && named.extension() != "") return named;
  return fs::canonical("/proc/self/exe", error);
}

std::string variant_list(const std::vector<KernelVariant>& variants) {
  std::set<std::string> folders;
  for (const auto& [kernel, variant] : variants) folders.insert(variant.folder());
  std::string list;
  for (const auto& folder : folders) list += (list.empty() ? "" : ",") + folder;
  return list;
}

Expected<Bytes> read_result(const ProcessResult& result, const fs::path& folder,
                            const ApartRequest& request) {
  if (result.timed_out)
    return fail(Errc::timeout, fmt::format("compiling {} took longer than {} s", request.label,
                                           static_cast<double>(request.limit.count()) / 1000));
  if (result.signal != 0)
    return fail(Errc::device, fmt::format("the driver's compiler died of {} on {}",
                                          signal_name(result.signal), request.label));
  if (result.exit_code == apart::done) return read_file(folder / apart::artifact_file);
  const auto log = read_text(folder / apart::log_file);
  if (result.exit_code == apart::does_not_build)
    return tl::unexpected(build_error(request.label, log.value_or("")));
  return fail(Errc::unsupported, fmt::format("the compile helper failed (exit code {}): {}",
                                             result.exit_code, log.value_or(result.errors)));
}

}  // namespace

fs::path find_compile_helper() {
  if (const char* named = std::getenv("KILN_COMPILE_HELPER")) return named;
  static const fs::path found = [] {
    const fs::path folder = own_file().parent_path();
    for (const char* place : {"kiln-compile", "../bin/kiln-compile", "../libexec/kiln/kiln-compile",
                              "../../libexec/kiln/kiln-compile"}) {
      std::error_code error;
      const auto path = fs::canonical(folder / place, error);
      if (!error) return path;
    }
    return fs::path();
  }();
  return found;
}

Expected<Bytes> compile_apart(const Device& device, const ApartRequest& request) {
  const auto helper = find_compile_helper();
  if (helper.empty()) return fail(Errc::unsupported, "the compile helper kiln-compile is absent");
  auto folder = TemporaryFolder::create("kiln-compile");
  if (!folder) return tl::unexpected(folder.error());
  std::error_code error;
  fs::create_directory(folder->path() / apart::cache_folder, error);

  apart::Job job;
  job.fingerprint = device.fingerprint();
  job.options = request.options;
  job.source = request.text;
  job.archive.assign(request.archive.begin(), request.archive.end());
  job.build_hash = request.build_hash;
  for (const auto& [kernel, variant] : request.variants)
    job.variants.emplace_back(kernel, variant.folder());
  if (auto written = write_file(folder->path() / apart::job_file, apart::encode(job), 0600);
      !written)
    return tl::unexpected(written.error());

  ProcessRequest process;
  process.program = helper;
  process.folder = folder->path();
  process.limit = request.limit;
  // A relative cache folder keeps this machine's paths, and so the user's name, out of the archive.
  process.environment = {{"POCL_CACHE_DIR", apart::cache_folder},
                         {"POCL_BINARY_SPECIALIZE_WG", variant_list(request.variants)},
                         {"POCL_KERNEL_CACHE", "1"}};
  const auto result = run_process(process);
  if (!result) return tl::unexpected(result.error());
  return read_result(*result, folder->path(), request);
}

}  // namespace kiln
