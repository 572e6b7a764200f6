#include "format/json_tree.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

// The parser is nlohmann's; the tree, the places and the words of messages are ours.
namespace kiln {
namespace {

// Deep enough for every file with a purpose, and shallow enough that freeing the tree, which
// recurses, cannot exhaust a stack.
constexpr std::size_t deepest = 64;

/// Reads characters and tells a shared cursor how far it came: the parser reports no positions of
/// its own, but after each event the cursor stands behind the token that caused it.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, const char** cursor) : at_(at), cursor_(cursor) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *cursor_ = ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** cursor_;
};

/// "… at line 1, column 5: syntax error while parsing value - unexpected '}'; expected '['"
/// without its beginning: places and wording are ours.
std::string reason_of(std::string_view what) {
  if (const auto start = what.find("] "); start != what.npos) what.remove_prefix(start + 2);
  if (const auto start = what.find(" - "); start != what.npos) {
    what.remove_prefix(start + 3);
  } else if (const auto colon = what.find(": "); colon != what.npos) {
    what.remove_prefix(colon + 2);
  }
  return std::string(what.substr(0, 200));
}

/// Receives the parser's events and builds the tree. The parser keeps its own stack on the heap, so
/// hostile nesting costs it nothing; the depth is bounded here, where the tree is made.
class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  TreeBuilder(std::string_view text, std::size_t most_values, const char** cursor,
              JsonDocument& document)
      : text_(text), most_values_(most_values), cursor_(cursor), document_(document) {}

  bool null() override { return place({}); }
  bool boolean(bool value) override {
    return place({.kind = JsonValue::Kind::boolean, .boolean = value});
  }
  bool number_integer(std::int64_t value) override {
    return place({.kind = JsonValue::Kind::integer, .integer = value});
  }
  // The expression language has signed 64-bit integers: what lies above keeps its digits, so that
  // a message can show them and no reader takes a rounded number for the one in the file.
  bool number_unsigned(std::uint64_t value) override {
    if (value > INT64_MAX) {
      return place({.kind = JsonValue::Kind::real,
                    .real = static_cast<double>(value),
                    .text = std::to_string(value)});
    }
    return number_integer(static_cast<std::int64_t>(value));
  }
  bool number_float(double value, const std::string& digits) override {
    return place({.kind = JsonValue::Kind::real, .real = value, .text = digits});
  }
  bool string(std::string& value) override {
    return place({.kind = JsonValue::Kind::string, .text = std::move(value)});
  }
  bool binary(nlohmann::json::binary_t&) override { return false; }  // no JSON text has one
  bool start_object(std::size_t) override { return open(JsonValue::Kind::object); }
  bool start_array(std::size_t) override { return open(JsonValue::Kind::list); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  // The value is put in when it arrives; until then the member holds null.
  bool key(std::string& name) override {
    open_.back().members.push_back({std::move(name), token_start(), {}});
    end_ = position();
    return true;
  }

  // Called once, for the first fault; returning false ends the parse.
  bool parse_error(std::size_t byte, const std::string&,
                   const nlohmann::detail::exception& error) override {
    document_.error = {byte == 0 ? 0 : std::min(byte, text_.size() + 1) - 1,
                       reason_of(error.what())};
    return false;
  }

 private:
  std::size_t position() const { return static_cast<std::size_t>(*cursor_ - text_.data()); }

  /// The current token begins at the first character after the last one that separates nothing.
  std::size_t token_start() const {
    const auto at = text_.find_first_not_of(" \t\r\n,:\xEF\xBB\xBF", end_);
    return at == text_.npos ? text_.size() : at;
  }

  bool place(JsonValue value) {
    value.at = token_start();
    end_ = position();
    if (!count(value.at)) return false;
    attach(std::move(value));
    return true;
  }

  bool count(std::size_t at) {
    if (++values_ <= most_values_) return true;
    document_.error = {
        at, "found more than " + std::to_string(most_values_) + " values, expected no more"};
    return false;
  }

  /// Hands a finished value to the container around it, or makes it the root.
  void attach(JsonValue value) {
    if (open_.empty()) {
      document_.root = std::move(value);
    } else if (open_.back().kind == JsonValue::Kind::list) {
      open_.back().items.push_back(std::move(value));
    } else {
      open_.back().members.back().value = std::move(value);
    }
  }

  bool open(JsonValue::Kind kind) {
    open_.push_back({.kind = kind, .at = token_start()});
    end_ = position();
    if (!count(open_.back().at)) return false;
    if (open_.size() <= deepest) return true;
    document_.error = {open_.back().at, "found values nested deeper than " +
                                            std::to_string(deepest) + ", expected a few levels"};
    return false;
  }

  bool close() {
    end_ = position();
    JsonValue value = std::move(open_.back());
    open_.pop_back();
    warn_of_duplicates(value);
    attach(std::move(value));
    return true;
  }

  /// Sorted, because a quadratic search would let a large object keep the machine busy.
  void warn_of_duplicates(const JsonValue& object) {
    std::vector<const JsonMember*> sorted;
    for (const auto& member : object.members) sorted.push_back(&member);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto* a, const auto* b) { return a->key < b->key; });
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      if (sorted[i]->key != sorted[i - 1]->key) continue;
      document_.warnings.push_back(
          {sorted[i]->at, "found the key " + quote(sorted[i]->key) +
                              " again, expected each key once: the last one counts"});
    }
  }

  std::string_view text_;
  std::size_t most_values_;
  const char** cursor_;
  JsonDocument& document_;
  std::vector<JsonValue> open_;  // the containers around the current token
  std::size_t end_ = 0;          // behind the last token
  std::size_t values_ = 0;
};

/// The text with every comma that stands before a closing bracket turned into a blank; one remark
/// each. Published files have them.
///
/// A pass before the real parser: it only needs to know what is inside a string. Where the text
/// is no JSON anyway it may blank a comma too many, which changes no answer: the parser still
/// refuses.
std::string without_trailing_commas(std::string_view text, std::vector<JsonRemark>& remarks) {
  std::string result(text);
  bool in_string = false;
  // A comma counts only after a value: `[,]` and `[1,,]` stay the errors that they are.
  char last = '\0', before_comma = '\0';
  std::optional<std::size_t> comma;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') {
        ++at;
      } else if (c == '"') {
        in_string = false;
      }
      continue;
    }
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
    if ((c == ']' || c == '}') && comma && before_comma != '[' && before_comma != '{' &&
        before_comma != ',' && before_comma != ':') {
      result[*comma] = ' ';
      remarks.push_back({*comma, std::string("found a comma before '") + c +
                                     "', expected none: JSON has no trailing commas"});
    }
    comma.reset();
    if (c == ',') {
      comma = at;
      before_comma = last;
    }
    in_string = c == '"';
    last = c;
  }
  return result;
}

}  // namespace

const JsonMember* JsonValue::find(std::string_view key) const {
  const auto last = std::find_if(members.rbegin(), members.rend(),
                                 [&](const JsonMember& member) { return member.key == key; });
  return last == members.rend() ? nullptr : &*last;
}

std::vector<const JsonMember*> counting_members(const JsonValue& object) {
  std::vector<const JsonMember*> members(object.members.size());
  std::transform(object.members.begin(), object.members.end(), members.begin(),
                 [](const JsonMember& member) { return &member; });
  // Sorted by key, and of equal ones the last first, the others can be told.
  std::vector<const JsonMember*> sorted = members;
  std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
    return a->key != b->key ? a->key < b->key : a > b;
  });
  std::vector<const JsonMember*> earlier;
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i]->key == sorted[i - 1]->key) earlier.push_back(sorted[i]);
  if (earlier.empty()) return members;
  std::sort(earlier.begin(), earlier.end());
  std::erase_if(members, [&](const JsonMember* member) {
    return std::binary_search(earlier.begin(), earlier.end(), member);
  });
  return members;
}

namespace {

void append_list(std::string& to, const JsonValue& list) {
  to += '[';
  for (const JsonValue& item : list.items) {
    if (&item != &list.items.front()) to += ", ";
    append_json(to, item);
  }
  to += ']';
}

void append_object(std::string& to, const JsonValue& object) {
  to += '{';
  const auto members = counting_members(object);
  for (const JsonMember* member : members) {
    if (member != members.front()) to += ", ";
    append_json(to, std::string_view(member->key));
    to += ": ";
    append_json(to, member->value);
  }
  to += '}';
}

}  // namespace

void append_json(std::string& to, std::string_view text) {
  to += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      to += '\\';
      to += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned char>(c));
      to += escape;
    } else {
      to += c;
    }
  }
  to += '"';
}

// Recurses as deep as values nest, which parse_json() bounds.
void append_json(std::string& to, const JsonValue& value) {
  switch (value.kind) {
    case JsonValue::Kind::null:
      to += "null";
      return;
    case JsonValue::Kind::boolean:
      to += value.boolean ? "true" : "false";
      return;
    case JsonValue::Kind::integer:
      to += std::to_string(value.integer);
      return;
    case JsonValue::Kind::real:
      to += value.text;
      return;
    case JsonValue::Kind::string:
      return append_json(to, std::string_view(value.text));
    case JsonValue::Kind::list:
      return append_list(to, value);
    case JsonValue::Kind::object:
      return append_object(to, value);
  }
}

JsonDocument parse_json(std::string_view text, std::size_t most_values) {
  JsonDocument document;
  // Blanks take the place of the commas, so that every position stays the file's.
  const std::string strict = without_trailing_commas(text, document.warnings);
  const char* cursor = strict.data();
  TreeBuilder builder(strict, most_values, &cursor, document);
  const bool whole =
      nlohmann::json::sax_parse(CountingIterator(strict.data(), &cursor),
                                CountingIterator(strict.data() + strict.size(), &cursor), &builder);
  if (!whole) document.root.reset();
  return document;
}

/// Messages are one line on a terminal: no control character of a file may reach it.
std::string quote(std::string_view text) {
  constexpr std::size_t shown = 60;
  std::string result = "\"";
  for (const char c : text.substr(0, shown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\x%02x", byte);
      result += escape;
    } else {
      result += c;
    }
  }
  if (text.size() > shown) {
    // A cut inside a UTF-8 sequence would leave half a character on the terminal.
    while (!result.empty() && (static_cast<unsigned char>(result.back()) & 0xC0) == 0x80) {
      result.pop_back();
    }
    if (static_cast<unsigned char>(result.back()) >= 0xC0) result.pop_back();
    return result + "\" … (" + std::to_string(text.size()) + " characters)";
  }
  return result + '"';
}

std::string describe(const JsonValue& value) {
  switch (value.kind) {
    case JsonValue::Kind::null:
      return "null";
    case JsonValue::Kind::boolean:
      return value.boolean ? "true" : "false";
    case JsonValue::Kind::integer:
      return std::to_string(value.integer);
    case JsonValue::Kind::real:
      return value.text.substr(0, 40);
    case JsonValue::Kind::string:
      return "the string " + quote(value.text);
    case JsonValue::Kind::list:
      return "a list of " + std::to_string(value.items.size());
    case JsonValue::Kind::object:
      return "an object";
  }
  return {};
}

LineTable::LineTable(std::string_view text) : starts_{0} {
  for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1)) {
    starts_.push_back(at + 1);
  }
}

std::uint32_t LineTable::line(std::size_t at) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), at);
  return static_cast<std::uint32_t>(after - starts_.begin());
}

// In bytes, as compilers count: editors agree on every file without other characters.
std::uint32_t LineTable::column(std::size_t at) const {
  return static_cast<std::uint32_t>(at - starts_[line(at) - 1] + 1);
}

}  // namespace kiln
