#include "spec/convert.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

namespace kiln::spec {
namespace {

tl::unexpected<Error> out_of_range(const Type& type, const expr::Value& value) {
  return fail(Errc::bad_input, "found " + value.text() + ", expected a value that fits " +
                                   Type{type.scalar, 1}.opencl_name());
}

/// Conversion of an out-of-range value is undefined in C++ and silently wraps in the original.
template <class T>
Expected<T> integer_of(const Type& type, const expr::Value& value) {
  if (const auto* real = std::get_if<double>(&value.data())) {
    const double whole = std::trunc(*real);
    // Both bounds are exact in double: 2^digits lies just above the largest value.
    const double above = std::ldexp(1.0, std::numeric_limits<T>::digits);
    const double least = std::numeric_limits<T>::is_signed ? -above : 0.0;
    if (!(whole >= least && whole < above)) return out_of_range(type, value);
    return static_cast<T>(whole);
  }
  const auto integer = value.to_integer();
  if (!integer) return tl::unexpected(integer.error());
  if (!std::in_range<T>(*integer)) return out_of_range(type, value);
  return static_cast<T>(*integer);
}

/// An infinity that the file asked for is kept; one that the narrower type made is an error.
template <class T>
Expected<T> real_of(const Type& type, const expr::Value& value) {
  const auto real = value.to_double();
  if (!real) return tl::unexpected(real.error());
  const T result = static_cast<T>(*real);
  if (std::isfinite(*real) && !std::isfinite(result)) return out_of_range(type, value);
  return result;
}

template <class T>
Expected<T> scalar_of(const Type& type, const expr::Value& value) {
  if constexpr (std::is_floating_point_v<T>) {
    return real_of<T>(type, value);
  } else {
    return integer_of<T>(type, value);
  }
}

template <class T>
Expected<void> put(const Type& type, const expr::Value& value, std::byte* to) {
  if (!value.is_number()) {
    return fail(Errc::bad_input, std::string("found ") + value.type_name() + " " +
                                     value.text().substr(0, 40) + ", expected a number");
  }
  const auto scalar = scalar_of<T>(type, value);
  if (!scalar) return tl::unexpected(scalar.error());
  std::memcpy(to, &*scalar, sizeof(T));
  return {};
}

Expected<void> put(const Type& type, const expr::Value& value, std::byte* to) {
  switch (type.scalar) {
    case Scalar::i8:
      return put<std::int8_t>(type, value, to);
    case Scalar::u8:
      return put<std::uint8_t>(type, value, to);
    case Scalar::i16:
      return put<std::int16_t>(type, value, to);
    case Scalar::u16:
      return put<std::uint16_t>(type, value, to);
    case Scalar::i32:
      return put<std::int32_t>(type, value, to);
    case Scalar::u32:
      return put<std::uint32_t>(type, value, to);
    case Scalar::i64:
      return put<std::int64_t>(type, value, to);
    case Scalar::u64:
      return put<std::uint64_t>(type, value, to);
    case Scalar::f32:
      return put<float>(type, value, to);
    case Scalar::f64:
      return put<double>(type, value, to);
  }
  return fail(Errc::internal, "unknown scalar type");
}

Expected<void> put_list(const Type& type, const expr::Value& value, std::size_t count,
                        std::span<std::byte> to);

/// A structure's members, or its bytes where they are not known.
Expected<void> put_struct(const Type& type, const expr::List& values, std::span<std::byte> to) {
  const std::size_t wanted = type.fields.empty() ? type.struct_bytes : type.fields.size();
  if (values.size() != wanted)
    return fail(Errc::bad_input, "found a list of " + std::to_string(values.size()) +
                                     ", expected " + std::to_string(wanted) +
                                     (type.fields.empty() ? " bytes" : " members"));
  for (std::size_t i = 0; i < wanted; ++i) {
    Expected<void> done;
    if (type.fields.empty()) {
      done = put<std::uint8_t>(Type{Scalar::u8}, values[i], to.data() + i);
    } else {
      const auto& field = type.fields[i];
      done = put_list(field.type, values[i], field.count,
                      to.subspan(field.offset, field.count * field.type.bytes()));
    }
    if (!done) return done;
  }
  return {};
}

/// One value, or an array's.
Expected<void> put_list(const Type& type, const expr::Value& value, std::size_t count,
                        std::span<std::byte> to) {
  const auto* list = std::get_if<expr::List>(&value.data());
  if (count > 1 && (list == nullptr || list->size() != count))
    return fail(Errc::bad_input, "found " + value.text().substr(0, 60) + ", expected a list of " +
                                     std::to_string(count) + " values");
  for (std::size_t i = 0; i < count; ++i) {
    const auto bytes = to_bytes(type, count > 1 ? (*list)[i] : value);
    if (!bytes) return tl::unexpected(bytes.error());
    std::memcpy(to.data() + i * bytes->size(), bytes->data(), bytes->size());
  }
  return {};
}

}  // namespace

Expected<std::vector<std::byte>> to_bytes(const Type& type, const expr::Value& value) {
  std::vector<std::byte> bytes(type.bytes());
  const auto* list = std::get_if<expr::List>(&value.data());
  if (type.is_struct()) {
    const auto done = list == nullptr
                          ? Expected<void>(fail(Errc::bad_input,
                                                "found " + value.text().substr(0, 60) +
                                                    ", expected a list of a structure's members"))
                          : put_struct(type, *list, bytes);
    if (!done) return tl::unexpected(done.error());
    return bytes;
  }
  if (list == nullptr && type.width == 1) {
    const auto done = put(type, value, bytes.data());
    if (!done) return tl::unexpected(done.error());
    return bytes;
  }
  if (list == nullptr || type.width == 1 || list->size() != type.width) {
    const std::string found =
        list == nullptr ? value.text() : "a list of " + std::to_string(list->size());
    return fail(Errc::bad_input,
                "found " + found.substr(0, 60) + ", expected " +
                    (type.width == 1 ? "one number"
                                     : "a list of " + std::to_string(type.width) + " numbers") +
                    " for " + type.opencl_name());
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto done = put(type, (*list)[i], bytes.data() + i * type.scalar_bytes());
    if (!done) return tl::unexpected(done.error());
  }
  return bytes;
}

}  // namespace kiln::spec
