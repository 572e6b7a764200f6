#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/data/bytes.hpp"
#include "base/data/digest.hpp"
#include "kiln/error.hpp"
#include "kiln/store/entry.hpp"

// Keys, and the canonical bytes that they are digests of: how they are written, shown to people and
// read again.
namespace kiln {

struct KeyHash {
  std::size_t operator()(const Key& key) const noexcept { return DigestHash{}(key.digest); }
};

/// The one writer of canonical bytes, for all front ends.
///
/// Grammar (little endian):
///     bytes  = "KILN" u32:grammar field*        (grammar = 1; the first two fields are the text
///                                                "schema" and the integer "version")
///     field  = u8:type u8:tag-length tag u64:length payload
///     type   = 1 text | 2 signed integer (8 bytes) | 3 bytes | 4 group (payload = field*) |
///              5 floating-point number (8 bytes, IEEE bits)
/// Every field carries its own tag and length, so two different sequences of fields can never give
/// the same bytes. The order of fields matters and is the writer's to keep fixed.
///
/// Tags are words of the program, at most 255 bytes; what a user chose is a value. A longer tag,
/// an end() without begin(), or a view() with an open group is a defect of the caller and throws
/// Error (internal), because going on would give two Requests one Key. Not thread-safe.
class CanonicalWriter {
 public:
  /// `schema` names what is described ("program", "plan", "split-model"), `version` its layout.
  explicit CanonicalWriter(std::string_view schema, std::int64_t version = 1);

  CanonicalWriter& text(std::string_view tag, std::string_view value);
  CanonicalWriter& integer(std::string_view tag, std::int64_t value);
  CanonicalWriter& number(std::string_view tag, double value);
  CanonicalWriter& bytes(std::string_view tag, ByteView value);
  CanonicalWriter& digest(std::string_view tag, const Digest& value);
  /// Opens a group; the fields until the matching end() belong to it.
  CanonicalWriter& begin(std::string_view tag);
  CanonicalWriter& end();

  /// The bytes so far; every group must be closed.
  const Bytes& view() const;
  Key key() const;

 private:
  void header(std::uint8_t type, std::string_view tag, std::size_t length);
  Bytes bytes_;
  std::vector<std::size_t> open_;
};

Key key_of(ByteView canonical);

/// The schema of what drivers were found to do on one machine. Another finds it out by itself:
/// neither packs nor transfers to a shared store take it along, and none is taken from them.
inline constexpr std::string_view findings_schema = "driver findings";
inline constexpr const char* findings_refusal = "what a driver was found to do is of one machine";
/// Whether canonical bytes are of that schema. Safe on any bytes.
bool are_of_findings(ByteView canonical);

/// The fields as indented "tag: value" lines for people; bytes that do not parse say so, with the
/// position. Safe on any bytes; long values are shown by their start, length and digest.
std::string describe_canonical(ByteView canonical);
/// The lines in which two differ: "- …" only in the first, "+ …" only in the second; fields of
/// groups are named by their whole path. Empty for equal bytes only.
std::string compare_canonical(ByteView first, ByteView second);

/// The texts and integers of canonical bytes outside of groups: what an entry's key was made of,
/// to be read again. Other fields are passed over.
class CanonicalFields {
 public:
  /// Errors: corrupt, with the byte. Safe on any bytes.
  static Expected<CanonicalFields> read(ByteView canonical);

  /// The first text of this tag, or nothing.
  const std::string* text(std::string_view tag) const;
  /// All integers of this tag, in their order: a tag may stand twice.
  std::vector<std::int64_t> integers(std::string_view tag) const;

 private:
  std::vector<std::pair<std::string, std::string>> texts_;
  std::vector<std::pair<std::string, std::int64_t>> integers_;
};

}  // namespace kiln
