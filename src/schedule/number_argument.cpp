#include "schedule/number_argument.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/data/bytes.hpp"

namespace kiln {
namespace {

template <class T>
Bytes copy_of(const T& value) {
  const ByteView bytes = bytes_of(value);
  return {bytes.begin(), bytes.end()};
}

std::string number_text(const CallArgument::Number& number) {
  return std::visit([](auto value) { return fmt::format("{}", value); }, number.value);
}

Expected<Bytes> refuse(const CallArgument::Number& number, const ParameterUse& parameter) {
  return fail(Errc::bad_input,
              fmt::format("the number {} is given; the kernel takes {} {}", number_text(number),
                          parameter.element_type, parameter.name));
}

template <class T>
Expected<Bytes> as(const CallArgument::Number& number, const ParameterUse& parameter) {
  return std::visit(
      [&](auto value) -> Expected<Bytes> {
        if constexpr (std::is_floating_point_v<T>) {
          const T converted = static_cast<T>(value);
          if (std::isinf(converted) && std::isfinite(static_cast<double>(value)))
            return refuse(number, parameter);
          return copy_of(converted);
        } else if constexpr (std::is_floating_point_v<decltype(value)>) {
          return refuse(number, parameter);
        } else {
          if (!std::in_range<T>(value)) return refuse(number, parameter);
          return copy_of(static_cast<T>(value));
        }
      },
      number.value);
}

}  // namespace

Expected<std::vector<std::byte>> value_for(const CallArgument::Number& number,
                                           const ParameterUse& parameter) {
  const std::string_view type = parameter.is_pointer ? "" : parameter.layout.name;
  if (type == "float") return as<float>(number, parameter);
  if (type == "double") return as<double>(number, parameter);
  if (type == "char") return as<std::int8_t>(number, parameter);
  if (type == "uchar") return as<std::uint8_t>(number, parameter);
  if (type == "short") return as<std::int16_t>(number, parameter);
  if (type == "ushort") return as<std::uint16_t>(number, parameter);
  if (type == "int") return as<std::int32_t>(number, parameter);
  if (type == "uint") return as<std::uint32_t>(number, parameter);
  if (type == "long") return as<std::int64_t>(number, parameter);
  if (type == "ulong") return as<std::uint64_t>(number, parameter);
  return refuse(number, parameter);
}

}  // namespace kiln
