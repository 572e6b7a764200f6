#pragma once

#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/data/cursor.hpp"
#include "kiln/bytes.hpp"

/// A value as bytes, and back. One function for a type names its fields in their order. It is
/// called with a ByteWriter and a constant value, or with a ByteReader and a value that it fills:
///
///     constexpr auto range_fields = [](auto& to, auto& range) {
///       to.field("begin", range.begin);
///       to.field("end", range.end);
///     };
///
/// Numbers are little-endian, enumerators and bools as wide as their types. Texts, bytes, lists and
/// maps follow their 32-bit length.
namespace kiln {

class ByteWriter {
 public:
  void field(std::string_view, const std::string& text) { append_block(bytes_, text); }
  void field(std::string_view, const Bytes& bytes) { append_block(bytes_, bytes); }
  void field(std::string_view, const Digest& digest) { append(bytes_, digest.bytes); }
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void field(std::string_view, const T& value) { append(bytes_, bytes_of(value)); }

  /// `each` is called for every item.
  template <class Items, class Each>
  void list(std::string_view name, const Items& items, std::uint64_t, const Each& each) {
    field(name, static_cast<std::uint32_t>(items.size()));
    for (const auto& item : items) each(item);
  }
  template <class Value>
  void map(std::string_view name, const std::map<std::string, Value>& items, std::uint64_t) {
    list(name, items, 0,
         [&](const auto& item) { field(name, item.first), field(name, item.second); });
  }
  /// Bytes that may be many, behind a 64-bit length.
  void content(std::string_view name, const Bytes& bytes) {
    field(name, static_cast<std::uint64_t>(bytes.size()));
    append(bytes_, bytes);
  }
  void expect(bool, std::string_view, std::string_view) {}
  Bytes take() { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

class ByteReader : public Cursor {
 public:
  using Cursor::Cursor;

  void field(std::string_view name, std::string& into) { into = text(name); }
  void field(std::string_view name, Bytes& into) { assign(into, block(name)); }
  void field(std::string_view name, Digest& into) { into = value<Digest>(name); }
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void field(std::string_view name, T& into) { into = value<T>(name); }
  void field(std::string_view name, bool& into) {
    const auto found = number<std::uint8_t>(name);
    expect(found <= 1, name, "is neither 0 nor 1");
    into = found == 1;
  }

  /// Of a list whose items take at least `smallest` bytes each.
  template <class Items, class Each>
  void list(std::string_view name, Items& items, std::uint64_t smallest, const Each& each) {
    for (auto left = count(smallest, name); left > 0 && ok(); --left) {
      typename Items::value_type item{};
      each(item);
      items.insert(items.end(), std::move(item));
    }
  }
  template <class Value>
  void map(std::string_view name, std::map<std::string, Value>& items, std::uint64_t smallest) {
    for (auto left = count(smallest, name); left > 0 && ok(); --left)
      field(name, items[text(name)]);
  }
  void content(std::string_view name, Bytes& into) {
    assign(into, take(number<std::uint64_t>(name), name));
  }
  /// Refuses what was just read of a field where a condition does not hold.
  void expect(bool holds, std::string_view name, std::string_view reason) {
    if (!holds) refuse(at(), name, reason);
  }

 private:
  static void assign(Bytes& into, ByteView bytes) { into.assign(bytes.begin(), bytes.end()); }
};

template <class T, class Fields>
Bytes bytes_by(const Fields& fields, const T& value) {
  ByteWriter writer;
  fields(writer, value);
  return writer.take();
}

/// Refuses bytes that are left over. Errors: corrupt, with `what`, the byte and the field's name.
template <class T, class Fields>
Expected<T> read_by(const Fields& fields, ByteView bytes, std::string_view what) {
  ByteReader reader(bytes, what);
  T value{};
  fields(reader, value);
  reader.expect_end();
  if (!reader.ok()) return tl::unexpected(reader.error());
  return value;
}

}  // namespace kiln
