#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/error.hpp"

/// Redis's protocol (RESP 2), by hiredis's reader and writer. Pure functions over bytes.
namespace kiln::redis {

using Words = std::initializer_list<std::string_view>;

/// A command as it is sent.
std::string encode_command(Words words);

struct Reply {
  enum class Type { nil, string, status, error, integer, array };
  Type type = Type::nil;
  std::string text;  ///< of string, status, error
  long long integer = 0;
  std::vector<Reply> elements;

  bool is(Type other) const { return type == other; }
};

/// Puts replies together from the pieces in which they arrive. Whatever a server sends, it takes no
/// more memory than a few times the bytes that have arrived, and no more than the limit.
class ReplyReader {
 public:
  /// Of all arrays of one reply together.
  static constexpr std::size_t most_elements = 1 << 16;

  ReplyReader();
  ~ReplyReader();
  ReplyReader(ReplyReader&&) noexcept;
  ReplyReader& operator=(ReplyReader&&) noexcept;

  /// The next reply, or nothing where more bytes are needed. Errors: corrupt, after which this
  /// reader is of no more use.
  Expected<std::optional<Reply>> next();
  /// Errors: corrupt where the bytes not yet taken are more than `limit`.
  Expected<void> feed(std::string_view bytes, std::size_t limit);
  /// Nothing is left over from a reply.
  bool empty() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kiln::redis
