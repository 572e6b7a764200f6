#pragma once

#include <array>
#include <cstring>

#include "base/bytes.hpp"
#include "blas/types.hpp"

namespace kiln::blas {

/// A scalar as a kernel of some precision takes it.
class ScalarBytes {
 public:
  ScalarBytes(const Scalar& value, Precision precision) : size_(size_of(precision)) {
    if (is_double(precision)) {
      put(0, value.real());
      put(8, value.imag());
    } else {
      put(0, static_cast<float>(value.real()));
      put(4, static_cast<float>(value.imag()));
    }
  }
  ByteView view() const { return {bytes_.data(), size_}; }

 private:
  template <class T>
  void put(std::size_t at, T part) {
    std::memcpy(bytes_.data() + at, &part, sizeof part);
  }
  alignas(16) std::array<std::byte, 16> bytes_{};
  std::size_t size_;
};

}  // namespace kiln::blas
