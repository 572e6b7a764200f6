#pragma once

#include <memory>
#include <string>

#include "base/data/bytes.hpp"
#include "kiln/error.hpp"

namespace kiln::tune {

/// The characters of a file that may be compressed (gzip), one after the other, without holding all
/// of them. Reads the bytes that it was made with, which must outlive it. What is damaged ends
/// the text early and shows in error(). Not thread-safe.
class TextSource {
 public:
  /// A compressed file of few bytes may stand for a huge text: more than `most` characters end it.
  TextSource(ByteView bytes, std::uint64_t most);
  ~TextSource();
  TextSource(const TextSource&) = delete;
  TextSource& operator=(const TextSource&) = delete;

  /// The next character, or -1 at the end.
  int next() {
    if (at_ == piece_.size() && !fill()) return -1;
    return static_cast<unsigned char>(piece_[at_++]);
  }
  /// Why the text ended before its end; empty where it did not.
  const std::string& error() const { return error_; }

 private:
  struct Stream;
  bool fill();
  bool refuse(std::string why);

  ByteView left_;
  std::uint64_t most_, given_ = 0;
  std::unique_ptr<Stream> stream_;  ///< null: not compressed
  std::string buffer_;
  std::string_view piece_;
  std::size_t at_ = 0;
  std::string error_;
};

}  // namespace kiln::tune
