#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace kiln::graph {

/// Plans one memory: which bytes of it each value has from when to when. Numbers only; time is the
/// order of the calls. What is freed remembers the commands that used it last, for those who get it
/// next to wait for.
class Arena {
 public:
  /// By queue, the last step that uses some bytes; 0: none. A queue's steps are in order, so that
  /// who comes after its last one comes after all.
  using Users = std::vector<std::uint32_t>;
  /// Adds `from`: of each queue the later step.
  static void join(Users& to, const Users& from);

  /// `limit`: more bytes are never given out. Blocks begin at multiples of `alignment`.
  Arena(std::size_t limit, std::size_t alignment) : limit_(limit), alignment_(alignment) {}

  struct Block {
    std::size_t offset = 0, bytes = 0;
    Users after;  ///< who used these bytes before; empty: no step has
  };
  /// The smallest free block that is large enough, else new bytes at the end. Nothing where the
  /// limit leaves no room. Blocks come first whose users are all among `known` (by queue, the last
  /// step that has surely ended): a step that takes them waits for no other. New bytes come before
  /// those that have to be waited for while no more than `roomy` are taken in all.
  std::optional<Block> take(std::size_t bytes, const Users& known = {}, std::size_t roomy = 0);
  /// Gives back what take() gave; `users` may still use it.
  void free(std::size_t offset, std::size_t bytes, Users users);

  std::size_t size() const { return end_; }   ///< bytes that it takes in all
  std::size_t peak() const { return peak_; }  ///< most bytes that were in use at a time

 private:
  struct Free {
    std::size_t bytes;
    Users users;
  };
  std::size_t rounded(std::size_t bytes) const {
    return (bytes + alignment_ - 1) / alignment_ * alignment_;
  }
  std::size_t limit_, alignment_;
  std::size_t end_ = 0, used_ = 0, peak_ = 0;
  std::map<std::size_t, Free> free_;  ///< by offset; neighbours are one
};

}  // namespace kiln::graph
