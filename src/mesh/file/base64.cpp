#include "mesh/file/base64.hpp"

namespace kiln::mesh {
namespace {

constexpr char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

void Base64::add_group(unsigned group, int letters) {
  const std::size_t at = out_.size();
  out_.resize(at + 4, std::byte{'='});
  for (int k = 0; k < letters; ++k)
    out_[at + static_cast<std::size_t>(k)] =
        static_cast<std::byte>(alphabet[(group >> (18 - 6 * k)) & 63]);
}

void Base64::add(ByteView bytes) {
  out_.reserve(out_.size() + bytes.size() / 3 * 4 + 8);
  for (const std::byte byte : bytes) {
    group_ = group_ << 8 | static_cast<unsigned>(byte);
    if (++held_ < 3) continue;
    add_group(group_, 4);
    group_ = 0;
    held_ = 0;
  }
}

void Base64::finish() {
  if (held_ > 0) add_group(group_ << (8 * (3 - held_)), held_ + 1);
  group_ = 0;
  held_ = 0;
}

}  // namespace kiln::mesh
