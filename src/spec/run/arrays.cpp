#include "spec/run/arrays.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "base/os/file.hpp"
#include "kernel/facts/kernel_facts.hpp"
#include "kiln/formats/npy.hpp"
#include "spec/read/type.hpp"

// Random data, .npy files and comparison of arrays. Structures are taken apart into leaves: scalars
// and vectors, which numbers mean something for; padding is in none of them.
namespace kiln::spec {
namespace {

/// A scalar or vector in a structure; arrays and structures within it are taken apart.
struct StructLeaf {
  Type type;
  std::size_t offset = 0;  ///< bytes from the structure's begin
  std::string path;        ///< "centre", "weights[2]", "field 1" where the file has no name
};

void add_leaves(const Type& type, std::size_t offset, const std::string& path,
                std::vector<StructLeaf>& leaves) {
  if (!type.is_struct()) {
    leaves.push_back({type, offset, path});
    return;
  }
  if (type.fields.empty()) {  // bytes of which nothing is known
    for (std::size_t i = 0; i < type.struct_bytes; ++i)
      leaves.push_back({Type{Scalar::u8}, offset + i, fmt::format("{}[{}]", path, i)});
    return;
  }
  for (std::size_t i = 0; i < type.fields.size(); ++i) {
    const auto& field = type.fields[i];
    const std::string name = (path.empty() ? "" : path + ".") +
                             (field.name.empty() ? fmt::format("field {}", i) : field.name);
    for (std::size_t k = 0; k < field.count; ++k)
      add_leaves(field.type, offset + field.offset + k * field.type.bytes(),
                 field.count > 1 ? fmt::format("{}[{}]", name, k) : name, leaves);
  }
}

/// The leaves of a structure in their order in memory; padding is in none. Of a structure of which
/// only the size is known there are none: it is bytes.
std::vector<StructLeaf> leaves_of(const Type& type) {
  std::vector<StructLeaf> leaves;
  if (!type.fields.empty()) add_leaves(type, 0, "", leaves);
  return leaves;
}

/// The values of one leaf in an array of structures of `stride` bytes, side by side.
Bytes gather(ByteView structures, std::size_t stride, const StructLeaf& leaf) {
  const std::size_t count = structures.size() / stride, bytes = leaf.type.bytes();
  Bytes values(count * bytes);
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(values.data() + i * bytes, structures.data() + i * stride + leaf.offset, bytes);
  return values;
}

/// The way back: `values` go to that leaf of each structure.
void scatter(ByteView values, std::span<std::byte> structures, std::size_t stride,
             const StructLeaf& leaf) {
  const std::size_t count = structures.size() / stride, bytes = leaf.type.bytes();
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(structures.data() + i * stride + leaf.offset, values.data() + i * bytes, bytes);
}

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
  // The upper bits of the stream are as good as any.
  with_number(type.scalar, [&](auto number) {
    using T = decltype(number);
    for (std::size_t at = 0; at + sizeof(T) <= memory.size(); at += sizeof(T)) {
      if constexpr (std::is_floating_point_v<T>) {
        // As many as make a fraction exactly.
        constexpr int digits = std::numeric_limits<T>::digits;
        constexpr T unit = T{1} / static_cast<T>(std::uint64_t{1} << digits);
        number = static_cast<T>(random.next() >> (64 - digits)) * unit;
      } else {
        number = static_cast<T>(random.next() >> (sizeof(T) == 1 ? 57 : 52));
      }
      std::memcpy(memory.data() + at, &number, sizeof number);
    }
  });
}

namespace {

npy::Type npy_type(Scalar scalar) {
  using npy::Type;
  // In the order of Scalar.
  constexpr Type types[] = {Type::i8,  Type::u8,  Type::i16, Type::u16, Type::i32,
                            Type::u32, Type::i64, Type::u64, Type::f32, Type::f64};
  return types[static_cast<std::size_t>(scalar)];
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

Expected<void> fill(HostArray& array, const BoundArgument& argument, const InputData& input) {
  if (input.file().empty()) {
    if (input.data().size() != argument.bytes)
      return fail(Errc::bad_input,
                  fmt::format("argument {}: {} bytes of data; it takes {} ({} elements of {})",
                              argument.position, input.data().size(), argument.bytes,
                              argument.count, argument.type.opencl_name()));
    if (are_other_numbers(input.number_type(), argument.type.opencl_name()))
      return fail(Errc::bad_input,
                  fmt::format("argument {}: found elements of {}, expected those of {}",
                              argument.position, input.number_type(), argument.type.opencl_name()));
    std::memcpy(array.data(), input.data().data(), input.data().size());
    return {};
  }
  const auto bytes = read_file(input.file(), 1ull << 41);
  if (!bytes) return tl::unexpected(bytes.error());
  const auto data = matching_data(argument, *bytes, input.file());
  if (!data) return tl::unexpected(data.error());
  std::memcpy(array.data(), data->data(), data->size());
  return {};
}

Expected<Arrays> Arrays::make(const BoundSpec& bound, std::uint64_t seed, const Inputs& inputs) {
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
      if (auto filled = fill(array, argument, given->second); !filled)
        return tl::unexpected(filled.error());
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

namespace {

template <class T>
bool equal(T a, T b, double rtol, double atol) {
  if (atol > 0 && std::abs(static_cast<double>(a) - static_cast<double>(b)) <= atol) return true;
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    if (a == b) return true;  // infinities, too
    return std::abs(static_cast<double>(a) - static_cast<double>(b)) <=
           rtol * std::max(std::abs(static_cast<double>(a)), std::abs(static_cast<double>(b)));
  } else {
    return a == b;
  }
}

template <class T>
T load(ByteView from, std::size_t at) {
  T value;
  std::memcpy(&value, from.data() + at, sizeof value);
  return value;
}

std::string lane_text(const Type& type, std::size_t lane) {
  if (type.is_struct()) return fmt::format(", byte {}", lane);
  return type.width == 1 ? std::string() : fmt::format(", lane {}", lane);
}

template <class T>
std::string scan(const Type& type, const std::vector<ByteView>& expected, ByteView actual,
                 double rtol, double atol) {
  std::size_t different = 0;
  std::string first;
  for (std::size_t at = 0; at + sizeof(T) <= actual.size(); at += sizeof(T)) {
    const T found = load<T>(actual, at);
    if (std::any_of(expected.begin(), expected.end(),
                    [&](ByteView wanted) { return equal(load<T>(wanted, at), found, rtol, atol); }))
      continue;
    if (different++ == 0)
      first = fmt::format("element {}{}: {} instead of {}", at / type.bytes(),
                          lane_text(type, at % type.bytes() / sizeof(T)), found,
                          load<T>(expected.front(), at));
  }
  if (different > 1) first += fmt::format(", and {} more", different - 1);
  return first;
}

/// Member by member, so that padding is not compared.
std::string first_stranger_in_structs(const Type& type, const std::vector<StructLeaf>& leaves,
                                      const std::vector<ByteView>& expected, ByteView actual,
                                      double rtol, double atol) {
  for (const auto& leaf : leaves) {
    std::vector<Bytes> columns;
    for (const auto& wanted : expected) columns.push_back(gather(wanted, type.bytes(), leaf));
    const Bytes found = gather(actual, type.bytes(), leaf);
    const std::vector<ByteView> views(columns.begin(), columns.end());
    const auto text = first_stranger(leaf.type, views, found, rtol, atol);
    if (!text.empty()) return leaf.path + ", " + text;
  }
  return "";
}

}  // namespace

std::string first_difference(const Type& type, ByteView expected, ByteView actual, double rtol,
                             double atol) {
  return first_stranger(type, {expected}, actual, rtol, atol);
}

std::string first_stranger(const Type& type, const std::vector<ByteView>& expected, ByteView actual,
                           double rtol, double atol) {
  for (const auto& wanted : expected) {
    if (wanted.size() != actual.size()) return "the sizes differ";
    // The common case is equality to the bit, and that is one pass at memory speed.
    if (std::memcmp(wanted.data(), actual.data(), actual.size()) == 0) return "";
  }
  if (const auto leaves = leaves_of(type); !leaves.empty())
    return first_stranger_in_structs(type, leaves, expected, actual, rtol, atol);
  return with_number(type.scalar, [&](auto number) {
    return scan<decltype(number)>(type, expected, actual, rtol, atol);
  });
}

}  // namespace kiln::spec
