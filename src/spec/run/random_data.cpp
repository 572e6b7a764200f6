#include "spec/run/random_data.hpp"

#include <cstring>

#include "spec/run/structure.hpp"

namespace kiln::spec {
namespace {

/// SplitMix64 (Steele, Lea and Flood, 2014): one addition and a mix a number, so that a stream can
/// begin anywhere and gigabytes take no time.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

template <class T, class Make>
void fill(std::span<std::byte> memory, Make make) {
  for (std::size_t at = 0; at + sizeof(T) <= memory.size(); at += sizeof(T)) {
    const T value = make();
    std::memcpy(memory.data() + at, &value, sizeof value);
  }
}

}  // namespace

void fill_random(std::span<std::byte> memory, const Type& type, std::uint64_t seed,
                 std::uint32_t position) {
  // Each leaf has numbers of its own type; padding stays as it is.
  if (const auto leaves = leaves_of(type); !leaves.empty()) {
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      Bytes values(memory.size() / type.bytes() * leaves[i].type.bytes());
      // Positions end below 1024, so that no two leaves share a stream.
      fill_random(values, leaves[i].type, seed,
                  position + 1024 * static_cast<std::uint32_t>(i + 1));
      scatter(values, memory, type.bytes(), leaves[i]);
    }
    return;
  }
  SplitMix random(seed * 0x100000001b3 + position);
  // The upper bits of the stream are as good as any; 53 and 24 of them make a fraction exactly.
  switch (type.scalar) {
    case Scalar::f64:
      return fill<double>(memory,
                          [&] { return static_cast<double>(random.next() >> 11) * 0x1p-53; });
    case Scalar::f32:
      return fill<float>(memory,
                         [&] { return static_cast<float>(random.next() >> 40) * 0x1p-24f; });
    case Scalar::i8:
    case Scalar::u8:
      return fill<std::uint8_t>(memory,
                                [&] { return static_cast<std::uint8_t>(random.next() >> 57); });
    case Scalar::i16:
    case Scalar::u16:
      return fill<std::uint16_t>(memory,
                                 [&] { return static_cast<std::uint16_t>(random.next() >> 52); });
    case Scalar::i32:
    case Scalar::u32:
      return fill<std::uint32_t>(memory,
                                 [&] { return static_cast<std::uint32_t>(random.next() >> 52); });
    case Scalar::i64:
    case Scalar::u64:
      return fill<std::uint64_t>(memory, [&] { return random.next() >> 52; });
  }
}

}  // namespace kiln::spec
