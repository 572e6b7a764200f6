// Parallel loops by their rules, one element after another.
#include "mesh/codegen/loop_data.hpp"

namespace kiln::mesh::testing {
namespace {

using Via = ArgShape::Via;

template <class Do>
void with_type(ScalarType type, const Do& work) {
  switch (type) {
    case ScalarType::i8:
      return work(std::int8_t{});
    case ScalarType::u8:
      return work(std::uint8_t{});
    case ScalarType::i16:
      return work(std::int16_t{});
    case ScalarType::u16:
      return work(std::uint16_t{});
    case ScalarType::i32:
      return work(std::int32_t{});
    case ScalarType::u32:
      return work(std::uint32_t{});
    case ScalarType::i64:
      return work(std::int64_t{});
    case ScalarType::u64:
      return work(std::uint64_t{});
    case ScalarType::f32:
      return work(float{});
    case ScalarType::f64:
      return work(double{});
  }
}

/// One argument's copies for one call, and where they came from.
struct Call {
  const ArgShape& a;
  LoopData& data;
  std::vector<std::size_t> elements;
  Raw copy;
  std::vector<void*> pointers;

  std::size_t place(std::size_t element, int k) const {
    const auto component = static_cast<std::size_t>(k);
    return a.soa ? component * static_cast<std::size_t>(data.strides.at(a.data)) + element
                 : element * static_cast<std::size_t>(a.dim) + component;
  }
  template <class Each>
  void each(const Each& visit) {
    std::size_t at = 0;
    const std::size_t size = size_of(a.type);
    for (const auto element : elements)
      for (int k = 0; k < a.dim; ++k, ++at)
        visit(copy.data() + at * size, data.dats.at(a.data).data() + place(element, k) * size);
  }
  void* load() {
    const std::size_t size = size_of(a.type), dim = static_cast<std::size_t>(a.dim);
    copy.assign(elements.size() * dim * size, std::byte{});
    if (a.access == Access::read || a.access == Access::rw)
      each([&](std::byte* mine, std::byte* theirs) { std::memcpy(mine, theirs, size); });
    if (a.via != Via::all) return copy.data();
    if (a.flatten)
      for (std::size_t k = 0; k < dim; ++k)
        for (std::size_t c = 0; c < elements.size(); ++c)
          pointers.push_back(copy.data() + (c * dim + k) * size);
    else
      for (std::size_t c = 0; c < elements.size(); ++c)
        pointers.push_back(copy.data() + c * dim * size);
    return pointers.data();
  }
  void store() {
    if (a.access == Access::read) return;
    with_type(a.type, [&](auto start) {
      using T = decltype(start);
      each([&](std::byte* mine, std::byte* theirs) {
        T left, old;
        std::memcpy(&left, mine, sizeof left);
        std::memcpy(&old, theirs, sizeof old);
        if (a.access == Access::inc) left = static_cast<T>(old + left);
        std::memcpy(theirs, &left, sizeof left);
      });
    });
  }
};

std::vector<std::size_t> elements_of(const ArgShape& a, const LoopData& data, int element,
                                     int layer, const int* indices) {
  if (a.via == Via::direct) return {static_cast<std::size_t>(element)};
  const auto target = [&](int component) {
    const auto map = static_cast<std::size_t>(a.map);
    int found = data.maps[map][static_cast<std::size_t>(element * a.arity + component)];
    if (map < data.offsets.size())
      found += layer * data.offsets[map][static_cast<std::size_t>(component)];
    return static_cast<std::size_t>(found);
  };
  if (a.via == Via::component) return {target(a.component)};
  if (a.via == Via::index) return {target(indices[a.index])};
  std::vector<std::size_t> all;
  for (int c = 0; c < a.arity; ++c) all.push_back(target(c));
  return all;
}

}  // namespace

void run_serially(const LoopShape& shape, const HostKernel& kernel, LoopData& data) {
  const int rows = shape.extents.empty() ? 1 : shape.extents[0];
  const int columns = shape.extents.size() < 2 ? 1 : shape.extents[1];
  for (int position = data.begin; position < data.end; ++position)
    for (int layer = 0; layer < data.layers; ++layer)
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j) {
          const int element =
              shape.subset ? data.subset[static_cast<std::size_t>(position)] : position;
          const int indices[] = {i, j};
          std::vector<Call> calls;
          for (const auto& a : shape.arguments)
            calls.push_back({a, data, elements_of(a, data, element, layer, indices), {}, {}});
          std::vector<void*> pointers;
          for (auto& call : calls)
            pointers.push_back(call.a.kind == ArgShape::Kind::global
                                   ? data.globals.at(call.a.data).data()
                                   : call.load());
          kernel(pointers, i, j);
          for (auto& call : calls)
            if (call.a.kind == ArgShape::Kind::dat) call.store();
        }
}

}  // namespace kiln::mesh::testing
