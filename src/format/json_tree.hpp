#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// A JSON text as a tree whose values know where they stand, and the words in which messages show
/// them.
namespace kiln {

struct JsonMember;

/// A JSON value that remembers where it stands. Objects keep their members in the file's order,
/// duplicates included; find() gives the last, as the readers of these files always did.
struct JsonValue {
  enum class Kind : std::uint8_t { null, boolean, integer, real, string, list, object };
  Kind kind = Kind::null;
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;  ///< a string's characters; of a real, the digits as written
  std::vector<JsonValue> items;
  std::vector<JsonMember> members;
  std::size_t at = 0;  ///< byte where the value starts

  const JsonMember* find(std::string_view key) const;
  bool is(Kind wanted) const { return kind == wanted; }
};

/// The members that count: of equal keys the last. In the file's order.
std::vector<const JsonMember*> counting_members(const JsonValue& object);

struct JsonMember {
  std::string key;
  std::size_t at = 0;  ///< byte where the key starts
  JsonValue value;
};

/// Something about the text itself, at a byte.
struct JsonRemark {
  std::size_t at = 0;
  std::string text;
};

/// Turns byte positions into lines and columns, both 1-based.
class LineTable {
 public:
  explicit LineTable(std::string_view text);
  std::uint32_t line(std::size_t at) const;
  std::uint32_t column(std::size_t at) const;

 private:
  std::vector<std::size_t> starts_;
};

struct JsonDocument {
  std::optional<JsonValue> root;     ///< empty: `error` says why
  JsonRemark error;                  ///< found …, expected …
  std::vector<JsonRemark> warnings;  ///< trailing commas, duplicate keys
};

/// Parses strict JSON with one leniency: a comma before a closing bracket is a warning. Values
/// nested deeper than 64 are an error, and more than `most_values`, of which each takes some 130
/// bytes: nothing in a specification file comes near.
JsonDocument parse_json(std::string_view text, std::size_t most_values = 1'000'000);

/// Appends a string in quotes, of UTF-8; and a value, on one line: numbers with the digits that
/// they were read with, of equal keys the last alone.
void append_json(std::string& to, std::string_view text);
void append_json(std::string& to, const JsonValue& value);

/// What stands there, for messages: `the string "abc"`, `12`, `a list of 3`.
std::string describe(const JsonValue& value);
/// Text of the user in quotes: shortened, control characters made visible.
std::string quote(std::string_view text);

}  // namespace kiln
