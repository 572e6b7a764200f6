#pragma once

#include "base/bytes.hpp"

namespace kiln::mesh {

/// Appends bytes in base64 (RFC 4648, padded). What comes in several pieces is one text: call
/// finish() once at its end.
class Base64 {
 public:
  explicit Base64(Bytes& out) : out_(out) {}
  void add(ByteView bytes);
  void finish();

 private:
  void add_group(unsigned group, int letters);

  Bytes& out_;
  unsigned group_ = 0;
  int held_ = 0;  ///< bytes in group_, at most 2 between calls
};

}  // namespace kiln::mesh
