#include "base/data/cursor.hpp"

#include <fmt/format.h>

namespace kiln {

void append_block(Bytes& to, ByteView bytes) {
  append_le(to, static_cast<std::uint32_t>(bytes.size()));
  append(to, bytes);
}

ByteView Cursor::take(std::uint64_t size, std::string_view field) {
  // Compared with what is left, never added to the position: a size near 2^64 must not wrap.
  if (size > left()) {
    refuse(at_, field, fmt::format("needs {} bytes, only {} are left", size, left()));
    return {};
  }
  const ByteView view = bytes_.subspan(at_, static_cast<std::size_t>(size));
  at_ += view.size();
  return view;
}

std::uint32_t Cursor::count(std::uint64_t smallest, std::string_view field) {
  const std::size_t offset = at_;
  const auto found = number<std::uint32_t>(field);
  expect_room(found, smallest, offset, field);
  return ok() ? found : 0;
}

void Cursor::expect_room(std::uint64_t count, std::uint64_t smallest, std::size_t offset,
                         std::string_view field) {
  if (count > left() / smallest)
    refuse(offset, field,
           fmt::format("{} items of at least {} bytes each, but only {} bytes are left", count,
                       smallest, left()));
}

std::size_t Cursor::narrow(std::uint64_t size, std::string_view field) {
  const std::size_t before = end_;
  if (size > left()) {
    refuse(at_, field, fmt::format("needs {} bytes, only {} are left", size, left()));
    return before;
  }
  end_ = at_ + static_cast<std::size_t>(size);
  return before;
}

void Cursor::widen(std::size_t end) {
  if (ok()) end_ = end;
}

void Cursor::expect_magic(std::string_view magic, std::string_view otherwise) {
  if (left() < magic.size() || as_text(take(magic.size(), "magic")) != magic)
    refuse(0, "magic", otherwise);
}

void Cursor::expect_version(std::uint32_t version) {
  const std::size_t offset = at_;
  const auto found = number<std::uint32_t>("version");
  if (ok() && found != version)
    refuse(offset, "version", fmt::format("{} found, {} expected", found, version),
           Errc::unsupported);
}

void Cursor::expect_end() {
  if (left() > 0) refuse(at_, "end", fmt::format("{} bytes are left over", left()));
}

void Cursor::refuse(std::size_t offset, std::string_view field, std::string_view reason,
                    std::optional<Errc> code) {
  if (error_) return;
  error_.emplace(code.value_or(code_),
                 fmt::format("{}, byte {}, {}: {}", what_, offset, field, reason));
  at_ = end_;
}

std::size_t Cursor::offset_of(std::string_view view) const {
  return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(view.data()) - bytes_.data());
}

}  // namespace kiln
