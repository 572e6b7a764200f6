#include "kernel/resolver/shipped_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "base/os/environment.hpp"
#include "base/os/file.hpp"
#include "kernel/apart/helper.hpp"
#include "kernel/request/shipped_file.hpp"

namespace kiln {
namespace fs = std::filesystem;
namespace {

fs::path shipped_folder() {
  const std::string named = environment("KILN_TUNED");
  if (named == "off") return {};
  return named.empty() ? find_shared("tuned") : fs::path(named);
}

void tell_unusable(const Error& error) {
  log(LogLevel::warning, fmt::format("shipped records are not used: {}", error.message()));
}

}  // namespace

ShippedRecords& ShippedRecords::process() {
  static ShippedRecords records(shipped_folder());
  return records;
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
      tell_unusable(text.error());
      continue;
    }
    auto device = read_shipped_device(*text, path.string());
    if (!device) {
      tell_unusable(device.error());
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
    tell_unusable(file.error());
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
