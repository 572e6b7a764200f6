#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace kiln::mesh {

/// Numbers of elements of a whole set, which may have more than 2^31: each has 32 bits as long as
/// all of them fit, else 64. Of most meshes it is half as large as a plain list.
class NumberList {
 public:
  std::size_t size() const { return narrow_.size() + wide_.size(); }  // one of them is empty
  bool empty() const { return size() == 0; }
  std::int64_t operator[](std::size_t at) const { return is_wide_ ? wide_[at] : narrow_[at]; }

  /// Room for exactly so many.
  void reserve(std::size_t count) {
    if (is_wide_)
      wide_.reserve(count);
    else
      narrow_.reserve(count);
  }
  void append(std::int64_t number) {
    if (!is_wide_ && number != static_cast<std::int32_t>(number)) widen();
    if (is_wide_)
      wide_.push_back(number);
    else
      narrow_.push_back(static_cast<std::int32_t>(number));
  }
  template <class Number>
  void append(std::span<const Number> numbers) {
    reserve(size() + numbers.size());
    for (const Number number : numbers) append(std::int64_t{number});
  }
  void clear() { *this = {}; }

  /// `count` of them from `first` on, into `to`, which is emptied.
  void copy(std::size_t first, std::size_t count, std::vector<std::int64_t>& to) const {
    to.clear();
    for (std::size_t at = first; at < first + count; ++at) to.push_back((*this)[at]);
  }
  std::vector<std::int64_t> plain() const {
    return is_wide_ ? wide_ : std::vector<std::int64_t>(narrow_.begin(), narrow_.end());
  }

 private:
  void widen() {
    wide_.reserve(narrow_.capacity());
    wide_.assign(narrow_.begin(), narrow_.end());
    narrow_ = {};
    is_wide_ = true;
  }

  std::vector<std::int32_t> narrow_;
  std::vector<std::int64_t> wide_;
  bool is_wide_ = false;
};

}  // namespace kiln::mesh
