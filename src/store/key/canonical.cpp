#include "store/key/canonical.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>

#include "base/data/text.hpp"
#include "base/expected.hpp"

// Canonical bytes: the writer, and the reader that shows them to people and gives their fields
// back.
namespace kiln::canonical {

// What the writer and the reader share of the grammar, which is in the header.
inline constexpr std::string_view magic = "KILN";
inline constexpr std::uint32_t grammar = 1;

enum Type : std::uint8_t { text = 1, integer = 2, bytes = 3, group = 4, number = 5 };

// A field's type, tag length and length, without the tag itself.
inline constexpr std::size_t field_overhead = 1 + 1 + 8;
inline constexpr std::size_t longest_tag = 255;

}  // namespace kiln::canonical

namespace kiln {

// The writer.

CanonicalWriter::CanonicalWriter(std::string_view schema, std::int64_t version) {
  bytes_.reserve(512);  // most Requests fit: one allocation a Key
  append(bytes_, canonical::magic);
  append_le(bytes_, canonical::grammar);
  text("schema", schema);
  integer("version", version);
}

void CanonicalWriter::header(std::uint8_t type, std::string_view tag, std::size_t length) {
  if (tag.size() > canonical::longest_tag)
    throw Error(Errc::internal, "a canonical tag has " + std::to_string(tag.size()) +
                                    " bytes; at most " + std::to_string(canonical::longest_tag));
  append_le(bytes_, type);
  append_le(bytes_, static_cast<std::uint8_t>(tag.size()));
  append(bytes_, tag);
  append_le(bytes_, static_cast<std::uint64_t>(length));
}

CanonicalWriter& CanonicalWriter::text(std::string_view tag, std::string_view value) {
  header(canonical::text, tag, value.size());
  append(bytes_, value);
  return *this;
}

CanonicalWriter& CanonicalWriter::integer(std::string_view tag, std::int64_t value) {
  header(canonical::integer, tag, sizeof value);
  append_le(bytes_, value);
  return *this;
}

CanonicalWriter& CanonicalWriter::number(std::string_view tag, double value) {
  header(canonical::number, tag, sizeof value);
  append_le(bytes_, std::bit_cast<std::uint64_t>(value));
  return *this;
}

CanonicalWriter& CanonicalWriter::bytes(std::string_view tag, ByteView value) {
  header(canonical::bytes, tag, value.size());
  append(bytes_, value);
  return *this;
}

CanonicalWriter& CanonicalWriter::digest(std::string_view tag, const Digest& value) {
  return bytes(tag, value.bytes);
}

CanonicalWriter& CanonicalWriter::begin(std::string_view tag) {
  header(canonical::group, tag, 0);
  open_.push_back(bytes_.size());
  return *this;
}

CanonicalWriter& CanonicalWriter::end() {
  if (open_.empty()) throw Error(Errc::internal, "a canonical group ends that was not begun");
  const std::size_t start = open_.back();
  open_.pop_back();
  // The length was unknown when the header was written; it stands just before the payload.
  const std::uint64_t length = bytes_.size() - start;
  std::memcpy(bytes_.data() + start - sizeof length, &length, sizeof length);
  return *this;
}

const Bytes& CanonicalWriter::view() const {
  if (!open_.empty()) throw Error(Errc::internal, "a canonical group was not ended");
  return bytes_;
}

Key CanonicalWriter::key() const { return key_of(view()); }

Key key_of(ByteView canonical) { return Key{blake2b(canonical)}; }

// The reader. The bytes may come from a damaged store: any input is safe.
namespace {

// Writers nest two or three groups; a bound keeps hostile bytes from exhausting the stack.
constexpr int deepest_group = 32;
constexpr std::size_t shown_text = 200;
constexpr std::size_t shown_bytes = 64;

struct Field {
  std::uint8_t type;
  std::string_view tag;
  ByteView payload;
};

/// Called for each field in order; `depth` is the number of groups around it.
using Visitor = std::function<void(const Field&, int depth)>;

/// Throws Error (corrupt), with the byte.
class Walker {
 public:
  Walker(ByteView all, const Visitor& visit) : all_(all), visit_(visit) {}

  void run() {
    const std::size_t start = canonical::magic.size() + sizeof canonical::grammar;
    if (all_.size() < start || as_text(all_.first(canonical::magic.size())) != canonical::magic)
      refuse(0, "not canonical bytes (no \"KILN\")");
    const auto found = load_le<std::uint32_t>(all_.data() + canonical::magic.size());
    if (found != canonical::grammar)
      refuse(4, fmt::format("grammar {} found, {} expected", found, canonical::grammar));
    if (all_.size() == start) refuse(8, "no field");
    fields(all_.subspan(start), 0);
  }

 private:
  [[noreturn]] static void refuse(std::size_t at, std::string_view why) {
    throw Error(Errc::corrupt, fmt::format("byte {}: {}", at, why));
  }

  void fields(ByteView rest, int depth) {
    while (!rest.empty()) {
      const auto at = static_cast<std::size_t>(rest.data() - all_.data());
      if (rest.size() < canonical::field_overhead) refuse(at, "a field is cut short");
      Field field{load_le<std::uint8_t>(rest.data()), {}, {}};
      const std::size_t tag_length = load_le<std::uint8_t>(rest.data() + 1);
      if (rest.size() < canonical::field_overhead + tag_length) refuse(at, "a tag is cut short");
      field.tag = as_text(rest.subspan(2, tag_length));
      const auto length = load_le<std::uint64_t>(rest.data() + 2 + tag_length);
      rest = rest.subspan(canonical::field_overhead + tag_length);
      if (length > rest.size())
        refuse(at, fmt::format("the field needs {} bytes, only {} are left", length, rest.size()));
      field.payload = rest.first(static_cast<std::size_t>(length));
      rest = rest.subspan(field.payload.size());
      one(field, at, depth);
    }
  }

  void one(const Field& field, std::size_t at, int depth) {
    const bool fixed = field.type == canonical::integer || field.type == canonical::number;
    if (field.type < canonical::text || field.type > canonical::number)
      refuse(at, fmt::format("unknown field type {}", field.type));
    if (fixed && field.payload.size() != 8)
      refuse(at, fmt::format("a number of {} bytes, 8 expected", field.payload.size()));
    visit_(field, depth);
    if (field.type != canonical::group) return;
    if (depth == deepest_group)
      refuse(at, fmt::format("groups are nested deeper than {}", deepest_group));
    fields(field.payload, depth + 1);
  }

  ByteView all_;
  const Visitor& visit_;
};

Expected<void> walk(ByteView canonical, const Visitor& visit) {
  return expected_from([&] { Walker(canonical, visit).run(); });
}

std::string escaped(std::string_view text) {
  std::string doubled;
  for (const char letter : text) doubled.append(letter == '\\' ? 2 : 1, letter);
  return one_line(doubled);
}

/// The digest stands for what is not shown, so that different values give different lines.
std::string rest_of(ByteView bytes) {
  return fmt::format("… ({} bytes, {})", bytes.size(), blake2b(bytes).brief());
}

std::string value_of(const Field& field) {
  switch (field.type) {
    case canonical::text: {
      const auto text = as_text(field.payload);
      if (text.size() <= shown_text) return '"' + escaped(text) + '"';
      return '"' + escaped(text.substr(0, shown_text)) + '"' + rest_of(field.payload);
    }
    case canonical::integer:
      return fmt::format("{}", load_le<std::int64_t>(field.payload.data()));
    case canonical::number: {
      const auto bits = load_le<std::uint64_t>(field.payload.data());
      const double value = std::bit_cast<double>(bits);
      // Different NaNs are different bytes, so they have to look different too.
      return value == value ? fmt::format("{}", value) : fmt::format("nan (bits {:x})", bits);
    }
    case canonical::bytes:
      if (field.payload.size() <= shown_bytes) return to_hex(field.payload);
      return to_hex(field.payload.first(shown_bytes)) + rest_of(field.payload);
    default:
      return "";
  }
}

/// One line a field, named by its whole path, with its type where two types could look alike.
std::vector<std::string> flat_lines(ByteView canonical) {
  std::vector<std::string> lines;
  std::vector<std::string> path;
  const Visitor visit = [&](const Field& field, int depth) {
    path.resize(static_cast<std::size_t>(depth));
    path.push_back(escaped(field.tag));
    std::string name;
    for (const auto& part : path) name += (name.empty() ? "" : ".") + part;
    lines.push_back(name + ": " + value_of(field));
  };
  if (auto walked = walk(canonical, visit); !walked) lines.push_back(walked.error().message());
  return lines;
}

using Counts = std::map<std::string_view, int>;

Counts count(const std::vector<std::string>& lines) {
  Counts counts;
  for (const auto& line : lines) ++counts[line];
  return counts;
}

/// The lines that `others` does not hold (as often), each after the sign.
std::string only_in(const std::vector<std::string>& lines, Counts others, std::string_view sign) {
  std::string text;
  for (const auto& line : lines)
    if (--others[line] < 0) text += fmt::format("{} {}\n", sign, line);
  return text;
}

}  // namespace

Expected<CanonicalFields> CanonicalFields::read(ByteView canonical) {
  CanonicalFields fields;
  const Visitor visit = [&](const Field& field, int depth) {
    if (depth > 0) return;
    if (field.type == canonical::text)
      fields.texts_.emplace_back(field.tag, as_text(field.payload));
    if (field.type == canonical::integer)
      fields.integers_.emplace_back(field.tag, load_le<std::int64_t>(field.payload.data()));
  };
  if (auto walked = walk(canonical, visit); !walked) return tl::unexpected(walked.error());
  return fields;
}

const std::string* CanonicalFields::text(std::string_view tag) const {
  for (const auto& [name, value] : texts_)
    if (name == tag) return &value;
  return nullptr;
}

std::vector<std::int64_t> CanonicalFields::integers(std::string_view tag) const {
  std::vector<std::int64_t> found;
  for (const auto& [name, value] : integers_)
    if (name == tag) found.push_back(value);
  return found;
}

std::string describe_canonical(ByteView canonical) {
  std::string text;
  const Visitor visit = [&](const Field& field, int depth) {
    const std::string value = value_of(field);
    text += fmt::format("{:{}}{}:{}{}\n", "", depth * 2, escaped(field.tag),
                        value.empty() ? "" : " ", value);
  };
  if (auto walked = walk(canonical, visit); !walked) text += walked.error().message() + "\n";
  return text;
}

std::string compare_canonical(ByteView first, ByteView second) {
  const auto before = flat_lines(first), after = flat_lines(second);
  std::string text = only_in(before, count(after), "-") + only_in(after, count(before), "+");
  if (!text.empty() || std::equal(first.begin(), first.end(), second.begin(), second.end()))
    return text;
  // Equal lines from different bytes: the order, or a type that prints alike.
  return "the fields are the same, but in another order or of another type\n";
}

bool are_of_findings(ByteView canonical) {
  const auto fields = CanonicalFields::read(canonical);
  const std::string* schema = fields ? fields->text("schema") : nullptr;
  return schema != nullptr && *schema == findings_schema;
}

}  // namespace kiln
