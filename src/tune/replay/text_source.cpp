#include "tune/replay/text_source.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

namespace kiln::tune {
namespace {

constexpr std::size_t kPiece = 1u << 16;
constexpr int kGzip = 16 + MAX_WBITS;

bool is_gzip(ByteView bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

}  // namespace

struct TextSource::Stream {
  z_stream z{};
  bool ended = false;
};

TextSource::TextSource(ByteView bytes, std::uint64_t most) : left_(bytes), most_(most) {
  if (!is_gzip(bytes)) return;
  stream_ = std::make_unique<Stream>();
  buffer_.resize(kPiece);
  if (inflateInit2(&stream_->z, kGzip) != Z_OK) refuse("no memory to decompress it");
}

TextSource::~TextSource() {
  if (stream_) inflateEnd(&stream_->z);
}

bool TextSource::refuse(std::string why) {
  error_ = std::move(why);
  piece_ = {};
  at_ = 0;
  return false;
}

bool TextSource::fill() {
  if (!error_.empty()) return false;
  at_ = 0;
  if (!stream_) {
    piece_ = as_text(left_.first(std::min(left_.size(), kPiece)));
    left_ = left_.subspan(piece_.size());
  } else {
    z_stream& z = stream_->z;
    z.next_out = reinterpret_cast<Bytef*>(buffer_.data());
    z.avail_out = static_cast<uInt>(buffer_.size());
    while (z.avail_out == buffer_.size() && !stream_->ended) {
      // zlib takes its input as not constant, and does not write to it.
      const std::size_t size = std::min(left_.size(), kPiece);
      z.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(left_.data()));
      z.avail_in = static_cast<uInt>(size);
      const int code = inflate(&z, Z_NO_FLUSH);
      left_ = left_.subspan(size - z.avail_in);
      if (code == Z_STREAM_END) {
        // Compressed files may be concatenated: the next one begins where this one ends.
        stream_->ended = !is_gzip(left_) || inflateReset(&z) != Z_OK;
      } else if (code != Z_OK) {
        const bool short_of_input = code == Z_BUF_ERROR && left_.empty();
        return refuse(short_of_input ? "the compressed data ends early"
                                     : fmt::format("the compressed data is damaged ({})",
                                                   z.msg ? z.msg : "no reason given"));
      }
    }
    piece_ = std::string_view(buffer_).substr(0, buffer_.size() - z.avail_out);
  }
  given_ += piece_.size();
  if (given_ > most_) return refuse(fmt::format("it holds more than {} bytes of text", most_));
  return !piece_.empty();
}

}  // namespace kiln::tune
