#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// A JSON text as a tree whose values know where they stand, and the words in which messages show
/// them.
namespace kiln::spec {

struct JsonMember;

/// A JSON value that remembers where it stands. Objects keep their members in the file's order,
/// duplicates included; find() gives the last, as the readers of these files always did.
struct Json {
  enum class Kind : std::uint8_t { null, boolean, integer, real, string, list, object };
  Kind kind = Kind::null;
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;  ///< a string's characters; of a real, the digits as written
  std::vector<Json> items;
  std::vector<JsonMember> members;
  std::size_t at = 0;  ///< byte where the value starts

  const JsonMember* find(std::string_view key) const;
  bool is(Kind wanted) const { return kind == wanted; }
};

struct JsonMember {
  std::string key;
  std::size_t at = 0;  ///< byte where the key starts
  Json value;
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
  std::optional<Json> root;          ///< empty: `error` says why
  JsonRemark error;                  ///< found …, expected …
  std::vector<JsonRemark> warnings;  ///< trailing commas, duplicate keys
};

/// Parses strict JSON with one leniency: a comma before a closing bracket is a warning. Values
/// nested deeper than 64 are an error: nothing in a specification file comes near.
JsonDocument parse_json(std::string_view text);

/// What stands there, for messages: `the string "abc"`, `12`, `a list of 3`.
std::string describe(const Json& value);
/// Text of the user in quotes: shortened, control characters made visible.
std::string quote(std::string_view text);

}  // namespace kiln::spec
