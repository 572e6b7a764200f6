// What an archive's launches leave in an empty cache shows whether the driver compiled anything.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "kernel/apart/helper.hpp"
#include "kernel/archive_build.hpp"

namespace kiln {
namespace fs = std::filesystem;
namespace {

/// Files in the cache that are neither the archive's own nor the driver's marks of use.
std::vector<std::string> files_made(const fs::path& cache, const poclbin::Archive& archive) {
  std::set<std::string> own;
  const auto add = [&](const std::vector<poclbin::File>& files) {
    for (const auto& file : files) own.insert(fmt::format("{}{}", archive.build_hash, file.path));
  };
  for (const auto& entry : archive.root) add(entry);
  for (const auto& kernel : archive.kernels) add(kernel.files);
  std::vector<std::string> made;
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(cache, error)) {
    if (!entry.is_regular_file(error)) continue;
    const std::string name = entry.path().filename();
    // PoCL touches these in every process, whatever it does.
    const bool mark =
        name == "last_accessed" || (name.starts_with("tempfile_") && entry.file_size(error) == 0);
    const std::string path = entry.path().lexically_relative(cache);
    if (!mark && !own.contains(path)) made.push_back(path);
  }
  std::sort(made.begin(), made.end());
  return made;
}

/// What the helper's progress file says of one variant.
void note(std::vector<ProvenStart>& starts, const std::string& line) {
  std::istringstream words(line);
  std::string verb, kernel, variant;
  words >> verb >> kernel >> variant;
  const auto at = std::find_if(starts.begin(), starts.end(), [&](const ProvenStart& start) {
    return start.kernel == kernel && start.variant == variant;
  });
  if (at == starts.end()) return;
  if (verb == "skip") {
    std::getline(words >> std::ws, at->detail);
  } else if (verb == "begin") {
    at->outcome = ProvenStart::Outcome::died;  // until an "end" follows
  } else if (verb == "end") {
    std::int64_t nanoseconds = 0;
    words >> nanoseconds;
    at->outcome = ProvenStart::Outcome::ran;
    at->seconds = static_cast<double>(nanoseconds) * 1e-9;
  }
}

std::string how_it_ended(const ProcessResult& result, const fs::path& folder) {
  if (result.timed_out) return "it did not end";
  if (result.signal != 0) return signal_name(result.signal);
  return read_text(folder / apart::log_file).value_or(result.errors);
}

apart::Job start_job(const Device& device, ByteView archive,
                     const std::vector<KernelVariant>& variants) {
  apart::Job job;
  job.task = apart::Job::Task::start;
  job.fingerprint = device.fingerprint();
  job.archive.assign(archive.begin(), archive.end());
  for (const auto& [kernel, variant] : variants)
    job.variants.emplace_back(kernel, variant.folder());
  return job;
}

/// Each variant has a process of its own: then what one makes cannot serve the next, and one that
/// dies takes no other with it.
Expected<ProvenStart> prove_start(const Device& device, ByteView bytes,
                                  const poclbin::Archive& archive, const KernelVariant& variant) {
  apart::HelperSetting setting;
  setting.limit = std::chrono::seconds(30);
  // No linker and no compiler can be found; the temporary folder of a compile would be the cache.
  setting.environment = {{"PATH", "/nonexistent"}};
  const auto run = apart::run_helper(start_job(device, bytes, {variant}), setting);
  if (!run) return tl::unexpected(run.error());
  const auto& folder = run->folder.path();
  std::vector<ProvenStart> one{{variant.kernel, variant.variant.folder(), {}, "", 0, {}}};
  std::istringstream progress(read_text(folder / apart::progress_file).value_or(""));
  for (std::string line; std::getline(progress, line);) note(one, line);
  ProvenStart& start = one.front();
  start.made = files_made(folder / apart::cache_folder, archive);
  const bool ended = start.outcome == ProvenStart::Outcome::ran || !start.detail.empty();
  if (ended) return start;
  start.detail = how_it_ended(run->result, folder);
  if (run->result.timed_out && start.outcome == ProvenStart::Outcome::died)
    start.outcome = ProvenStart::Outcome::hung;
  return start;
}

}  // namespace

Expected<std::vector<ProvenStart>> prove_starts(const Device& device, ByteView archive,
                                                std::vector<KernelVariant> variants) {
  const auto parsed = poclbin::parse(archive);
  if (!parsed) return tl::unexpected(parsed.error());
  std::vector<ProvenStart> starts;
  for (const auto& variant : variants) {
    auto start = prove_start(device, archive, *parsed, variant);
    if (!start) return tl::unexpected(start.error());
    starts.push_back(std::move(*start));
  }
  return starts;
}

}  // namespace kiln
