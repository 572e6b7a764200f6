#include "spec/t1/fill.hpp"

#include <fmt/format.h>

#include <cstring>

#include "base/file.hpp"
#include "base/text.hpp"
#include "spec/convert.hpp"
#include "spec/run/random_data.hpp"

namespace kiln::spec {
namespace {

tl::unexpected<Error> refuse(const Fill& fill, Errc code, const std::string& why) {
  return fail(code, fmt::format("{}: {}", fill.place, one_line(why)));
}

Expected<void> fill_constant(const Fill& fill, const Type& type, std::span<std::byte> memory) {
  const expr::Value value =
      type.width == 1 ? fill.value : expr::Value(expr::List(type.width, fill.value));
  const auto element = to_bytes(type, value);
  if (!element) return refuse(fill, element.error().code(), element.error().message());
  for (std::size_t at = 0; at + element->size() <= memory.size(); at += element->size())
    std::memcpy(memory.data() + at, element->data(), element->size());
  return {};
}

/// What fill_random gives lies in [0, 1), or in 0..4095 (0..127 for bytes): brought to 0..most.
template <class T>
void scale(std::span<std::byte> memory, double most) {
  for (std::size_t at = 0; at + sizeof(T) <= memory.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, memory.data() + at, sizeof value);
    if constexpr (std::is_floating_point_v<T>)
      value = static_cast<T>(static_cast<double>(value) * most);
    else
      value = static_cast<T>(value % static_cast<T>(static_cast<T>(most) + 1));
    std::memcpy(memory.data() + at, &value, sizeof value);
  }
}

Expected<void> fill_uniform(const Fill& fill, const Type& type, std::uint64_t seed,
                            std::span<std::byte> memory) {
  fill_random(memory, type, fill.seed.value_or(seed), fill.position);
  const auto most = fill.value.to_double();
  if (!most) return refuse(fill, most.error().code(), most.error().message());
  const bool whole = type.kind() != ScalarKind::floating;
  // Larger numbers than fill_random gives need no bound.
  const double largest = type.scalar_bytes() == 1 ? 127 : 4095;
  if (whole && *most >= largest) return {};
  if (whole && *most < 0)
    return refuse(fill, Errc::bad_input,
                  fmt::format("found the bound {}, expected 0 or more for whole random numbers",
                              fill.value.text()));
  switch (type.scalar_bytes()) {
    case 1:
      scale<std::uint8_t>(memory, *most);
      break;
    case 2:
      scale<std::uint16_t>(memory, *most);
      break;
    case 4:
      whole ? scale<std::uint32_t>(memory, *most) : scale<float>(memory, *most);
      break;
    default:
      whole ? scale<std::uint64_t>(memory, *most) : scale<double>(memory, *most);
  }
  return {};
}

Expected<void> fill_generated(const Fill& fill, const Type& type, std::span<std::byte> memory) {
  expr::Scope scope;
  const std::size_t step = type.bytes();
  for (std::size_t i = 0; (i + 1) * step <= memory.size(); ++i) {
    scope.set("i", static_cast<std::int64_t>(i));
    const auto value = fill.generator->evaluate(scope);
    const auto bytes = value ? to_bytes(type, *value) : tl::unexpected(value.error());
    if (!bytes)
      return refuse(fill, Errc::bad_input,
                    fmt::format("element {}: {}", i, bytes.error().message()));
    std::memcpy(memory.data() + i * step, bytes->data(), step);
  }
  return {};
}

Expected<void> fill_from_file(const Fill& fill, std::span<std::byte> memory) {
  const auto bytes = read_file(fill.file, 1ull << 41);
  if (!bytes) return refuse(fill, bytes.error().code(), bytes.error().message());
  if (bytes->size() != memory.size())
    return refuse(fill, Errc::bad_input,
                  fmt::format("{}: found {} bytes, expected {}", fill.file.string(), bytes->size(),
                              memory.size()));
  std::memcpy(memory.data(), bytes->data(), memory.size());
  return {};
}

}  // namespace

Expected<void> fill_array(const Fill& fill, const Type& type, std::uint64_t seed,
                          std::span<std::byte> memory) {
  switch (fill.how) {
    case Fill::How::constant:
      return fill_constant(fill, type, memory);
    case Fill::How::random:
      return fill_uniform(fill, type, seed, memory);
    case Fill::How::generator:
      return fill_generated(fill, type, memory);
    case Fill::How::file:
      break;
  }
  return fill_from_file(fill, memory);
}

}  // namespace kiln::spec
