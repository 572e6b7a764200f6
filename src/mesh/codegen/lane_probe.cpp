// The program and the data of the trial of built-in functions on vectors.
#include "mesh/codegen/lane_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "kernel/text/kernel_writer.hpp"
#include "mesh/codegen/helper_text.hpp"

namespace kiln::mesh {

std::string lane_probe_kernel(ScalarType type) {
  return fmt::format("kiln_lanes_{}", name_of(type));
}

namespace {

std::string call_of(const BuiltIn& built_in) {
  const int arguments = arguments_of(built_in.function);
  const bool integer_last = takes_integer(built_in.function);
  const auto argument = [&](int i) {
    return integer_last && i + 1 == arguments ? std::string("n") : std::string(1, "xyz"[i]);
  };
  return fmt::format("{}({})", built_in.function, list_of(arguments, argument));
}

void write_kernel(KernelWriter& out, std::span<const BuiltIn> built_ins, ScalarType type,
                  int lanes) {
  const std::string_view real = name_of(type);
  out.line("__kernel void {0}(__global const {1} *a, __global const {1} *b, __global const {1} *c,",
           lane_probe_kernel(type), real);
  out.line("    __global const int *integers, __global {} *results, int function, int first)",
           real);
  out.open();
  out.line("const size_t i = (size_t)first + get_global_id(0);");
  out.line("const {0}{1} x = vload{1}(i, a), y = vload{1}(i, b), z = vload{1}(i, c);", real, lanes);
  out.line("const int{0} n = vload{0}(i, integers);", lanes);
  out.open("switch (function)");
  int number = 0;
  for (const BuiltIn& each : built_ins)
    if (each.type == type)
      out.line("case {}: vstore{}({}, i, results); break;", number++, lanes, call_of(each));
  out.close();
  out.close();
}

}  // namespace

std::string lane_probe_text(std::span<const BuiltIn> built_ins, int lanes,
                            std::string_view prelude) {
  KernelWriter out;
  out.lines(template_text("fp64"));
  out.lines(std::string(prelude));
  for (const ScalarType type : {ScalarType::f32, ScalarType::f64})
    if (std::ranges::any_of(built_ins, [&](const BuiltIn& each) { return each.type == type; }))
      write_kernel(out, built_ins, type, lanes);
  return out.take();
}

namespace {

/// What leads functions astray comes first, and what some take seconds for comes last: most of
/// those are known to mix lanes by then.
template <class T>
constexpr std::array<T, 20> special_values = {T(0),
                                              T(-0.0),
                                              T(1),
                                              T(-1),
                                              std::numeric_limits<T>::infinity(),
                                              -std::numeric_limits<T>::infinity(),
                                              std::numeric_limits<T>::quiet_NaN(),
                                              T(-2.5),
                                              T(0.5),
                                              T(3),
                                              T(-1e-10),
                                              T(1e5),
                                              T(1e10),
                                              T(-1e10),
                                              T(1e30),
                                              std::numeric_limits<T>::max(),
                                              std::numeric_limits<T>::lowest(),
                                              std::numeric_limits<T>::min(),
                                              std::numeric_limits<T>::denorm_min(),
                                              -std::numeric_limits<T>::denorm_min()};
constexpr std::array<std::int32_t, 20> special_integers = {
    0,  1,   -1,   2,     -2,   3,    -3,    7,     -64,     100,
    -7, 127, -128, -1000, 1000, 1023, -1022, -1074, 1 << 30, std::numeric_limits<int>::min()};
constexpr int special_count = 20;

/// Distinct numbers in each lane; those of later arguments are larger, as bounds should be.
template <class T>
T ordinary_value(std::size_t vector, int argument, std::size_t lane) {
  constexpr T scales[] = {T(0.4), T(1.7), T(23)};
  return scales[vector] * (1 + T(0.043) * static_cast<T>((lane * 7) % 16)) *
         (1 + T(0.31) * static_cast<T>(argument));
}
std::int32_t ordinary_integer(std::size_t vector, std::size_t lane) {
  return static_cast<std::int32_t>(1 + vector + lane % 5);
}

template <class T>
std::string bits_of(const T& value) {
  if constexpr (sizeof(T) == 8)
    return fmt::format("{:#x}", std::bit_cast<std::uint64_t>(value));
  else
    return fmt::format("{:#x}", std::bit_cast<std::uint32_t>(value));
}

template <class T>
T value_at(ByteView bytes, std::size_t number) {
  T value;
  std::memcpy(&value, bytes.data() + number * sizeof(T), sizeof(T));
  return value;
}

}  // namespace

LaneCases::LaneCases(const BuiltIn& built_in, int lanes)
    : type_(built_in.type),
      lanes_(static_cast<std::size_t>(lanes)),
      arguments_(arguments_of(built_in.function)),
      takes_integer_(takes_integer(built_in.function)) {
  if (arguments_ == 2) {
    for (int a = -1; a < special_count; ++a)
      for (int b = -1; b < special_count; ++b)
        if (a >= 0 || b >= 0) specials_.push_back({a, b, -1});
    return;
  }
  for (int k = 0; k < special_count; ++k) {
    specials_.push_back({k, arguments_ == 3 ? k : -1, arguments_ == 3 ? k : -1});
    for (int i = 0; arguments_ == 3 && i < 3; ++i) {
      Special alone{-1, -1, -1};
      alone[static_cast<std::size_t>(i)] = k;
      specials_.push_back(alone);
    }
  }
}

template <class T>
Bytes LaneCases::numbers(int number) const {
  std::vector<T> all;
  all.reserve(count() * lanes_);
  const auto add = [&](std::size_t vector, std::size_t special_lane, int special) {
    for (std::size_t lane = 0; lane < lanes_; ++lane)
      all.push_back(lane == special_lane && special >= 0
                        ? special_values<T>[static_cast<std::size_t>(special)]
                        : ordinary_value<T>(vector, number, lane));
  };
  for (std::size_t vector = 0; vector < ordinary_vectors; ++vector) add(vector, lanes_, -1);
  for (const Special& special : specials_)
    for (std::size_t vector = 0; vector < ordinary_vectors; ++vector)
      for (std::size_t lane = 0; lane < lanes_; ++lane)
        add(vector, lane, special[static_cast<std::size_t>(number)]);
  const ByteView bytes = as_bytes(std::span<const T>(all));
  return {bytes.begin(), bytes.end()};
}

Bytes LaneCases::argument(int number) const {
  return type_ == ScalarType::f64 ? numbers<double>(number) : numbers<float>(number);
}

std::vector<std::int32_t> LaneCases::integers() const {
  std::vector<std::int32_t> all;
  all.reserve(count() * lanes_);
  const auto add = [&](std::size_t vector, std::size_t special_lane, int special) {
    for (std::size_t lane = 0; lane < lanes_; ++lane)
      all.push_back(lane == special_lane && special >= 0
                        ? special_integers[static_cast<std::size_t>(special)]
                        : ordinary_integer(vector, lane));
  };
  for (std::size_t vector = 0; vector < ordinary_vectors; ++vector) add(vector, lanes_, -1);
  for (const Special& special : specials_)
    for (std::size_t vector = 0; vector < ordinary_vectors; ++vector)
      for (std::size_t lane = 0; lane < lanes_; ++lane) add(vector, lane, special[1]);
  return all;
}

std::string LaneCases::special_text(const Special& special) const {
  std::string text;
  for (int i = 0; i < arguments_; ++i) {
    const int number = special[static_cast<std::size_t>(i)];
    const auto at = static_cast<std::size_t>(number);
    const bool is_integer = takes_integer_ && i + 1 == arguments_;
    text += text.empty() ? "" : ", ";
    text += number < 0                 ? std::string("ordinary")
            : is_integer               ? std::to_string(special_integers[at])
            : type_ == ScalarType::f64 ? fmt::format("{}", special_values<double>[at])
                                       : fmt::format("{}", special_values<float>[at]);
  }
  return text;
}

std::optional<std::string> LaneCases::mixed_up(std::size_t first, ByteView results,
                                               ByteView ordinary) const {
  const std::size_t size = size_of(type_);
  for (std::size_t at = 0; at < results.size() / vector_bytes(); ++at) {
    const std::size_t number = first + at - ordinary_vectors, place = number % of_round();
    const std::size_t vector = place / lanes_, special = place % lanes_;
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      const std::size_t found = at * lanes_ + lane, expected = vector * lanes_ + lane;
      if (lane == special ||
          std::memcmp(results.data() + found * size, ordinary.data() + expected * size, size) == 0)
        continue;
      const auto change = [&]<class T>(T) {
        return fmt::format("{} to {}", bits_of(value_at<T>(ordinary, expected)),
                           bits_of(value_at<T>(results, found)));
      };
      return fmt::format("lane {} with {} changes lane {} from {}", special,
                         special_text(specials_[number / of_round()]), lane,
                         type_ == ScalarType::f64 ? change(double{}) : change(float{}));
    }
  }
  return std::nullopt;
}

}  // namespace kiln::mesh
