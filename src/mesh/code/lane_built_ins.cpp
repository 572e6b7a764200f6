#include "mesh/code/lane_built_ins.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::mesh {

bool is_called_by_lane(std::string_view function, ScalarType type) {
  constexpr std::string_view of_doubles[] = {"fmod", "pow", "pown", "powr", "remainder", "rootn"};
  constexpr std::string_view of_floats[] = {"cos", "sin", "tan"};
  constexpr std::string_view of_both[] = {"native_cos", "native_sin"};
  const auto has = [&](const auto& list) {
    return std::find(std::begin(list), std::end(list), function) != std::end(list);
  };
  return has(of_both) || (type == ScalarType::f64 ? has(of_doubles) : has(of_floats));
}

std::string ByLane::name() const {
  return fmt::format("kiln_{}_{}{}", function, name_of(type), lanes);
}

std::string ByLane::definition() const {
  std::string parameters, calls;
  for (int i = 0; i < arguments; ++i)
    parameters += fmt::format("{}{}{} a{}", i == 0 ? "" : ", ",
                              whole_last && i + 1 == arguments ? "int" : name_of(type), lanes, i);
  for (int lane = 0; lane < lanes; ++lane) {
    std::string values;
    for (int i = 0; i < arguments; ++i)
      values += fmt::format("{}a{}.s{:x}", i == 0 ? "" : ", ", i, lane);
    calls += fmt::format("{}{}({})", lane == 0 ? "" : ", ", function, values);
  }
  return fmt::format("static {0}{1} {2}({3}) {{ return ({0}{1})({4}); }}\n", name_of(type), lanes,
                     name(), parameters, calls);
}

}  // namespace kiln::mesh
