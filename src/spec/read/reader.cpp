#include "spec/read/reader.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

#include "base/data/text.hpp"

// Takes plain values and formulas out of the tree; types and structures are read in
// typed_values.cpp.
namespace kiln::spec {
namespace {

/// A hostile file could cause a message for every byte; more than these are not useful.
constexpr std::size_t most_messages = 500;
/// Far above what any OpenCL device takes; keeps sums of positions small.
constexpr std::int64_t last_position = 1023;

/// A key as part of an attribute's path: bare where it is a name, quoted where it holds anything
/// that could be taken for the path's own dots and brackets.
std::string shown_key(std::string_view key) {
  const bool plain =
      !key.empty() && key.size() <= 60 && std::all_of(key.begin(), key.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '-';
      });
  return plain ? std::string(key) : quote(key);
}

void report_marks_in(const Json& value, const std::string& path, Reader& reader, bool& found) {
  if (value.is(Json::Kind::string) && value.text.starts_with(fill_in_mark)) {
    found = true;
    reader.error(value.at, path,
                 "still to be filled in: " + value.text.substr(fill_in_mark.size()));
  }
  for (std::size_t i = 0; i < value.items.size(); ++i)
    report_marks_in(value.items[i], join(path, i), reader, found);
  for (const auto& member : value.members)
    if (member.key != "description")
      report_marks_in(member.value, join(path, member.key), reader, found);
}

constexpr std::string_view number_or_expression = "a number or an expression in a string";

/// A file holds many expressions and the longest published one has 33 characters: far below the
/// language's own bounds, so that no file can keep a machine busy.
constexpr expr::Limits limits = {.text_bytes = 1u << 16,
                                 .nodes = 10'000,
                                 .steps = 100'000,
                                 .list_items = 10'000,
                                 .string_bytes = 1u << 16};

/// A JSON number as the expression language sees it; nothing for what it cannot hold.
std::optional<expr::Value> number_of(const Json& value) {
  if (value.is(Json::Kind::boolean)) return expr::Value(value.boolean);
  if (value.is(Json::Kind::integer)) return expr::Value(value.integer);
  // Digits alone are an integer beyond 64 bits: as a double it would silently be another number.
  const bool whole = value.text.find_first_of(".eE") == std::string::npos;
  if (value.is(Json::Kind::real) && !whole && std::isfinite(value.real)) {
    return expr::Value(value.real);
  }
  return std::nullopt;
}

/// "[1, n + 1]" of its items.
std::string list_text(const std::vector<Formula>& items) {
  std::string text = "[";
  for (const auto& item : items)
    text += (text.size() == 1 ? "" : ", ") +
            (item.expression ? item.expression->canonical() : item.literal.text());
  return text + "]";
}

}  // namespace

bool report_marks(const Json& root, Reader& reader) {
  bool found = false;
  report_marks_in(root, "", reader, found);
  return found;
}

std::string join(std::string_view path, std::string_view key) {
  return path.empty() ? std::string(key) : std::string(path) + "." + std::string(key);
}
std::string join(std::string_view path, std::size_t index) {
  return std::string(path) + "[" + std::to_string(index) + "]";
}

// The first error is kept even where warnings have used up the room: it decides the outcome.
void Reader::add(Message message) {
  if (message.severity == Message::Severity::error) ++errors_;
  if (messages_.size() < most_messages || errors_ == 1) messages_.push_back(std::move(message));
}

void Reader::report(Message::Severity severity, std::size_t at, std::string attribute,
                    std::string text) {
  add({severity, file_, lines_.line(at), 0, std::move(attribute), std::move(text)});
}
void Reader::error(std::size_t at, std::string attribute, std::string text) {
  report(Message::Severity::error, at, std::move(attribute), std::move(text));
}
void Reader::warning(std::size_t at, std::string attribute, std::string text) {
  report(Message::Severity::warning, at, std::move(attribute), std::move(text));
}
void Reader::expected(const Json& found, std::string attribute, std::string_view what) {
  error(found.at, std::move(attribute),
        "found " + describe(found) + ", expected " + std::string(what));
}

// null does not count as absent here: "found null" tells more than "missing".
const Json* Reader::required(const Json& object, std::string_view path, std::string_view key,
                             std::string_view what) {
  const auto* member = object.find(key);
  if (member != nullptr) return &member->value;
  error(object.at, join(path, key), "missing, expected " + std::string(what));
  return nullptr;
}

const Json* Reader::optional(const Json& object, std::string_view key) {
  const auto* member = object.find(key);
  return member == nullptr || member->value.is(Json::Kind::null) ? nullptr : &member->value;
}

std::optional<std::string> Reader::read_string(const Json& value, std::string attribute,
                                               std::string_view what) {
  if (value.is(Json::Kind::string)) return value.text;
  expected(value, std::move(attribute), what);
  return std::nullopt;
}

std::optional<std::int64_t> Reader::read_integer(const Json& value, std::string attribute,
                                                 std::int64_t least, std::int64_t most,
                                                 std::string_view what) {
  if (value.is(Json::Kind::integer) && value.integer >= least && value.integer <= most) {
    return value.integer;
  }
  expected(value, std::move(attribute), what);
  return std::nullopt;
}

// Graph files use both, even for one kernel: the digits are the common form.
std::optional<std::string> Reader::read_id(const Json& value, std::string attribute) {
  if (value.is(Json::Kind::integer)) return std::to_string(value.integer);
  return read_string(value, std::move(attribute), "a kernel's id: a string or an integer");
}

std::optional<std::uint32_t> Reader::read_position(const Attribute& found) {
  const auto position = read_integer(found.value, found.path, 0, last_position, position_range);
  if (!position) return std::nullopt;
  return static_cast<std::uint32_t>(*position);
}

std::span<const Json> Reader::items_of(const Json& list, const std::string& path,
                                       std::string_view what) {
  if (!list.is(Json::Kind::list)) expected(list, path, what);
  return list.items;  // none where it is something else
}

std::vector<const JsonMember*> Reader::members_of(const Json& object, const std::string& path,
                                                  std::string_view what) {
  if (!object.is(Json::Kind::object)) expected(object, path, what);
  std::vector<const JsonMember*> members;
  std::set<std::string_view> seen;
  for (auto member = object.members.rbegin(); member != object.members.rend(); ++member)
    if (seen.insert(member->key).second) members.push_back(&*member);
  std::reverse(members.begin(), members.end());
  return members;
}

// The original takes any unknown buffer type for double. Kiln keeps that for the empty name only,
// which files really have; a misspelt one would silently run on garbage.
std::optional<Type> Reader::named_type(const Json& object, std::string_view path,
                                       const std::string& name, EmptyType empty) {
  const Json& value = object.find("type")->value;
  if (name.empty() && empty == EmptyType::is_double) {
    warning(value.at, join(path, "type"),
            "found an empty type, expected a type such as \"float\": it counts as double");
    return Type{};
  }
  auto type = Type::parse(name);
  if (type) return *type;
  error(value.at, join(path, "type"),
        type.error().message() + "; a structure has the type \"struct\"");
  return std::nullopt;
}

std::optional<std::string> Reader::read_type_name(const Json& object, std::string_view path) {
  const Json* value = required(object, path, "type", "a type, such as \"float\"");
  if (value == nullptr) return std::nullopt;
  return read_string(*value, join(path, "type"), "a type, such as \"float\"");
}

void Reader::warn_of_unknown(const Json& object, std::string_view path,
                             std::span<const std::string_view> known) {
  for (const auto& member : object.members) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    if (messages_.size() >= most_messages) return;
    warning(member.at, join(path, shown_key(member.key)),
            "found an unknown attribute, which is ignored" + did_you_mean(member.key, known));
  }
}

// Stable: findings of one line keep the order in which they were made, outer before inner.
std::vector<Message> Reader::sorted_messages() const {
  auto sorted = messages_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Message& a, const Message& b) { return a.line < b.line; });
  return sorted;
}

std::optional<Formula> Reader::read_formula(const Json& value, std::string attribute, Shape shape) {
  if (value.is(Json::Kind::string)) return read_expression(value, std::move(attribute));
  if (value.is(Json::Kind::list) && shape == Shape::number_or_list) {
    return read_list(value, std::move(attribute));
  }
  if (auto number = number_of(value)) {
    std::string text = number->text();
    return Formula{std::move(text), std::nullopt, *std::move(number), line(value.at),
                   std::move(attribute)};
  }
  if (value.is(Json::Kind::real)) {
    expected(value, std::move(attribute), "a number that fits 64 bits");
  } else {
    expected(value, std::move(attribute),
             shape == Shape::number ? std::string(number_or_expression)
                                    : "a list, or " + std::string(number_or_expression));
  }
  return std::nullopt;
}

Expected<expr::Expression> Reader::parse_expression(const std::string& text) {
  return expr::Expression::parse(text, expr::Dialect::python2, limits);
}

std::optional<Formula> Reader::read_expression(const Json& value, std::string attribute) {
  auto parsed = parse_expression(value.text);
  if (!parsed) {
    error(value.at, std::move(attribute),
          "found " + quote(value.text) + ", expected an expression: " + parsed.error().message());
    return std::nullopt;
  }
  return Formula{value.text, *std::move(parsed), {}, line(value.at), std::move(attribute)};
}

/// A JSON list is taken as it is; where it holds strings, the list of their values. The original
/// does not evaluate strings in lists (it fails on them), so this takes nothing away.
std::optional<Formula> Reader::read_list(const Json& value, std::string attribute) {
  std::vector<Formula> items;
  bool has_expressions = false;
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    auto item = read_formula(value.items[i], join(attribute, i), Shape::number);
    if (!item) return std::nullopt;
    has_expressions |= item->expression.has_value();
    items.push_back(*std::move(item));
  }
  if (has_expressions)
    warning(value.at, attribute,
            "found an expression inside a list, expected one string \"" + list_text(items) +
                "\": only Kiln evaluates this");
  return list_of_formulas(items, value.at, std::move(attribute));
}

/// The list of some values: a literal where all of them are, else one expression.
std::optional<Formula> Reader::list_of_formulas(const std::vector<Formula>& items, std::size_t at,
                                                std::string attribute) {
  Formula list{list_text(items), std::nullopt, {}, line(at), std::move(attribute)};
  const bool has_expressions = std::any_of(
      items.begin(), items.end(), [](const Formula& item) { return item.expression.has_value(); });
  if (!has_expressions) {
    expr::List literal;
    for (const auto& item : items) literal.push_back(item.literal);
    list.literal = expr::Value(std::move(literal));
    return list;
  }
  auto parsed = parse_expression(list.text);
  if (!parsed) {
    error(at, list.attribute, "found " + quote(list.text) + ": " + parsed.error().message());
    return std::nullopt;
  }
  list.expression = *std::move(parsed);
  return list;
}

}  // namespace kiln::spec
