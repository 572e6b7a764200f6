#include "tune/search/campaign.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "tune/search/journal.hpp"

namespace kiln::tune {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::uint64_t most_log_bytes = std::uint64_t{64} << 20;
constexpr std::string_view log_head = R"({"kiln tuning campaign":1})";

Expected<FileDescriptor> open_log(const std::filesystem::path& path) {
  return open_alone(
      path,
      Error(Errc::bad_input,
            fmt::format("{}: not a regular file; expected a campaign's log or a new file",
                        one_line(path.string()))),
      "runs this campaign");
}

}  // namespace

Expected<std::size_t> CampaignLog::take_in() {
  const auto bytes = read_file(path_, most_log_bytes);
  if (!bytes) return tl::unexpected(bytes.error());
  const std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  std::size_t good = 0, number = 0;
  for (std::size_t end; (end = text.find('\n', good)) != text.npos; good = end + 1) {
    const std::string line = text.substr(good, end - good);
    const auto wrong = [&](std::string_view expected) {
      return fail(Errc::bad_input,
                  fmt::format("{}: line {}: found '{}', expected {}", path_.string(), number,
                              one_line(line.substr(0, 80)), expected));
    };
    if (++number == 1) {
      if (line != log_head) return wrong(log_head);
      continue;
    }
    const Json json = parsed_line(line);
    const auto text_of = [&](const char* name) {
      return json.is_object() && json.contains(name) && json[name].is_string()
                 ? json[name].get<std::string>()
                 : std::string();
    };
    if (const auto begun = text_of("begun"); !begun.empty())
      begun_.insert(begun);
    else if (const auto finished = text_of("finished"); !finished.empty())
      finished_.insert(finished);
    else
      return wrong("an object with 'begun' or 'finished'");
  }
  return good;
}

Expected<CampaignLog> CampaignLog::read(const std::filesystem::path& path) {
  CampaignLog log(path, FileDescriptor());
  std::error_code error;
  if (!std::filesystem::exists(path, error) && !error) return log;
  if (auto good = log.take_in(); !good) return tl::unexpected(good.error());
  return log;
}

Expected<CampaignLog> CampaignLog::open(const std::filesystem::path& path, bool resume) {
  // Where the folder cannot be made, the file says why.
  std::error_code absent;
  std::filesystem::create_directories(path.parent_path(), absent);
  auto file = open_log(path);
  if (!file) return tl::unexpected(file.error());
  // More than a head says what an earlier campaign has come to: that is not for us to destroy.
  struct stat status {};
  if (!resume && ::fstat(file->get(), &status) == 0 &&
      status.st_size > static_cast<off_t>(log_head.size() + 1)) {
    if (auto aside = rename_aside(path); !aside) return tl::unexpected(aside.error());
    file = open_log(path);
    if (!file) return tl::unexpected(file.error());
  }
  CampaignLog log(path, *std::move(file));
  std::size_t good = 0;
  if (resume) {
    const auto whole = log.take_in();
    if (!whole) return tl::unexpected(whole.error());
    good = *whole;
  }
  // What follows the last whole line was in flight.
  if (::ftruncate(log.file_.get(), static_cast<off_t>(good)) != 0)
    return tl::unexpected(io_error("truncate", path, errno));
  if (good == 0)
    if (auto written = write_all(log.file_.get(), as_bytes(std::string(log_head) + "\n"), path);
        !written)
      return tl::unexpected(written.error());
  return log;
}

Expected<void> CampaignLog::add(const char* what, const std::string& subject) {
  const Json json{{what, subject}};
  return write_all(file_.get(), as_bytes(dumped(json) + "\n"), path_);
}

Expected<void> CampaignLog::begin(const std::string& subject) {
  if (!begun_.insert(subject).second) return {};
  return add("begun", subject);
}

Expected<void> CampaignLog::finish(const std::string& subject) {
  if (!finished_.insert(subject).second) return {};
  return add("finished", subject);
}

std::vector<std::chrono::milliseconds> share_out(std::chrono::milliseconds time,
                                                 std::span<const double> weights,
                                                 std::chrono::milliseconds least) {
  std::vector<std::chrono::milliseconds> parts(weights.size(), std::chrono::milliseconds(0));
  // Below zero where more than there was has been spent.
  const auto unit = std::max(least, std::chrono::milliseconds(1));
  const auto enough = time < unit ? 0 : static_cast<std::size_t>(time / unit);
  const std::size_t count = std::min(enough, weights.size());
  // A search that would get less than the least gets the least. The others share the rest by their
  // weights, which may bring another one below the least, so this is repeated.
  std::vector<bool> has_least(count, false);
  for (bool changed = true; changed;) {
    changed = false;
    double sum = 0;
    std::chrono::milliseconds left = time;
    for (std::size_t i = 0; i < count; ++i) {
      if (has_least[i])
        left -= least;
      else
        sum += std::max(weights[i], 0.0);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (has_least[i]) continue;
      const double part = sum > 0 ? std::max(weights[i], 0.0) / sum : 0;
      parts[i] = std::chrono::milliseconds(static_cast<std::chrono::milliseconds::rep>(
          std::floor(static_cast<double>(left.count()) * part)));
      if (parts[i] >= least) continue;
      parts[i] = least;
      has_least[i] = changed = true;
    }
  }
  return parts;
}

}  // namespace kiln::tune
