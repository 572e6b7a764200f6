#include "kernel/resolver/shipped_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/data/text.hpp"
#include "base/log.hpp"
#include "base/os/environment.hpp"
#include "base/os/file.hpp"
#include "base/os/ownership.hpp"
#include "kernel/apart/helper.hpp"
#include "kernel/request/shipped_file.hpp"
#include "kiln/store/trust.hpp"

namespace kiln {
namespace fs = std::filesystem;
namespace {

void tell_unusable(std::string_view why) {
  log(LogLevel::warning, fmt::format("shipped records are not used: {}", why));
}

}  // namespace

ShippedRecords& ShippedRecords::process() {
  static ShippedRecords records([] {
    auto folder = shipped_folder();
    if (folder) return *std::move(folder);
    tell_unusable(folder.error().message());
    return fs::path();
  }());
  return records;
}

Expected<fs::path> shipped_folder() {
  const std::string named = environment("KILN_TUNED");
  if (named == "off") return {};
  if (named.empty()) {
    auto found = find_shared("tuned");
    if (const auto why = replaceable_by_others(found.string()); !found.empty() && !why.empty())
      return fail(Errc::refused, fmt::format("{}: {}", one_line(found.string()), why));
    return found;
  }
  if (std::error_code error; !fs::is_directory(named, error))
    return fail(Errc::bad_input,
                fmt::format("KILN_TUNED: found '{}', expected a folder, or off", one_line(named)));
  if (const Trust trust = default_trust(); trust.required)
    return fail(Errc::refused,
                fmt::format("KILN_TUNED: found '{}', but this machine takes only what is signed by "
                            "a key of {}, expected off",
                            one_line(named), one_line(trust.origin)));
  return fs::path(named);
}

std::vector<fs::path> ShippedRecords::files() const {
  std::vector<fs::path> found;
  std::error_code error;
  if (!folder_.empty())
    for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error))
      if (at->path().extension() == ".jsonl") found.push_back(at->path());
  std::sort(found.begin(), found.end());
  return found;
}

void ShippedRecords::open_all() {
  if (std::exchange(is_open_, true)) return;
  for (auto& path : files()) {
    auto text = read_text(path, most_shipped_bytes);
    if (!text) {
      tell_unusable(text.error().message());
      continue;
    }
    auto device = read_shipped_device(*text, path.string());
    if (!device) {
      tell_unusable(device.error().message());
      continue;
    }
    sources_.push_back({std::move(path), *std::move(device), *std::move(text)});
  }
}

const ShippedFile* ShippedRecords::file_of(Source& source) {
  if (source.text.empty()) return source.file.get();
  auto file = read_shipped_file(source.text, source.path.string());
  source.text.clear();
  if (file)
    source.file = std::make_shared<const ShippedFile>(*std::move(file));
  else
    tell_unusable(file.error().message());
  return source.file.get();
}

std::vector<ShippedFind> ShippedRecords::find(const DeviceFacts& device, const std::string& family,
                                              std::span<const std::string> classes) {
  const std::lock_guard lock(mutex_);
  open_all();
  std::vector<std::pair<double, Source*>> near;
  for (auto& source : sources_)
    if (source.device.type == device.type && source.device.native_floats == device.native_floats)
      near.emplace_back(device_distance(source.device, device), &source);
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<ShippedFind> found;
  for (const auto& [far, source] : near) {
    const ShippedFile* file = file_of(*source);
    if (file == nullptr) continue;
    for (const auto& problem_class : classes)
      for (const auto& one : file->records)
        if (one.family == family && one.problem_class == problem_class)
          found.push_back(
              {text_of(source->device), far == 0, problem_class, one.version, one.record});
  }
  return found;
}

}  // namespace kiln
