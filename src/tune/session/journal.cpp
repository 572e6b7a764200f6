#include "tune/session/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/one_line.hpp"
#include "tune/session/journal_line.hpp"

namespace kiln::tune {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::uint64_t most_journal_bytes = std::uint64_t{1} << 30;

Json json_of(const Journal::Subject& subject) {
  Json json{{kJournalMark, kJournalVersion}, {"identity", subject.identity},
            {"device", subject.device},      {"strategy", subject.strategy},
            {"seed", subject.seed},          {"space", subject.space}};
  if (!subject.start.empty()) json["start"] = subject.start;
  return json;
}

/// Nothing where a line is damaged or of a configuration that the space has not.
std::optional<JournalLine> line_of(const std::string& text, const SearchSpace& space) {
  auto line = journal_line_of(Json::parse(text, nullptr, false));
  return line && line->id < space.size() ? line : std::nullopt;
}

Expected<void> append(const FileDescriptor& file, const std::string& line,
                      const std::filesystem::path& path) {
  return write_all(file.get(),
                   ByteView(reinterpret_cast<const std::byte*>(line.data()), line.size()), path);
}

}  // namespace

std::string Journal::text_of(const SearchSpace& space) {
  std::string text;
  for (const auto& parameter : space.parameters()) {
    text += text.empty() ? "" : " ";
    text += parameter.name + "=";
    for (std::size_t i = 0; i < parameter.values.size(); ++i)
      text += (i == 0 ? "" : ",") + parameter.values[i].text();
  }
  return text + fmt::format(" ({} configurations)", space.size());
}

std::optional<std::string> Journal::start_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  const Json head = Json::parse(line, nullptr, false);
  if (!head.is_object() || !head.contains(kJournalMark)) return std::nullopt;
  const auto start = head.find("start");
  return start != head.end() && start->is_string() ? start->get<std::string>() : "";
}

Expected<Journal> Journal::open(const std::filesystem::path& path, const Subject& subject,
                                const SearchSpace& space, bool resume) {
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!file) return tl::unexpected(io_error("open", path, errno));
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0)
    return tl::unexpected(
        Error(Errc::unsupported, fmt::format("{}: another process is tuning this", path.string())));
  Journal journal(path, std::move(file));
  const std::string head = dumped(json_of(subject)) + "\n";
  std::string text;
  if (resume) {
    auto bytes = read_file(path, most_journal_bytes);
    if (!bytes) return tl::unexpected(bytes.error());
    text.assign(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  }
  std::size_t good = 0, number = 0;
  for (std::size_t end; (end = text.find('\n', good)) != text.npos; good = end + 1) {
    const std::string line = text.substr(good, end - good);
    if (++number == 1) {
      if (line + "\n" != head)
        return tl::unexpected(Error(
            Errc::bad_input,
            fmt::format("{}: line 1: a journal of another search or device; without --resume it "
                        "begins anew",
                        path.string())));
      continue;
    }
    auto entry = line_of(line, space);
    if (!entry)
      return tl::unexpected(
          Error(Errc::bad_input, fmt::format("{}: line {}: found '{}', expected an "
                                             "object with id and seconds or failure",
                                             path.string(), number, one_line(line.substr(0, 80)))));
    journal.before_ = std::max(journal.before_, entry->at.value_or(0));
    journal.entries_.push_back({entry->id, std::move(entry->report)});
  }
  // What follows the last whole line was in flight.
  if (::ftruncate(journal.file_.get(), static_cast<off_t>(good)) != 0)
    return tl::unexpected(io_error("truncate", path, errno));
  if (number == 0)
    if (auto written = append(journal.file_, head, path); !written)
      return tl::unexpected(written.error());
  return journal;
}

Expected<void> Journal::add(const SearchSpace& space, ConfigurationId id, const Report& report) {
  entries_.push_back({id, report});
  const std::chrono::duration<double> now = std::chrono::steady_clock::now() - opened_;
  const Json json = json_of_line(space, id, report, before_ + now.count());
  return append(file_, dumped(json) + "\n", path_);
}

}  // namespace kiln::tune
