#include "tune/search/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/data/text.hpp"
#include "base/expected.hpp"
#include "base/os/file.hpp"

namespace kiln::tune {
namespace {

using Json = nlohmann::ordered_json;

/// A reason that a later program may have added counts as that of most.
Failure failure_named(const std::string& name) {
  for (int i = static_cast<int>(Failure::build); i <= static_cast<int>(Failure::crash); ++i)
    if (name == name_of(static_cast<Failure>(i))) return static_cast<Failure>(i);
  return Failure::launch;
}

constexpr const char* decisions[] = {"play-off", "built-in parameters", "earlier record",
                                     "interrupted"};

/// A decision that a later program may have added counts as that of most.
Decision decision_named(const std::string& name) {
  for (std::size_t i = 0; i < std::size(decisions); ++i)
    if (name == decisions[i]) return static_cast<Decision>(i);
  return Decision::play_off;
}

/// A finite number of at least 0.
std::optional<double> amount_in(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_number()) return std::nullopt;
  const auto value = found->get<double>();
  return value >= 0 && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<std::uint64_t> whole_in(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<std::uint64_t>();
}

/// "" where there is none.
std::string text_in(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

const char* name_of(Decision decision) { return decisions[static_cast<std::size_t>(decision)]; }

std::string explanation_of(Decision decision, std::size_t finalists, std::size_t rounds) {
  const std::string met =
      finalists > 1 ? fmt::format("Play-off of {} finalists, {} rounds", finalists, rounds)
                    : "No other candidate was close enough for a play-off";
  switch (decision) {
    case Decision::interrupted:
      return "The best so far; the search was ended before the play-off";
    case Decision::built_in:
      return met + "; no candidate was measurably faster than the built-in parameters";
    case Decision::earlier_record:
      return met + "; the earlier record was faster than what this search found";
    case Decision::play_off:
      break;
  }
  return met;
}

std::optional<SearchEnding> ending_of(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  const auto winner = whole_in(json, "winner");
  const auto seconds = amount_in(json, "seconds");
  const auto decided = json.find("decided_by");
  if (!winner || !seconds || *seconds == 0 || decided == json.end() || !decided->is_string())
    return std::nullopt;
  SearchEnding ending{*winner,
                      *seconds,
                      amount_in(json, "built_in_seconds").value_or(0),
                      decision_named(decided->get<std::string>()),
                      whole_in(json, "rounds").value_or(0),
                      {}};
  const auto finalists = json.find("finalists");
  if (finalists == json.end()) return ending;
  if (!finalists->is_array()) return std::nullopt;
  for (const auto& each : *finalists) {
    if (!each.is_object()) return std::nullopt;
    const auto id = whole_in(each, "id"), rounds = whole_in(each, "rounds");
    const auto relative = amount_in(each, "relative");
    if (!id || !relative || !rounds) return std::nullopt;
    ending.finalists.push_back({*id, *relative, *rounds});
  }
  return ending;
}

Json json_of(const SearchEnding& ending) {
  Json finalists = Json::array();
  for (const auto& [id, relative, rounds] : ending.finalists)
    finalists.push_back({{"id", id}, {"relative", relative}, {"rounds", rounds}});
  Json json{{"winner", ending.winner}, {"seconds", ending.seconds}};
  if (ending.standard > 0) json["built_in_seconds"] = ending.standard;
  json.update({{"decided_by", name_of(ending.decision)},
               {"rounds", ending.rounds},
               {"finalists", std::move(finalists)}});
  return json;
}

Json json_of_configuration(const SearchSpace& space, ConfigurationId id) {
  Json configuration = Json::object();
  for (std::size_t p = 0; p < space.parameters().size(); ++p)
    configuration[space.parameters()[p].name] = json_of(space.value(id, p));
  return configuration;
}

std::optional<JournalEntry> journal_line_of(const Json& json) {
  const auto id = json.is_object() ? whole_in(json, "id") : std::nullopt;
  if (!id) return std::nullopt;
  JournalEntry line{*id, {}, amount_in(json, "at")};
  if (json.contains("at") && !line.at) return std::nullopt;
  if (const auto elsewhere = json.find("elsewhere"); elsewhere != json.end()) {
    if (!elsewhere->is_boolean()) return std::nullopt;
    line.report.elsewhere = elsewhere->get<bool>();
  }
  if (json.contains("seconds")) {
    const auto seconds = amount_in(json, "seconds");
    if (!seconds || *seconds == 0) return std::nullopt;
    line.report.outcome = Outcome::of_time(*seconds);
    return line;
  }
  const auto failure = json.find("failure");
  if (failure == json.end() || !failure->is_string()) return std::nullopt;
  line.report.outcome = Outcome::of(failure_named(failure->get<std::string>()));
  line.report.message = text_in(json, "message");
  return line;
}

Json json_of_result(ConfigurationId id, Json configuration, const Outcome& outcome,
                    const std::string& message) {
  Json json{{"id", id}};
  if (!configuration.is_null()) json["configuration"] = std::move(configuration);
  if (outcome.ok())
    json["seconds"] = outcome.time;
  else
    json["failure"] = name_of(outcome.failure);
  if (!message.empty()) json["message"] = message;
  return json;
}

Json json_of(const expr::Value& value) {
  return std::visit(
      [&](const auto& data) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(data)>, expr::List>)
          return value.text();
        else
          return data;
      },
      value.data());
}

std::optional<expr::Value> value_of(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX) return std::nullopt;
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  return std::nullopt;
}

Json parsed_line(std::string_view line) {
  if (!check_json_bounds(line, {.values = 100'000})) return Json(Json::value_t::discarded);
  return Json::parse(line, nullptr, false);
}

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The file.

namespace {

constexpr std::uintmax_t longest_head = std::uintmax_t{16} << 20;

Json head_of(const Journal::Subject& subject) {
  Json json{{kJournalMark, kJournalVersion}, {"identity", subject.identity},
            {"device", subject.device},      {"strategy", subject.strategy},
            {"seed", subject.seed},          {"space", subject.space}};
  if (!subject.start.empty()) json["start"] = subject.start;
  return json;
}

Expected<void> append_line(const FileDescriptor& file, const Json& line,
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

/// A journal's head must be of the search that `expected` describes.
void compare_heads(const Json& found, const Json& expected, const std::filesystem::path& path) {
  for (const char* name : {kJournalMark, "identity", "device", "strategy", "seed", "space"}) {
    const auto member = found.find(name);
    if (member == found.end()) throw other_search(path, fmt::format("no {}", name));
    if (*member != expected[name])
      throw other_search(path, fmt::format("{} {}", name, one_line(dumped(*member).substr(0, 80))));
  }
}

}  // namespace

Expected<FileDescriptor> open_alone(const std::filesystem::path& path, const Error& irregular,
                                    std::string_view taken) {
  // Without O_NONBLOCK, a named pipe could be waited for.
  FileDescriptor file(
      ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600));
  if (!file) return tl::unexpected(io_error("open", path, errno));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) return tl::unexpected(io_error("read", path, errno));
  if (!S_ISREG(status.st_mode)) return tl::unexpected(irregular);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0)
    return fail(Errc::unsupported, fmt::format("{}: another process {}", path.string(), taken));
  return file;
}

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
  return expected_from([&] {
    const Json head = parsed_line(std::string_view(text).substr(0, end));
    compare_heads(head, head_of(subject), path);
    return std::optional(text_in(head, "start"));
  });
}

Expected<Journal> Journal::open(const std::filesystem::path& path, const Subject& subject,
                                const SearchSpace& space, Existing existing) {
  return expected_from([&] { return Journal(path, subject, space, existing); });
}

Journal::Journal(const std::filesystem::path& path, const Subject& subject,
                 const SearchSpace& space, Existing existing)
    : path_(path) {
  const auto open_file = [&] {
    file_ = value_or_throw(open_alone(path, no_journal(path), "has this journal open"));
  };
  open_file();
  std::string text = value_or_throw(read_text(path, most_journal_bytes));
  if (!text.empty() && !begins_as_journal(text)) throw no_journal(path);
  if (existing == Existing::set_aside && !text.empty()) {
    value_or_throw(rename_aside(path));
    open_file();
    text.clear();
  }
  const Json head = head_of(subject);
  std::size_t good = 0, number = 0;
  for (std::size_t end; (end = text.find('\n', good)) != text.npos; good = end + 1) {
    const std::string line = text.substr(good, end - good);
    const Json json = parsed_line(line);
    if (++number == 1) {
      compare_heads(json, head, path);
      if (text_in(json, "start") != subject.start)
        throw other_search(path, "another search to start from");
      continue;
    }
    if (const auto ending = ending_of(json); ending && ending->winner < space.size()) {
      before_ = std::max(before_, amount_in(json, "at").value_or(0));
      continue;
    }
    auto entry = journal_line_of(json);
    if (!entry || entry->id >= space.size())
      throw Error(Errc::bad_input,
                  fmt::format("{}: line {}: found '{}', expected an "
                              "object with id and seconds or failure",
                              path.string(), number, one_line(line.substr(0, 80))));
    before_ = std::max(before_, entry->at.value_or(0));
    entries_.push_back(*std::move(entry));
  }
  // What follows the last whole line was in flight.
  if (::ftruncate(file_.get(), static_cast<off_t>(good)) != 0)
    throw io_error("truncate", path, errno);
  if (number == 0) value_or_throw(append_line(file_, head, path));
}

double Journal::now() const {
  const std::chrono::duration<double> now = std::chrono::steady_clock::now() - opened_;
  return std::round((before_ + now.count()) * 1e3) / 1e3;
}

Expected<void> Journal::add(const SearchSpace& space, ConfigurationId id, const Report& report) {
  entries_.push_back({id, report});
  Json json = json_of_result(id, json_of_configuration(space, id), report.outcome, report.message);
  if (report.elsewhere) json["elsewhere"] = true;
  json["at"] = now();
  return append_line(file_, json, path_);
}

Expected<void> Journal::end(const SearchSpace& space, const SearchEnding& ending) {
  Json json = json_of(ending);
  json["configuration"] = json_of_configuration(space, ending.winner);
  json["at"] = now();
  return append_line(file_, json, path_);
}

}  // namespace kiln::tune
