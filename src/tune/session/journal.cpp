#include "tune/session/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/text.hpp"
#include "tune/session/journal_line.hpp"

namespace kiln::tune {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::uint64_t most_journal_bytes = std::uint64_t{1} << 30;
constexpr std::uintmax_t longest_head = std::uintmax_t{16} << 20;

Json json_of(const Journal::Subject& subject) {
  Json json{{kJournalMark, kJournalVersion}, {"identity", subject.identity},
            {"device", subject.device},      {"strategy", subject.strategy},
            {"seed", subject.seed},          {"space", subject.space}};
  if (!subject.start.empty()) json["start"] = subject.start;
  return json;
}

/// Nothing where a line is damaged or of a configuration that the space has not.
std::optional<JournalLine> line_of(const Json& json, const SearchSpace& space) {
  auto line = journal_line_of(json);
  return line && line->id < space.size() ? line : std::nullopt;
}

Expected<void> append(const FileDescriptor& file, const Json& line,
                      const std::filesystem::path& path) {
  return write_all(file.get(), as_bytes(dumped(line) + "\n"), path);
}

/// Whether a text is a journal's, or the beginning of one whose head was cut.
bool begins_as_journal(std::string_view text) {
  const std::string beginning = fmt::format("{{\"{}\":", kJournalMark);
  const auto end = text.find('\n');
  if (end == text.npos)
    return text.starts_with(beginning) || std::string_view(beginning).starts_with(text);
  const Json head = parsed_line(std::string_view(text).substr(0, end));
  return head.is_object() && head.contains(kJournalMark);
}

Error no_journal(const std::filesystem::path& path) {
  return Error(Errc::bad_input,
               fmt::format("{}: not a tuning journal, so it is not written to; expected a journal "
                           "of this search or a new file",
                           one_line(path.string())));
}

Error other_search(const std::filesystem::path& path, std::string_view found) {
  return Error(Errc::bad_input,
               fmt::format("{}: line 1: a journal of another search: found {}; expected a journal "
                           "of this search, a new file, or --fresh, which sets this one aside",
                           one_line(path.string()), found));
}

std::string text_in(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Whether a journal's head is of the search that `expected` describes.
Expected<void> compare_heads(const Json& found, const Json& expected,
                             const std::filesystem::path& path) {
  for (const char* name : {kJournalMark, "identity", "device", "strategy", "seed", "space"}) {
    const auto member = found.find(name);
    if (member == found.end())
      return tl::unexpected(other_search(path, fmt::format("no {}", name)));
    if (*member != expected[name])
      return tl::unexpected(
          other_search(path, fmt::format("{} {}", name, one_line(dumped(*member).substr(0, 80)))));
  }
  return {};
}

/// The file, which no other process may have as well.
Expected<FileDescriptor> open_alone(const std::filesystem::path& path) {
  // Without O_NONBLOCK, a named pipe could be waited for.
  FileDescriptor file(
      ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600));
  if (!file) return tl::unexpected(io_error("open", path, errno));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return tl::unexpected(io_error("read", path, errno));
  if (!S_ISREG(status.st_mode)) return tl::unexpected(no_journal(path));
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0)
    return tl::unexpected(
        Error(Errc::unsupported,
              fmt::format("{}: another process has this journal open", path.string())));
  return file;
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

Expected<std::optional<std::string>> Journal::look(const std::filesystem::path& path,
                                                   const Subject& subject) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  if (!S_ISREG(status.st_mode)) return tl::unexpected(no_journal(path));
  if (status.st_size == 0) return std::nullopt;
  std::ifstream file(path);
  std::string text(static_cast<std::size_t>(std::min<std::uintmax_t>(
                       static_cast<std::uintmax_t>(status.st_size), longest_head)),
                   '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(text.size())))
    return tl::unexpected(io_error("read", path, EIO));
  if (!begins_as_journal(text)) return tl::unexpected(no_journal(path));
  const auto end = text.find('\n');
  if (end == text.npos) return std::nullopt;
  const Json head = parsed_line(std::string_view(text).substr(0, end));
  if (auto same = compare_heads(head, json_of(subject), path); !same)
    return tl::unexpected(same.error());
  const auto start = head.find("start");
  return start != head.end() && start->is_string() ? start->get<std::string>() : "";
}

Expected<Journal> Journal::open(const std::filesystem::path& path, const Subject& subject,
                                const SearchSpace& space, Existing existing) {
  auto file = open_alone(path);
  if (!file) return tl::unexpected(file.error());
  auto bytes = read_file(path, most_journal_bytes);
  if (!bytes) return tl::unexpected(bytes.error());
  std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  if (!text.empty() && !begins_as_journal(text)) return tl::unexpected(no_journal(path));
  if (existing == Existing::set_aside && !text.empty()) {
    if (auto aside = rename_aside(path); !aside) return tl::unexpected(aside.error());
    file = open_alone(path);
    if (!file) return tl::unexpected(file.error());
    text.clear();
  }
  Journal journal(path, *std::move(file));
  const Json head = json_of(subject);
  std::size_t good = 0, number = 0;
  for (std::size_t end; (end = text.find('\n', good)) != text.npos; good = end + 1) {
    const std::string line = text.substr(good, end - good);
    if (++number == 1) {
      const Json found = parsed_line(line);
      if (auto same = compare_heads(found, head, path); !same) return tl::unexpected(same.error());
      if (text_in(found, "start") != subject.start)
        return tl::unexpected(other_search(path, "another search to start from"));
      continue;
    }
    const Json json = parsed_line(line);
    if (const auto ending = ending_of(json); ending && ending->winner < space.size()) {
      if (const auto at = json.find("at"); at != json.end() && at->is_number())
        journal.before_ = std::max(journal.before_, at->get<double>());
      continue;
    }
    auto entry = line_of(json, space);
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

double Journal::now() const {
  const std::chrono::duration<double> now = std::chrono::steady_clock::now() - opened_;
  return before_ + now.count();
}

Expected<void> Journal::add(const SearchSpace& space, ConfigurationId id, const Report& report) {
  entries_.push_back({id, report});
  return append(file_, json_of_line(space, id, report, now()), path_);
}

Expected<void> Journal::end(const SearchSpace& space, const SearchEnding& ending) {
  Json json = json_of(ending);
  json["configuration"] = json_of_configuration(space, ending.winner);
  json["at"] = std::round(now() * 1e3) / 1e3;
  return append(file_, json, path_);
}

}  // namespace kiln::tune
