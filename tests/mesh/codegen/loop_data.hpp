#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "mesh/codegen/loop_generator.hpp"
#include "mesh/model/loop_shape.hpp"

namespace kiln::mesh::testing {

inline constexpr ScalarType f64 = ScalarType::f64, f32 = ScalarType::f32;

using Raw = std::vector<std::byte>;

template <class T>
Raw raw(const std::vector<T>& values) {
  Raw bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
template <class T>
std::vector<T> values(const Raw& bytes) {
  std::vector<T> result(bytes.size() / sizeof(T));
  if (!result.empty()) std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

/// All that a loop works on, by the numbers of its shape.
struct LoopData {
  struct Csr {
    std::vector<int> rowptr, colidx;
  };
  int begin = 0, end = 0;
  int set_size = 0;  ///< 0: end
  std::map<int, Raw> dats, globals, mats;
  std::map<int, long> strides;
  std::map<int, Csr> sparsities;
  std::vector<std::vector<int>> maps, offsets;
  std::vector<std::size_t> targets;  ///< of each Map: elements of its target set
  std::vector<Raw> constants;
  std::vector<int> subset;
  int layers = 1;
};

/// Arguments, short.
inline ArgShape direct(int data, int dim, Access access, ScalarType type = ScalarType::i32) {
  ArgShape a;
  a.data = data;
  a.dim = dim;
  a.access = access;
  a.type = type;
  return a;
}
inline ArgShape global(int data, int dim, Access access, ScalarType type = ScalarType::i32) {
  ArgShape a = direct(data, dim, access, type);
  a.kind = ArgShape::Kind::global;
  return a;
}
inline ArgShape through(ArgShape a, int map, int pair, int arity, int component) {
  a.via = ArgShape::Via::component;
  a.map = map;
  a.pair = pair;
  a.arity = arity;
  a.component = component;
  return a;
}
inline ArgShape through_all(ArgShape a, int map, int pair, int arity, bool flatten = false) {
  a = through(a, map, pair, arity, -1);
  a.via = ArgShape::Via::all;
  a.flatten = flatten;
  return a;
}
inline ArgShape through_index(ArgShape a, int map, int pair, int arity, int index) {
  a = through(a, map, pair, arity, -1);
  a.via = ArgShape::Via::index;
  a.index = index;
  return a;
}

inline LoopShape loop(const std::string& text, const std::string& kernel,
                      std::vector<ArgShape> arguments, std::vector<ConstShape> constants = {}) {
  LoopShape shape;
  shape.kernel = kernel;
  shape.source = value_or_throw(from_text(text, "user.c"));
  shape.arguments = std::move(arguments);
  shape.constants = std::move(constants);
  return shape;
}

/// Runs a loop on the device, with the plan that its form needs, and changes `data` accordingly.
void run_loop(const LoopShape& shape, const Parameters& parameters, LoopData& data);

/// The kernel in C++: pointers as the user's function gets them, and iteration indices.
using HostKernel = std::function<void(const std::vector<void*>&, int, int)>;

/// Runs a loop element after element on the host, by the rules of parallel loops and nothing of the
/// code that is tested. Matrices are not for it.
void run_serially(const LoopShape& shape, const HostKernel& kernel, LoopData& data);

}  // namespace kiln::mesh::testing
