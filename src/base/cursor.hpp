#pragma once

#include <string>

#include "base/bytes.hpp"

namespace kiln {

/// Reads little-endian fields from untrusted bytes. Reading beyond the end gives zeros and makes
/// good() false for ever, so that a reader may check once at the end of a record.
class Cursor {
 public:
  explicit Cursor(ByteView bytes) : bytes_(bytes) {}
  bool good() const { return good_; }
  std::size_t left() const { return bytes_.size() - at_; }
  std::size_t offset() const { return at_; }

  template <class T>
  T take() {
    if (left() < sizeof(T)) return fail_with(T{});
    const T value = load_le<T>(bytes_.data() + at_);
    at_ += sizeof(T);
    return value;
  }
  /// A view of the next `size` bytes; empty where fewer are left.
  ByteView take_bytes(std::uint64_t size) {
    if (left() < size) return fail_with(ByteView{});
    const ByteView view = bytes_.subspan(at_, static_cast<std::size_t>(size));
    at_ += view.size();
    return view;
  }
  /// A text with a u32 length before it.
  std::string take_text() { return std::string(as_text(take_bytes(take<std::uint32_t>()))); }

 private:
  template <class T>
  T fail_with(T value) {
    good_ = false;
    at_ = bytes_.size();
    return value;
  }
  ByteView bytes_;
  std::size_t at_ = 0;
  bool good_ = true;
};

}  // namespace kiln
