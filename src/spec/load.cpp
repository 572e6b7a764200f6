#include <algorithm>

#include "base/data/text.hpp"
#include "base/os/file.hpp"
#include "kiln/spec/file.hpp"
#include "spec/bind/binder.hpp"
#include "spec/read/reader.hpp"

// The entry points of kiln/spec.hpp that take a file or text: reading it (load_spec, parse_spec)
// and listing all that is wrong with it (check_spec, check_text); and the form of messages.
namespace kiln::spec {
namespace {

/// The largest published file has 6 kB.
constexpr std::uint64_t largest_file = 64u << 20;

bool is_graph(const Json& root) {
  return root.is(Json::Kind::list) && !root.items.empty() &&
         root.items.front().is(Json::Kind::object);
}

/// For a file that was taken for a specification file.
std::string_view advice_on(const std::string& file) {
  const bool is_program = file.ends_with(".cl") || file.ends_with(".spv");
  return is_program ? " (a kernel's program? kiln init writes a specification file for one)" : "";
}

/// Whether JSON is broken because there is no text at all.
bool is_binary(const JsonDocument& document, std::string_view text) {
  const std::size_t at = document.error.at;
  return !document.root &&
         (text.find('\0') != text.npos || (at < text.size() && character_at(text, at).bytes == 0));
}

/// What reading gives: a spec where there is no error, and all findings in any case.
struct Reading {
  std::optional<Spec> spec;
  std::vector<Message> messages;
  Errc code = Errc::bad_input;
};

Reading read_document(std::string_view text, const std::string& file, SpecDialect dialect) {
  Reading reading;
  Reader reader(text, file);
  const auto document = parse_json(text);
  if (is_binary(document, text)) {
    reader.add(
        {Message::Severity::error, file, 0, 0, "",
         "found bytes that are no text (UTF-8), expected JSON" + std::string(advice_on(file))});
    reading.messages = reader.sorted_messages();
    return reading;
  }
  for (const auto& remark : document.warnings) reader.warning(remark.at, "", remark.text);
  if (!document.root) {
    const LineTable lines(text);
    reader.add({Message::Severity::error, file, lines.line(document.error.at),
                lines.column(document.error.at), "",
                "broken JSON: " + document.error.text + std::string(advice_on(file))});
  } else if (is_graph(*document.root)) {
    reader.error(document.root->at, "",
                 "found a list of " + std::to_string(document.root->items.size()) +
                     " kernels (a graph), expected an object that describes one");
    reading.code = Errc::unsupported;
  } else if (!document.root->is(Json::Kind::object)) {
    reader.expected(*document.root, "", "an object that describes one kernel");
  } else if (!report_marks(*document.root, reader)) {
    reading.spec = read_spec(*document.root, dialect, reader);
  }
  reading.messages = reader.sorted_messages();
  return reading;
}

bool is_error(const Message& message) { return message.severity == Message::Severity::error; }

/// One line for those who run; the whole list is for those who check.
Error first_error(const Reading& reading) {
  std::string text;
  std::size_t more = 0;
  for (const auto& message : reading.messages) {
    if (!is_error(message)) continue;
    if (text.empty()) {
      text = message.render();
    } else {
      ++more;
    }
  }
  if (more != 0) text += " (and " + std::to_string(more) + " more: kiln check lists them)";
  return Error(reading.code, text);
}

/// What binding finds, after the structure is right: sizes with the given and default symbols.
void check_sizes(const Spec& spec, const Symbols& symbols, std::vector<Message>& messages) {
  std::vector<BindProblem> problems;
  Binder binder(spec, symbols, {}, problems);
  for (const auto& missing : binder.missing()) messages.push_back(missing_finding(spec, missing));
  (void)binder.bind();
  for (auto& [message, by_default] : problems) {
    if (by_default) message.severity = Message::Severity::warning;
    messages.push_back(std::move(message));
  }
}

std::vector<Message> check(std::string_view text, const std::string& file, SpecDialect dialect,
                           const Symbols& symbols) {
  auto reading = read_document(text, file, dialect);
  if (reading.spec) check_sizes(*reading.spec, symbols, reading.messages);
  std::stable_sort(reading.messages.begin(), reading.messages.end(),
                   [](const Message& a, const Message& b) { return a.line < b.line; });
  return std::move(reading.messages);
}

}  // namespace

Expected<Spec> parse_spec(std::string_view text, std::string file, SpecDialect dialect) {
  auto reading = read_document(text, file, dialect);
  if (!reading.spec) return tl::unexpected(first_error(reading));
  reading.spec->warnings = std::move(reading.messages);
  return *std::move(reading.spec);
}

// The path is kept as it was given: messages should show what the user typed.
Expected<Spec> load_spec(const std::filesystem::path& file, SpecDialect dialect) {
  const auto text = kiln::read_text(file, largest_file);
  if (!text) return tl::unexpected(text.error());
  return parse_spec(*text, file.string(), dialect);
}

std::vector<Message> check_text(std::string_view text, std::string file, SpecDialect dialect,
                                const Symbols& symbols) {
  return check(text, file, dialect, symbols);
}

std::vector<Message> check_spec(const std::filesystem::path& file, SpecDialect dialect,
                                const Symbols& symbols) {
  const auto text = kiln::read_text(file, largest_file);
  if (text) return check(*text, file.string(), dialect, symbols);
  // The message of base names the file itself.
  return {{Message::Severity::error, "", 0, 0, "", text.error().message()}};
}

// The form of compilers, which editors and terminals turn into links.
std::string Message::render() const {
  std::string result = file;
  if (line != 0) result.append(result.empty() ? "line " : ":").append(std::to_string(line));
  if (column != 0) result.append(":").append(std::to_string(column));
  if (!result.empty()) result += ": ";
  if (severity == Severity::warning) result += "warning: ";
  if (!attribute.empty()) result += "attribute '" + attribute + "': ";
  return result + text;
}

Expected<SpecDialect> parse_dialect(std::string_view name) {
  for (const auto dialect : {SpecDialect::automatic, SpecDialect::base, SpecDialect::concurrent}) {
    if (name == name_of(dialect)) return dialect;
  }
  return fail(Errc::bad_input,
              "found the dialect \"" + std::string(name) + "\", expected auto, base or concurrent");
}

const char* name_of(SpecDialect dialect) noexcept {
  switch (dialect) {
    case SpecDialect::base:
      return "base";
    case SpecDialect::concurrent:
      return "concurrent";
    default:
      return "auto";
  }
}

}  // namespace kiln::spec
