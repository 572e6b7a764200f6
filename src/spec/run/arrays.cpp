#include "spec/run/arrays.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "base/file.hpp"
#include "format/npy.hpp"
#include "spec/run/random_data.hpp"

namespace kiln::spec {
namespace {

npy::Type npy_type(Scalar scalar) {
  switch (scalar) {
    case Scalar::i8:
      return npy::Type::i8;
    case Scalar::u8:
      return npy::Type::u8;
    case Scalar::i16:
      return npy::Type::i16;
    case Scalar::u16:
      return npy::Type::u16;
    case Scalar::i32:
      return npy::Type::i32;
    case Scalar::u32:
      return npy::Type::u32;
    case Scalar::i64:
      return npy::Type::i64;
    case Scalar::u64:
      return npy::Type::u64;
    case Scalar::f32:
      return npy::Type::f32;
    case Scalar::f64:
      break;
  }
  return npy::Type::f64;
}

/// A file's data, which views `bytes`, checked against the argument.
Expected<ByteView> matching_data(const BoundArgument& argument, const Bytes& bytes,
                                 const std::filesystem::path& file) {
  const auto array = npy::parse(bytes);
  if (!array) return fail(array.error().code(), file.string() + ": " + array.error().message());
  const auto wanted = npy_type(argument.type.scalar);
  if (array->type != wanted)
    return fail(Errc::bad_input, fmt::format("{}: elements of type {}; argument {} ({}) takes {}",
                                             file.string(), array->descr, argument.position,
                                             argument.type.opencl_name(), npy::descr_of(wanted)));
  if (array->data.size() != argument.bytes)
    return fail(Errc::bad_input,
                fmt::format("{}: {} bytes of data; argument {} takes {} ({} elements of {})",
                            file.string(), array->data.size(), argument.position, argument.bytes,
                            argument.count, argument.type.opencl_name()));
  return array->data;
}

/// Asked before anything is allocated: Linux promises memory that it does not have, and kills
/// whom it likes when the promise is called in.
Expected<void> check_memory(const BoundSpec& bound) {
  std::uint64_t wanted = 0;
  for (const auto& argument : bound.arguments)
    if (argument.is_buffer()) wanted += argument.bytes;
  const auto present = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  if (wanted <= present) return {};
  return fail(Errc::unsupported, fmt::format("found buffers of {} bytes together; this machine's "
                                             "memory has {}",
                                             wanted, present));
}

}  // namespace

Expected<const BoundArgument*> buffer_argument(const BoundSpec& bound, std::uint32_t position,
                                               std::string_view option) {
  if (position >= bound.arguments.size())
    return fail(Errc::bad_input, fmt::format("{} {}: the kernel has arguments 0 to {}", option,
                                             position, bound.arguments.size() - 1));
  if (!bound.arguments[position].is_buffer())
    return fail(Errc::bad_input,
                fmt::format("{} {}: argument {} is not a buffer", option, position, position));
  return &bound.arguments[position];
}

Expected<Arrays> Arrays::make(const BoundSpec& bound, std::uint64_t seed, const Files& inputs) {
  for (const auto& [position, file] : inputs) {
    const auto argument = buffer_argument(bound, position, "--in");
    if (!argument) return tl::unexpected(argument.error());
    if ((*argument)->kind == ArgumentKind::output)
      return fail(Errc::bad_input,
                  fmt::format("--in {}: the spec calls this argument an output", position));
  }
  if (auto fits = check_memory(bound); !fits) return tl::unexpected(fits.error());
  Arrays arrays;
  for (const auto& argument : bound.arguments) {
    if (!argument.is_buffer()) {
      arrays.arrays_.emplace_back();
      continue;
    }
    auto& array = arrays.arrays_.emplace_back(argument.bytes);
    if (const auto given = inputs.find(argument.position); given != inputs.end()) {
      const auto bytes = read_file(given->second, 1ull << 41);
      if (!bytes) return tl::unexpected(bytes.error());
      const auto data = matching_data(argument, *bytes, given->second);
      if (!data) return tl::unexpected(data.error());
      std::memcpy(array.data(), data->data(), data->size());
    } else if (argument.kind != ArgumentKind::output) {
      fill_random(array.span(), argument.type, seed, argument.position);
    }
  }
  return arrays;
}

Expected<void> save_npy(const BoundArgument& argument, ByteView data,
                        const std::filesystem::path& file) {
  std::vector<std::size_t> shape{argument.count};
  if (argument.type.lanes() > 1) shape.push_back(argument.type.lanes());
  return write_file(file, npy::write(npy_type(argument.type.scalar), shape, data));
}

Expected<std::string> compare_with_npy(const BoundArgument& argument, ByteView data,
                                       const std::filesystem::path& file, double rtol) {
  const auto bytes = read_file(file, 1ull << 41);
  if (!bytes) return tl::unexpected(bytes.error());
  const auto expected = matching_data(argument, *bytes, file);
  if (!expected) return tl::unexpected(expected.error());
  return first_difference(argument.type, *expected, data, rtol);
}

}  // namespace kiln::spec
