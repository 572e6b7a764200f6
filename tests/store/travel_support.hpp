#pragma once

#include <cstdlib>
#include <string>

#include "store/layer/entry_form.hpp"
#include "store/support.hpp"

namespace kiln::testing {

/// Sets a variable for a while; what it was comes back.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    const char* before = std::getenv(name);
    if (before != nullptr) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// A head with every field set, of this content.
inline EntryHead full_head(ByteView content, int number = 1) {
  Metadata metadata{7, "blur on a device", "PoCL 3.1", 0.25};
  metadata.source = blake2b(as_bytes("kernel void blur() {}"));
  metadata.options = "-DN=4 -cl-std=CL1.2";
  metadata.build_log = "blur.cl:3: warning\n";
  return head_of(Kind::artifact, Sample(number).canonical, content, metadata);
}

inline Bytes with_flip(Bytes bytes, std::size_t at, int mask = 1) {
  bytes.at(at) ^= static_cast<std::byte>(mask);
  return bytes;
}

}  // namespace kiln::testing
