#include "kernel/archives/archive_build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "base/data/digest.hpp"
#include "base/expected.hpp"
#include "kernel/apart/helper.hpp"
#include "kernel/resolver/resolver.hpp"

namespace kiln {
namespace {

bool wanted(const ArchiveBuild& build, std::string_view kernel) {
  return build.kernels.empty() ||
         std::find(build.kernels.begin(), build.kernels.end(), kernel) != build.kernels.end();
}

void check_sizes(const Device& device, const ArchiveBuild& build) {
  if (!device.pocl)
    throw Error(Errc::unsupported,
                fmt::format("{} is not a device of PoCL: only PoCL has archives", device.name));
  if (build.local_sizes.empty())
    throw Error(Errc::bad_input, "no local size is given; expected one or more, e.g. 64 or 8x8");
  for (const auto& size : build.local_sizes) {
    const std::uint64_t items = std::uint64_t{size[0]} * size[1] * size[2];
    if (items == 0 || items > device.max_work_group_size)
      throw Error(Errc::bad_input, fmt::format("local size {} has {} work-items; {} takes 1 to {}",
                                               fmt::join(size, "x"), items, device.name,
                                               device.max_work_group_size));
  }
}

/// The variants of one kernel: every wanted size in every wanted geometry.
std::vector<poclbin::Variant> variants_of(const ArchiveBuild& build,
                                          const poclbin::Kernel& kernel) {
  std::set<std::array<std::uint32_t, 3>> sizes(build.local_sizes.begin(), build.local_sizes.end());
  if (kernel.required_size[0] != 0) {
    sizes.clear();
    sizes.insert({static_cast<std::uint32_t>(kernel.required_size[0]),
                  static_cast<std::uint32_t>(kernel.required_size[1]),
                  static_cast<std::uint32_t>(kernel.required_size[2])});
  }
  std::vector<poclbin::Variant> variants;
  for (const auto& local : sizes)
    for (const bool zero_offset : {true, false})
      for (const bool small_grid : {true, false})
        if ((zero_offset || build.with_offset) && (small_grid || build.large_grids))
          variants.push_back({local, zero_offset, small_grid});
  return variants;
}

std::vector<KernelVariant> all_variants(const ArchiveBuild& build,
                                        const poclbin::Archive& archive) {
  for (const auto& name : build.kernels)
    if (archive.find(name) == nullptr)
      throw Error(Errc::bad_input, fmt::format("{} has no kernel '{}'", build.label, name));
  std::vector<KernelVariant> all;
  for (const auto& kernel : archive.kernels)
    if (wanted(build, kernel.name))
      for (const auto& variant : variants_of(build, kernel))
        all.push_back({std::string(kernel.name), variant});
  if (all.empty()) throw Error(Errc::bad_input, build.label + " holds no kernel");
  return all;
}

/// Launches that show the generic function at work: a size that the archive has no variant for.
void add_generic_starts(const poclbin::Archive& archive, std::vector<KernelVariant>& starts) {
  std::set<std::string> kernels;
  for (const auto& start : starts) kernels.insert(start.kernel);
  for (const auto& name : kernels) {
    const auto& kernel = *archive.find(name);
    if (kernel.required_size[0] != 0) continue;  // it has one size only
    const auto held = poclbin::variants(kernel);
    poclbin::Variant other;
    while (std::find(held.begin(), held.end(), other) != held.end()) ++other.local[0];
    starts.push_back({name, other});
  }
}

bool is_bitcode(std::string_view path) { return path == "/program.bc"; }

/// Two archives of one build hash are one program to PoCL, so the hash follows from the contents.
Bytes finished(const poclbin::Archive& archive, bool keep_bitcode) {
  const auto drop = keep_bitcode ? nullptr : is_bitcode;
  const Bytes contents = poclbin::rewrite(archive, archive.build_hash, drop);
  return poclbin::rewrite(archive, poclbin::build_hash(blake2b(contents).bytes), drop);
}

BuiltArchive build_or_throw(const Device& device, const ArchiveBuild& build) {
  check_sizes(device, build);
  if (const spirv::Module* module = build.source->module())
    value_or_throw(takes_module(device, *module, build.source->name()));
  ApartRequest request;
  request.ways = Resolver::process().ways(device, Resolver::Additions::needed);
  if (!request.ways.archives || !request.ways.additions)
    throw Error(
        Errc::unsupported,
        fmt::format("no archives can be made for {}: what its driver makes is of an unknown "
                    "kind (`kiln devices -v` says more)",
                    device.name));
  request.text = build.source->text();
  request.options = build.options;
  request.label = build.label;
  request.build_hash = poclbin::build_hash(build.source->digest().bytes);

  // Which kernels there are, and what sizes they require, only the compiler knows.
  const Bytes plain = value_or_throw(compile_apart(device, request));
  auto variants = all_variants(build, value_or_throw(poclbin::parse(plain)));

  request.text.clear();
  request.archive = plain;
  request.variants = variants;
  request.generic = true;
  request.intermediates = build.intermediates;
  const Bytes full = value_or_throw(compile_apart(device, request));
  const auto archive = value_or_throw(poclbin::parse(full));

  BuiltArchive built{finished(archive, build.keep_bitcode), variants, {}};
  if (!build.keep_bitcode) add_generic_starts(archive, variants);
  built.starts = value_or_throw(prove_starts(device, built.bytes, std::move(variants)));
  return built;
}

}  // namespace

Expected<BuiltArchive> build_archive(const Device& device, const ArchiveBuild& build) {
  return expected_from([&] { return build_or_throw(device, build); });
}

bool starts_without_compiler(const std::vector<ProvenStart>& starts) {
  return std::all_of(starts.begin(), starts.end(), [](const ProvenStart& start) {
    return start.outcome != ProvenStart::Outcome::skipped && start.made.empty();
  });
}

// What an archive's launches leave in an empty cache shows whether the driver compiled anything.

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

/// What a line of the helper's progress file says of the one variant that it launches.
void note(ProvenStart& start, const std::string& line) {
  std::istringstream words(line);
  std::string verb, kernel, variant;
  words >> verb >> kernel >> variant;
  if (verb == "skip") {
    std::getline(words >> std::ws, start.detail);
  } else if (verb == "begin") {
    start.outcome = ProvenStart::Outcome::died;  // until an "end" follows
  } else if (verb == "end") {
    std::int64_t nanoseconds = 0;
    words >> nanoseconds;
    start.outcome = ProvenStart::Outcome::ran;
    start.seconds = static_cast<double>(nanoseconds) * 1e-9;
  }
}

/// Each variant has a process of its own: then what one makes cannot serve the next, and one that
/// dies takes no other with it.
ProvenStart prove_start(const Device& device, ByteView bytes, const poclbin::Archive& archive,
                        const KernelVariant& variant) {
  apart::Job job;
  job.task = apart::Job::Task::start;
  job.fingerprint = device.fingerprint();
  job.archive.assign(bytes.begin(), bytes.end());
  job.variants = {{variant.kernel, variant.variant.folder()}};
  apart::HelperSetting setting;
  setting.limit = std::chrono::seconds(30);
  // No linker and no compiler can be found; the temporary folder of a compile would be the cache.
  setting.environment = {{"PATH", "/nonexistent"}};
  const auto run = value_or_throw(apart::run_helper(job, setting));
  const auto& folder = run.folder.path();
  ProvenStart start{variant.kernel, variant.variant.folder(), {}, "", 0, {}};
  std::istringstream progress(read_text(folder / apart::progress_file).value_or(""));
  for (std::string line; std::getline(progress, line);) note(start, line);
  start.made = files_made(folder / apart::cache_folder, archive);
  const bool ended = start.outcome == ProvenStart::Outcome::ran || !start.detail.empty();
  if (ended) return start;
  start.detail = apart::how_it_failed(run).value_or("");
  if (run.result.timed_out && start.outcome == ProvenStart::Outcome::died)
    start.outcome = ProvenStart::Outcome::hung;
  return start;
}

}  // namespace

Expected<std::vector<ProvenStart>> prove_starts(const Device& device, ByteView archive,
                                                std::vector<KernelVariant> variants) {
  return expected_from([&] {
    const auto parsed = value_or_throw(poclbin::parse(archive));
    std::vector<ProvenStart> starts;
    for (const auto& variant : variants)
      starts.push_back(prove_start(device, archive, parsed, variant));
    return starts;
  });
}

}  // namespace kiln
