#include "spec/reader.hpp"

#include <algorithm>
#include <cctype>

#include "base/text.hpp"

namespace kiln::spec {
namespace {

/// A hostile file could earn a message a byte; nobody reads more than these.
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

std::optional<std::uint32_t> Reader::read_position(const Json& object, std::string_view path) {
  constexpr std::string_view what = "the kernel argument's position, an integer 0..1023";
  const Json* value = required(object, path, "pos", what);
  if (value == nullptr) return std::nullopt;
  const auto position = read_integer(*value, join(path, "pos"), 0, last_position, what);
  if (!position) return std::nullopt;
  return static_cast<std::uint32_t>(*position);
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

}  // namespace kiln::spec
