#include "tune/session/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/file.hpp"

namespace kiln::tune {
namespace {

using Json = nlohmann::ordered_json;
constexpr int format_version = 1;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;

Json json_of(const Journal::Subject& subject) {
  return {{"kiln tuning journal", format_version},
          {"identity", subject.identity},
          {"device", subject.device},
          {"strategy", subject.strategy},
          {"seed", subject.seed},
          {"space", subject.space}};
}

Failure failure_named(const std::string& name) {
  for (int i = 0; i <= static_cast<int>(Failure::crash); ++i)
    if (name == name_of(static_cast<Failure>(i))) return static_cast<Failure>(i);
  return Failure::launch;
}

std::optional<JournalEntry> entry_of(const std::string& line, const SearchSpace& space) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("id") || !json["id"].is_number_unsigned())
    return std::nullopt;
  JournalEntry entry;
  entry.id = json["id"].get<ConfigurationId>();
  if (entry.id >= space.size()) return std::nullopt;
  if (const auto time = json.find("seconds"); time != json.end()) {
    if (!time->is_number() || !(time->get<double>() > 0)) return std::nullopt;
    entry.report.outcome = Outcome::of_time(time->get<double>());
    return entry;
  }
  const auto failure = json.find("failure");
  if (failure == json.end() || !failure->is_string()) return std::nullopt;
  entry.report.outcome = Outcome::of(failure_named(failure->get<std::string>()));
  if (const auto message = json.find("message"); message != json.end() && message->is_string())
    entry.report.message = message->get<std::string>();
  return entry;
}

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
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

Expected<Journal> Journal::open(const std::filesystem::path& path, const Subject& subject,
                                const SearchSpace& space, bool resume) {
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!file) return tl::unexpected(io_error("open", path, errno));
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0)
    return tl::unexpected(
        Error(Errc::unsupported, fmt::format("{}: another process is tuning this", path.string())));
  Journal journal(path, std::move(file));
  const std::string head = dumped(json_of(subject));
  std::string text;
  if (resume) {
    auto bytes = read_file(path, most_bytes);
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
    auto entry = entry_of(line, space);
    if (!entry)
      return tl::unexpected(
          Error(Errc::bad_input, fmt::format("{}: line {}: found '{}', expected an "
                                             "object with id and seconds or failure",
                                             path.string(), number, line)));
    journal.entries_.push_back(*std::move(entry));
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
  Json json{{"id", id}, {"configuration", space.text(id)}};
  if (report.outcome.ok())
    json["seconds"] = report.outcome.time;
  else
    json["failure"] = name_of(report.outcome.failure);
  if (!report.message.empty()) json["message"] = report.message;
  entries_.push_back({id, report});
  return append(file_, dumped(json), path_);
}

}  // namespace kiln::tune
