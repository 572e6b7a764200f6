#include <algorithm>

#include "base/data/text.hpp"
#include "base/expected.hpp"
#include "format/task_graph/form.hpp"

// Which format a text is, and what holds for all of them.
namespace kiln::task_graph {
namespace {

constexpr std::string_view names[] = {"text", "list", "json"};  // in the order of Format

/// The first character that says something tells them apart.
Format format_of(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first == text.npos) return Format::text;
  if (text[first] == '[') return Format::list;
  return text[first] == '{' ? Format::json : Format::text;
}

// A value takes some 130 bytes: what a graph of 100,000 tasks needs, and no more than a machine
// has.
constexpr JsonBounds bounds{};

void read_json(std::string_view text, File& file) {
  const LineTable lines(text);
  const JsonDocument document = parse_json(text, bounds.values);
  if (!document.root)
    throw Error(Errc::bad_input, place_of(file.name, lines.line(document.error.at)) + ": " +
                                     one_line(document.error.text));
  for (const JsonRemark& remark : document.warnings)
    file.warnings.push_back(place_of(file.name, lines.line(remark.at)) + ": " + remark.text);
  if (file.format == Format::list) {
    read_list(*document.root, lines, file);
  } else {
    read_own(*document.root, lines, file);
  }
}

bool same_value(const expr::Value& a, const expr::Value& b) {
  return a.data().index() == b.data().index() && a == b;
}

bool same_task(const Task& a, const Task& b) {
  return a.id == b.id && a.spec == b.spec && a.inline_spec == b.inline_spec &&
         a.partition == b.partition && a.cluster == b.cluster &&
         std::equal(a.symbols.begin(), a.symbols.end(), b.symbols.begin(), b.symbols.end(),
                    [](const Symbol& one, const Symbol& other) {
                      return one.first == other.first && same_value(one.second, other.second);
                    });
}

bool same_edge(const Edge& a, const Edge& b) {
  return a.from == b.from && a.to == b.to && a.from_position == b.from_position &&
         a.to_position == b.to_position;
}

}  // namespace

const char* name_of(Format format) noexcept {
  return names[static_cast<std::size_t>(format)].data();
}

std::optional<Format> format_named(std::string_view name) {
  const auto* const found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names)) return std::nullopt;
  return static_cast<Format>(found - names);
}

Expected<File> parse(std::string_view text, std::string name) {
  return expected_from([&] {
    File file{.name = std::move(name), .format = format_of(text)};
    if (file.format == Format::text) {
      read_text(text, file);
    } else {
      read_json(text, file);
    }
    check_graph(file);
    return file;
  });
}

bool same(const File& a, const File& b) {
  return std::equal(a.tasks.begin(), a.tasks.end(), b.tasks.begin(), b.tasks.end(), same_task) &&
         std::equal(a.edges.begin(), a.edges.end(), b.edges.begin(), b.edges.end(), same_edge) &&
         a.results == b.results;
}

}  // namespace kiln::task_graph
