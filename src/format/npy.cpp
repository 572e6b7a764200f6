#include "kiln/formats/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/data/cursor.hpp"
#include "base/expected.hpp"

namespace kiln::npy {
namespace {

/// Recursive descent without recursion: the grammar has a fixed depth. What is wrong is thrown.
class Parser {
 public:
  Parser(std::string_view text, std::size_t offset) : text_(text), offset_(offset) {}

  HeaderDict dict() {
    expect('{', "a dictionary");
    while (peek() != '}') {
      entry();
      if (peek() != '}') expect(',', "a comma or }");
    }
    expect('}', "}");
    peek();
    if (at_ < text_.size()) refuse("nothing after the dictionary");
    for (std::size_t i = 0; i < std::size(keys); ++i)
      if (!seen_[i]) refuse(fmt::format("the key '{}' in the dictionary", keys[i]));
    return std::move(result_);
  }

 private:
  static constexpr std::string_view keys[] = {"descr", "fortran_order", "shape"};

  void entry() {
    peek();
    const std::size_t start = at_;
    const auto key = std::find(std::begin(keys), std::end(keys), string());
    const auto which = static_cast<std::size_t>(key - keys);
    if (which == std::size(keys) || seen_[which]) {
      at_ = start;
      refuse("each of the keys 'descr', 'fortran_order' and 'shape' once");
    }
    seen_[which] = true;
    expect(':', "a colon");
    const char first = peek();
    const std::size_t value_at = offset_ + at_;
    if (which == 0) {
      if (first == '[')
        refuse("one plain element type; structured types (a list) are not read", Errc::unsupported);
      result_.descr_at = value_at;
      result_.descr = string();
    } else if (which == 1) {
      result_.fortran_order_at = value_at;
      result_.fortran_order = boolean();
    } else {
      result_.shape_at = value_at;
      shape();
    }
  }

  std::string_view string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') refuse("a quoted text");
    const std::size_t end = text_.find_first_of(quote == '"' ? "\"\\\n" : "'\\\n", at_ + 1);
    if (end == text_.npos || text_[end] != quote) {
      at_ = std::min(end, text_.size());
      refuse("the closing quote (escapes are not read)");
    }
    const std::string_view value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return value;
  }

  bool boolean() {
    for (const std::string_view word : {"True", "False"})
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return word == "True";
      }
    refuse("True or False");
  }

  void shape() {
    expect('(', "a tuple of sizes");
    bool comma = true;  // one is needed before the next size, and in a tuple of one
    while (peek() != ')') {
      if (!comma) refuse("a comma or )");
      if (result_.shape.size() == most_dimensions)
        refuse(fmt::format("at most {} dimensions", most_dimensions));
      result_.shape.push_back(size());
      comma = peek() == ',';
      if (comma) ++at_;
    }
    if (result_.shape.size() == 1 && !comma) refuse("a comma: a tuple of one is (3,), not (3)");
    expect(')', ")");
  }

  std::size_t size() {
    peek();
    std::size_t value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) refuse("a size from 0 to 2^64 - 1");
    at_ = static_cast<std::size_t>(end - text_.data());
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // as Python 2 wrote long integers
    return value;
  }

  /// The next character that is no blank; NUL at the end (and where the text holds one).
  char peek() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != text_.npos) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  void expect(char letter, std::string_view what) {
    if (peek() != letter) refuse(what);
    ++at_;
  }

  [[noreturn]] void refuse(std::string_view expected, Errc code = Errc::bad_input) const {
    const std::string found =
        at_ >= text_.size() ? "the end" : fmt::format("{:?}", text_.substr(at_, 12));
    throw Error(code, fmt::format("npy file, byte {}, header: found {}, expected {}", offset_ + at_,
                                  found, expected));
  }

  std::string_view text_;
  std::size_t offset_, at_ = 0;
  bool seen_[std::size(keys)] = {};
  HeaderDict result_;
};

}  // namespace

Expected<HeaderDict> parse_header(std::string_view text, std::size_t offset) {
  return expected_from([&] { return Parser(text, offset).dict(); });
}

namespace {
struct Row {
  Type type;
  std::string_view descr;  ///< as NumPy writes it
  std::size_t size;
};
// In the order of the enumeration, so that it indexes the table.
constexpr Row rows[] = {
    {Type::boolean, "|b1", 1}, {Type::i8, "|i1", 1},  {Type::i16, "<i2", 2}, {Type::i32, "<i4", 4},
    {Type::i64, "<i8", 8},     {Type::u8, "|u1", 1},  {Type::u16, "<u2", 2}, {Type::u32, "<u4", 4},
    {Type::u64, "<u8", 8},     {Type::f16, "<f2", 2}, {Type::f32, "<f4", 4}, {Type::f64, "<f8", 8},
};
const Row& row_of(Type type) { return rows[static_cast<std::size_t>(type)]; }
}  // namespace

std::size_t size_of(Type type) { return row_of(type).size; }
std::string_view descr_of(Type type) { return row_of(type).descr; }

std::optional<Type> type_of(std::string_view descr) {
  if (descr.empty()) return std::nullopt;
  const bool prefixed = std::string_view("<=|").find(descr.front()) != std::string_view::npos;
  const std::string_view code = prefixed ? descr.substr(1) : descr;
  if (code == "?") return Type::boolean;
  for (const Row& row : rows)
    // '|' says that the order does not matter, which holds for single bytes only.
    if (code == row.descr.substr(1) && (row.size == 1 || descr.front() != '|')) return row.type;
  return std::nullopt;
}

namespace {
using namespace std::string_view_literals;

constexpr std::string_view magic = "\x93NUMPY"sv;

std::uint64_t read_header_size(Cursor& cursor) {
  cursor.expect_magic(magic, "not an npy file (expected the byte 0x93 and \"NUMPY\")");
  const auto major = cursor.number<std::uint8_t>("version");
  const auto minor = cursor.number<std::uint8_t>("version");
  if (cursor.ok() && (major < 1 || major > 3 || minor != 0))
    cursor.refuse(6, "version", fmt::format("found {}.{}, expected 1.0, 2.0 or 3.0", major, minor),
                  Errc::unsupported);
  return major == 1 ? cursor.number<std::uint16_t>("header length")
                    : cursor.number<std::uint32_t>("header length");
}

void check_type(Cursor& cursor, const HeaderDict& header) {
  if (type_of(header.descr)) return;
  const bool big = header.descr.starts_with('>');
  cursor.refuse(
      header.descr_at, "descr",
      big ? fmt::format("{:?} is big-endian; save the array with .astype({:?})", header.descr,
                        "<" + std::string(header.descr.substr(1)))
          : fmt::format("found {:?}, expected ?, i1 to i8, u1 to u8, f2, f4 or f8", header.descr),
      Errc::unsupported);
}

void check_order(Cursor& cursor, const HeaderDict& header) {
  if (header.fortran_order && header.shape.size() > 1)
    cursor.refuse(header.fortran_order_at, "fortran_order",
                  fmt::format("column-major data of {} dimensions is not read; save it with "
                              "numpy.ascontiguousarray",
                              header.shape.size()),
                  Errc::unsupported);
}

/// Bytes of the data that the shape announces; nothing where they are 2^64 or more.
std::optional<std::uint64_t> data_size(const std::vector<std::size_t>& shape, std::size_t size) {
  std::uint64_t product = size;
  bool empty = false, overflow = false;
  for (const std::size_t extent : shape) {
    empty |= extent == 0;
    overflow |= __builtin_mul_overflow(product, extent, &product);
  }
  if (empty) return 0;  // however large the other dimensions are
  if (overflow) return std::nullopt;
  return product;
}

void check_data(Cursor& cursor, const HeaderDict& header, std::size_t element) {
  const auto size = data_size(header.shape, element);
  if (!size) return cursor.refuse(header.shape_at, "shape", "the data would be 2^64 bytes or more");
  if (*size != cursor.left())
    cursor.refuse(cursor.at(), "data",
                  fmt::format("the shape announces {} bytes, there are {}", *size, cursor.left()));
}

}  // namespace

Expected<Npy> parse(ByteView bytes) {
  Cursor cursor(bytes, "npy file", Errc::bad_input);
  const std::uint64_t size = read_header_size(cursor);
  const std::size_t offset = cursor.at();
  const std::string_view text = as_text(cursor.take(size, "header"));
  if (!cursor.ok()) return tl::unexpected(cursor.error());
  auto header = parse_header(text, offset);
  if (!header) return tl::unexpected(header.error());
  check_type(cursor, *header);
  check_order(cursor, *header);
  if (!cursor.ok()) return tl::unexpected(cursor.error());
  Npy npy;
  npy.descr = header->descr;
  npy.type = *type_of(header->descr);
  npy.element_size = size_of(npy.type);
  npy.fortran_order = header->fortran_order;
  check_data(cursor, *header, npy.element_size);
  npy.data = cursor.take(cursor.left(), "data");
  npy.shape = std::move(header->shape);
  if (!cursor.ok()) return tl::unexpected(cursor.error());
  return npy;
}

namespace {

constexpr std::size_t alignment = 64;

std::string shape_text(std::span<const std::size_t> shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += fmt::format("{}{}", i > 0 ? ", " : "", shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace

Bytes write(Type type, std::span<const std::size_t> shape, ByteView data) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                   descr_of(type), shape_text(shape));
  constexpr std::size_t before = 10;  // magic, version, length
  // Blanks and a line feed up to the next multiple, so that the file can be mapped and used.
  const std::size_t end = (before + header.size() + 1 + alignment - 1) / alignment * alignment;
  header.resize(end - before - 1, ' ');
  header += '\n';
  const auto length = static_cast<std::uint16_t>(header.size());
  const std::string front =
      std::string("\x93NUMPY\x01\x00", 8) + std::string(as_text(bytes_of(length))) + header;
  Bytes bytes;
  bytes.reserve(end + data.size());
  append(bytes, front);
  append(bytes, data);
  return bytes;
}

}  // namespace kiln::npy
