#pragma once

#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "blas/expected.hpp"

// Operands that lie in memory otherwise than a call's precision says, and what their bits mean:
// written from the formats' definitions, for tests of kernels that have them from elsewhere.
namespace kiln::blas::testing {

/// The fields of a small floating-point format.
struct FloatFormat {
  int exponent_bits, fraction_bits;
  bool has_infinity;  ///< else all ones is NaN alone, with all of the fraction (e4m3)
};
inline FloatFormat format_of(Storage kind) {
  switch (kind) {
    case Storage::half:
      return {5, 10, true};
    case Storage::bfloat16:
      return {8, 7, true};
    case Storage::e4m3:
      return {4, 3, false};
    default:
      return {5, 2, true};
  }
}

inline std::size_t bits_of(Storage kind) { return blas::bits_of(kind, Precision::s); }
inline bool is_whole_number(Storage kind) { return kind >= Storage::int8; }

/// What the lowest bits of a number mean.
inline double meaning_of(Storage kind, std::uint32_t bits) {
  const auto size = static_cast<int>(bits_of(kind));
  if (kind == Storage::native) {
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  if (is_whole_number(kind))
    return static_cast<double>(static_cast<std::int32_t>(bits << (32 - size)) >> (32 - size));
  const FloatFormat format = format_of(kind);
  const int fraction = static_cast<int>(bits & ((1u << format.fraction_bits) - 1));
  const int most = (1 << format.exponent_bits) - 1;
  const int exponent = static_cast<int>(bits >> format.fraction_bits) & most;
  const double sign = (bits >> (size - 1) & 1) != 0 ? -1 : 1;
  const int bias = most / 2;
  if (exponent == most && format.has_infinity)
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  if (exponent == most && fraction == (1 << format.fraction_bits) - 1)
    return std::numeric_limits<double>::quiet_NaN();
  return sign * std::ldexp((exponent == 0 ? 0 : 1 << format.fraction_bits) + fraction,
                           std::max(exponent, 1) - bias - format.fraction_bits);
}

/// The bits of the nearest number of a format, ties to the even bits; beyond the largest one that,
/// or infinity where there is one and it is nearer than the next number would be.
inline std::uint32_t nearest(Storage kind, double value) {
  static std::map<Storage, std::map<double, std::uint32_t>> tables;
  auto& table = tables[kind];
  if (table.empty())
    for (std::uint32_t bits = 0; bits < 1u << bits_of(kind); ++bits) {
      const double meaning = meaning_of(kind, bits);
      if (std::isfinite(meaning)) table.insert({meaning, bits});  // of two zeros the first: +0
    }
  const auto above = table.lower_bound(value);
  if (above == table.end() || above == table.begin()) {
    const auto end = above == table.end() ? std::prev(table.end()) : above;
    const auto next = above == table.end() ? std::prev(end) : std::next(end);
    const bool has_infinity = !is_whole_number(kind) && format_of(kind).has_infinity;
    const double half_step = std::abs(end->first - next->first) / 2;
    const bool is_beyond = std::abs(value) - std::abs(end->first) >= half_step;
    return has_infinity && is_beyond ? end->second + 1 : end->second;
  }
  if (above->first == value) return above->second;
  const auto below = std::prev(above);
  const double up = above->first - value, down = value - below->first;
  if (up != down) return up < down ? above->second : below->second;
  return above->second % 2 == 0 ? above->second : below->second;
}

/// How a matrix lies: with an offset and gaps between lines that depend on the seed, or so that all
/// lines begin at multiples of 32 elements, or that many behind an offset.
enum class Lies { anyhow, aligned, aligned_but_offset };

/// The memory of a matrix, rows x columns as the call sees it, whose elements are of a kind: all
/// that the buffer holds, guard elements behind the end included, filled from a seed with numbers
/// from -2 to 2 (whole ones over all their range).
class StoredData {
 public:
  StoredData(Storage kind, Order order, std::size_t rows, std::size_t columns, unsigned seed,
             Lies lies = Lies::anyhow)
      : kind_(kind), order_(order), offset_(kind == Storage::int4 ? rows % 2 : seed % 3 * 2) {
    const bool by_columns = order == Order::column_major;
    const std::size_t length = by_columns ? rows : columns, lines = by_columns ? columns : rows;
    ld_ = length + seed % 4;
    if (kind == Storage::int4) ld_ += ld_ % 2;
    if (lies != Lies::anyhow) {
      offset_ = lies == Lies::aligned ? 32 * (seed % 3) : 1 + columns % 3;
      ld_ = (length + 31) / 32 * 32 + 32 * (seed % 2);
    }
    bytes_.resize(((offset_ + lines * ld_ + 6) * bits_of(kind) + 7) / 8);
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < size(); ++i) {
      std::uint32_t bits = 0;
      if (kind == Storage::native) {
        const float value = std::uniform_real_distribution<float>(-1, 1)(random);
        std::memcpy(&bits, &value, sizeof bits);
      } else if (kind == Storage::int32) {
        bits = static_cast<std::uint32_t>(random() % 1000);
      } else {
        do bits = static_cast<std::uint32_t>(random() % (1u << bits_of(kind)));
        while (!is_whole_number(kind) && !(std::abs(meaning_of(kind, bits)) <= 2));
      }
      set(i, bits);
    }
  }

  std::size_t leading() const { return ld_; }
  std::size_t size() const { return bytes_.size() * 8 / bits_of(kind_); }
  std::size_t at(std::size_t i, std::size_t j) const {
    return offset_ + (order_ == Order::column_major ? j * ld_ + i : i * ld_ + j);
  }
  static std::uint32_t bits_at(Storage kind, const std::vector<std::uint8_t>& bytes,
                               std::size_t i) {
    const std::size_t size = bits_of(kind);
    if (size == 4) return bytes[i / 2] >> (i % 2 * 4) & 15u;
    std::uint32_t bits = 0;
    std::memcpy(&bits, &bytes[i * size / 8], size / 8);
    return bits;
  }
  void set(std::size_t i, std::uint32_t bits) {
    const std::size_t size = bits_of(kind_);
    if (size == 4) {
      auto& byte = bytes_[i / 2];
      byte = static_cast<std::uint8_t>(i % 2 == 0 ? (byte & 0xf0) | bits : (byte & 15) | bits << 4);
    } else {
      std::memcpy(&bytes_[i * size / 8], &bits, size / 8);
    }
  }
  double number(std::size_t i) const { return meaning_of(kind_, bits_at(kind_, bytes_, i)); }
  double element(std::size_t i, std::size_t j) const { return number(at(i, j)); }
  Storage kind() const { return kind_; }
  std::vector<std::uint8_t>& bytes() { return bytes_; }

  Operand upload() {
    buffer_ = cl::Buffer(cl::Context(Machine::get().context(), true),
                         CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes_.size(), bytes_.data());
    return {buffer_(), offset_, static_cast<std::int64_t>(ld_), kind_};
  }
  std::vector<std::uint8_t> download() const {
    std::vector<std::uint8_t> now(bytes_.size());
    check_cl(::clEnqueueReadBuffer(Machine::get().queues()[0], buffer_(), CL_TRUE, 0, now.size(),
                                   now.data(), 0, nullptr, nullptr),
             "clEnqueueReadBuffer");
    return now;
  }

 private:
  Storage kind_;
  Order order_;
  std::size_t offset_, ld_ = 0;
  std::vector<std::uint8_t> bytes_;
  cl::Buffer buffer_;
};

/// What an operand of a kind should hold: the number that the nearest to it was stored for, within
/// a bound of what computing in float leaves.
class ExpectedStored {
 public:
  explicit ExpectedStored(StoredData& before) : before_(before), set_(before.size()) {}
  void set(std::size_t index, double value, double bound) { set_[index] = {true, value, bound}; }

  std::string difference() const {
    const auto now = before_.download();
    const Storage kind = before_.kind();
    for (std::size_t i = 0; i < set_.size(); ++i) {
      const std::uint32_t bits = StoredData::bits_at(kind, now, i);
      if (!set_[i].is_set) {
        if (bits != StoredData::bits_at(kind, before_.bytes(), i))
          return "element " + std::to_string(i) + " is not the routine's, and was changed";
        continue;
      }
      const double found = meaning_of(kind, bits), low = set_[i].value - set_[i].bound,
                   high = set_[i].value + set_[i].bound;
      const bool is_right = std::isnan(set_[i].value)   ? std::isnan(found)
                            : std::isinf(set_[i].value) ? found == set_[i].value
                            : kind == Storage::native || kind == Storage::int32
                                ? found >= low && found <= high
                                : found >= meaning_of(kind, nearest(kind, low)) &&
                                      found <= meaning_of(kind, nearest(kind, high));
      if (!is_right)
        return "element " + std::to_string(i) + " is " + std::to_string(found) + ", expected " +
               std::to_string(set_[i].value) + " +- " + std::to_string(set_[i].bound);
    }
    return "";
  }

 private:
  struct Set {
    bool is_set = false;
    double value = 0, bound = 0;
  };
  StoredData& before_;
  std::vector<Set> set_;
};

}  // namespace kiln::blas::testing
