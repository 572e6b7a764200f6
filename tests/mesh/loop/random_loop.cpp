#include "mesh/loop/random_loop.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kiln::mesh::testing {
namespace {

constexpr std::array<const char*, 10> c_names{"char",  "unsigned char", "short", "unsigned short",
                                              "int",   "unsigned int",  "long",  "unsigned long",
                                              "float", "double"};

/// Calls `what` with a value of the C++ type.
template <class What>
auto with_type(ScalarType type, const What& what) {
  switch (type) {
    case ScalarType::i8:
      return what(std::int8_t{});
    case ScalarType::u8:
      return what(std::uint8_t{});
    case ScalarType::i16:
      return what(std::int16_t{});
    case ScalarType::u16:
      return what(std::uint16_t{});
    case ScalarType::i32:
      return what(std::int32_t{});
    case ScalarType::u32:
      return what(std::uint32_t{});
    case ScalarType::i64:
      return what(std::int64_t{});
    case ScalarType::u64:
      return what(std::uint64_t{});
    case ScalarType::f32:
      return what(float{});
    default:
      return what(double{});
  }
}

/// What is left of a number in a type.
std::int64_t as_type(ScalarType type, std::int64_t value) {
  return with_type(type, [&](auto zero) {
    return static_cast<std::int64_t>(static_cast<decltype(zero)>(value));
  });
}
bool less(ScalarType type, std::int64_t a, std::int64_t b) {
  return type == ScalarType::u64 ? static_cast<std::uint64_t>(a) < static_cast<std::uint64_t>(b)
                                 : a < b;
}

}  // namespace

RandomLoop::RandomLoop(unsigned seed, std::size_t size, Limits limits) : random_(seed) {
  same_type_ = pick(0, 1) == 0;
  real_ = limits.real;
  type_ = pick(0, 1) == 0 ? ScalarType::f64 : ScalarType::f32;
  for (auto& sizes : sizes_) {
    const auto n = static_cast<std::size_t>(pick(1, 40));
    sizes = {n, n, n, n};
  }
  sizes_[0] = {size, size, size, size};
  if (limits.parts && pick(0, 2) == 0) {
    const auto cut = [&] { return static_cast<std::size_t>(pick(0, static_cast<int>(size))); };
    sizes_[0] = {cut(), cut(), cut(), size};
    std::sort(sizes_[0].begin(), sizes_[0].end());
  }
  const auto kind = pick(0, 3);
  if (limits.extruded && kind == 0) layers_ = static_cast<std::size_t>(pick(2, 5));
  if (limits.subsets && kind == 1) {
    subset_.emplace();
    for (std::size_t e = 0; e < size; ++e)
      if (pick(0, 2) > 0) subset_->push_back(static_cast<std::int32_t>(e));
  }
  add_maps();
  const auto uses = pick(1, 5);
  for (int i = 0; i < uses; ++i) add_use();
}

void RandomLoop::add_maps() {
  for (int i = 0; i < 2; ++i) {
    MapData map;
    map.to = static_cast<std::size_t>(pick(1, 2));
    map.arity = static_cast<std::size_t>(pick(1, 3));
    const auto targets = static_cast<std::int64_t>(total(map.to));
    for (std::size_t c = 0; c < map.arity; ++c) {
      std::int64_t offset = pick(-2, 2);
      if (layers_ > 0 && std::abs(offset) * static_cast<std::int64_t>(layers_ - 2) >= targets)
        offset = 0;
      map.offsets.push_back(static_cast<std::int32_t>(offset));
    }
    for (std::size_t k = 0; k < total(0) * map.arity; ++k) {
      const std::int64_t climb =
          layers_ > 0 ? map.offsets[k % map.arity] * static_cast<std::int64_t>(layers_ - 2) : 0;
      map.values.push_back(static_cast<std::int32_t>(
          pick(std::max<std::int64_t>(0, -climb), std::min(targets, targets - climb) - 1)));
    }
    maps_.push_back(std::move(map));
  }
}

void RandomLoop::add_use() {
  Use use;
  use.way = static_cast<Way>(pick(0, 5));
  use.map = static_cast<std::size_t>(pick(0, 1));
  const MapData& map = maps_[use.map];
  Data data;
  data.type = same_type_ ? type_ : static_cast<ScalarType>(pick(real_ ? 8 : 0, 9));
  data.dim = static_cast<std::size_t>(pick(1, 4));
  data.layout = pick(0, 1) == 0 ? DataLayout::aos : DataLayout::soa;
  if (use.way == Way::index) {
    // The second index only after the first; all maps of an index have its extent.
    use.number = extents_[0] == 0 ? 0 : static_cast<int>(pick(0, 1));
    auto& extent = extents_[static_cast<std::size_t>(use.number)];
    if (extent != 0 && extent != map.arity) use.way = Way::component;
    if (use.way == Way::index) extent = map.arity;
  }
  if (use.way == Way::component)
    use.number = static_cast<int>(pick(0, static_cast<int>(map.arity) - 1));
  const bool is_global = use.way == Way::global;
  static constexpr Access of_globals[] = {READ, INC, MIN, MAX};
  static constexpr Access of_dats[] = {READ, INC, WRITE, RW};
  const auto access = static_cast<std::size_t>(pick(0, 3));
  use.access = is_global ? of_globals[access] : of_dats[access];
  // The components of an element that are one target are copies of it: only additions agree.
  if (use.access == RW && (use.way == Way::all || use.way == Way::flat)) use.access = INC;
  data.set = use.way == Way::direct ? 0 : map.to;
  auto& list = is_global ? globals_ : dats_;
  // Now and then the Dat of an argument before, where both read or both add.
  for (const Use& other : uses_) {
    const bool both_global = (other.way == Way::global) == is_global;
    const bool fits = both_global && other.access == use.access &&
                      (use.access == READ || use.access == INC) &&
                      (is_global || list[other.data].set == data.set);
    if (!fits || pick(0, 2) != 0) continue;
    use.data = other.data;
    uses_.push_back(use);
    return;
  }
  const std::size_t count = data.dim * (is_global ? 1 : total(data.set));
  for (std::size_t i = 0; i < count; ++i)
    data.values.push_back(real_
                              ? pick(-3000, 3000)
                              : as_type(data.type, pick(data.type == ScalarType::u64 ? 0 : -3, 3)));
  use.data = list.size();
  list.push_back(std::move(data));
  uses_.push_back(use);
}

bool RandomLoop::needs_exec_halo() const {
  return std::any_of(uses_.begin(), uses_.end(), [](const Use& use) {
    return use.way != Way::direct && use.way != Way::global && use.access != READ;
  });
}

std::string RandomLoop::parameter(std::size_t i) const {
  const Use& use = uses_[i];
  const Data& data = use.way == Way::global ? globals_[use.data] : dats_[use.data];
  const bool many = use.way == Way::all || use.way == Way::flat;
  return std::string(use.access == READ && !many ? "const " : "") +
         c_names[static_cast<std::size_t>(data.type)] + (many ? " **a" : " *a") + std::to_string(i);
}

std::string RandomLoop::work_type() const {
  if (same_type_) return c_names[static_cast<std::size_t>(type_)];
  return real_ ? "double" : "long";
}

std::string RandomLoop::text() const {
  const std::string work = work_type();
  std::string parameters, reads, writes;
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    const Use& use = uses_[i];
    const Data& data = use.way == Way::global ? globals_[use.data] : dats_[use.data];
    const std::string type = c_names[static_cast<std::size_t>(data.type)];
    parameters += (i == 0 ? "" : ", ") + parameter(i);
    const std::size_t arity = maps_[use.map].arity;
    std::vector<std::string> places;
    const std::string name = "a" + std::to_string(i);
    for (std::size_t c = 0; c < (use.way == Way::all ? arity : 1); ++c)
      for (std::size_t k = 0; k < (use.way == Way::flat ? arity : 1) * data.dim; ++k)
        places.push_back(use.way == Way::all
                             ? name + "[" + std::to_string(c) + "][" + std::to_string(k) + "]"
                         : use.way == Way::flat ? "*" + name + "[" + std::to_string(k) + "]"
                                                : name + "[" + std::to_string(k) + "]");
    // Elements that share a target write the same: what only depends on the component.
    const auto written = [&](std::size_t p) {
      return std::to_string(use.way == Way::flat ? p / arity : p % data.dim);
    };
    for (std::size_t p = 0; p < places.size(); ++p) {
      const std::string at = places[p], weight = std::to_string(p % 3 + 1);
      const std::string changed = "(" + type + ")(s + " + weight + ")";
      if (use.access == READ) reads += "  s += " + weight + " * (" + work + ")" + at + ";\n";
      if (use.access == WRITE)
        writes += "  " + at + " = " + (use.way == Way::direct ? changed : written(p)) + ";\n";
      if (use.access == RW || use.access == INC) writes += "  " + at + " += " + changed + ";\n";
      if (use.access == MIN)
        writes += "  " + at + " = " + changed + " < " + at + " ? " + changed + " : " + at + ";\n";
      if (use.access == MAX)
        writes += "  " + at + " = " + at + " < " + changed + " ? " + changed + " : " + at + ";\n";
    }
  }
  for (std::size_t i = 0; i < 2; ++i)
    if (extents_[i] > 0) {
      const std::string name = i == 0 ? "i" : "j";
      parameters += ", int " + name;
      reads += "  s += " + std::to_string(i + 1) + " * " + name + ";\n";
    }
  return "void k(" + parameters + ") {\n  " + work + " s = 1;\n" + reads + writes + "}\n";
}

std::string RandomLoop::describe() const {
  std::string all = text();
  for (const auto size : sizes_[0]) all += std::to_string(size) + " ";
  all += layers_ > 0 ? "layers " + std::to_string(layers_) : "";
  all += subset_ ? "subset of " + std::to_string(subset_->size()) : "";
  for (const Use& use : uses_)
    all += "\n" + std::string(name_of(use.access)) + " way " +
           std::to_string(static_cast<int>(use.way)) + " data " + std::to_string(use.data) +
           " map " + std::to_string(use.map) + " number " + std::to_string(use.number);
  return all;
}

std::vector<std::pair<std::size_t, std::size_t>> RandomLoop::places(const Use& use,
                                                                    const Point& point) const {
  std::vector<std::pair<std::size_t, std::size_t>> found;
  if (use.way == Way::global) {
    for (std::size_t k = 0; k < globals_[use.data].values.size(); ++k)
      found.emplace_back(dats_.size() + use.data, k);
    return found;
  }
  const std::size_t dim = dats_[use.data].dim;
  const MapData& map = maps_[use.map];
  const auto target = [&](std::size_t component) {
    return static_cast<std::size_t>(map.values[point.element * map.arity + component] +
                                    point.layer * map.offsets[component]);
  };
  const auto add = [&](std::size_t element, std::size_t k) {
    found.emplace_back(use.data, element * dim + k);
  };
  if (use.way == Way::flat) {
    for (std::size_t k = 0; k < dim; ++k)
      for (std::size_t c = 0; c < map.arity; ++c) add(target(c), k);
    return found;
  }
  for (std::size_t c = 0; c < (use.way == Way::all ? map.arity : 1); ++c) {
    const std::size_t element =
        use.way == Way::direct      ? point.element
        : use.way == Way::component ? target(static_cast<std::size_t>(use.number))
        : use.way == Way::index
            ? target(static_cast<std::size_t>(use.number == 0 ? point.i : point.j))
            : target(c);
    for (std::size_t k = 0; k < dim; ++k) add(element, k);
  }
  return found;
}

void RandomLoop::call(Values& values, const Values& old, const Point& point, bool counts) const {
  std::int64_t s = 1;
  if (extents_[0] > 0) s += point.i;
  if (extents_[1] > 0) s += 2 * point.j;
  for (const Use& use : uses_) {
    if (use.access != READ) continue;
    const auto at = places(use, point);
    for (std::size_t p = 0; p < at.size(); ++p)
      s += static_cast<std::int64_t>(p % 3 + 1) * old[at[p].first][at[p].second];
  }
  for (const Use& use : uses_) {
    if (use.access == READ || (use.way == Way::global && !counts)) continue;
    const Data& data = use.way == Way::global ? globals_[use.data] : dats_[use.data];
    const auto at = places(use, point);
    for (std::size_t p = 0; p < at.size(); ++p) {
      const auto weight = static_cast<std::int64_t>(p % 3 + 1);
      const std::int64_t changed = as_type(data.type, s + weight);
      const auto written =
          static_cast<std::int64_t>(use.way == Way::flat ? p / maps_[use.map].arity : p % data.dim);
      std::int64_t& value = values[at[p].first][at[p].second];
      if (use.access == WRITE) value = use.way == Way::direct ? changed : written;
      if (use.access == RW || use.access == INC) value = as_type(data.type, value + changed);
      if (use.access == MIN && less(data.type, changed, value)) value = changed;
      if (use.access == MAX && less(data.type, value, changed)) value = changed;
    }
  }
}

void RandomLoop::for_all_points(const std::function<void(const Point&, bool counts)>& visit) const {
  const std::size_t end = needs_exec_halo() ? sizes_[0][2] : sizes_[0][1];
  for (std::size_t e = 0; e < end; ++e) {
    if (subset_ &&
        !std::binary_search(subset_->begin(), subset_->end(), static_cast<std::int32_t>(e)))
      continue;
    for (int layer = 0; layer < std::max(1, static_cast<int>(layers_) - 1); ++layer)
      for (int i = 0; i < std::max<int>(1, static_cast<int>(extents_[0])); ++i)
        for (int j = 0; j < std::max<int>(1, static_cast<int>(extents_[1])); ++j)
          visit({e, layer, i, j}, e < sizes_[0][1]);
  }
}

RandomLoop::Values RandomLoop::expected() const {
  Values values;
  for (const Data& data : dats_) values.push_back(data.values);
  for (const Data& data : globals_) values.push_back(data.values);
  const Values old = values;
  for_all_points([&](const Point& point, bool counts) { call(values, old, point, counts); });
  return values;
}

namespace {

/// The floating-point number that stands for an integer, as a type has it.
double real(ScalarType type, std::int64_t number) {
  const double value = static_cast<double>(number) / 997;
  return type == ScalarType::f32 ? static_cast<double>(static_cast<float>(value)) : value;
}
long double epsilon(ScalarType type) {
  return type == ScalarType::f32 ? static_cast<long double>(std::numeric_limits<float>::epsilon())
                                 : std::numeric_limits<double>::epsilon();
}

}  // namespace

void RandomLoop::call(std::vector<std::vector<Real>>& reals, const Point& point,
                      bool counts) const {
  long double s = 1, magnitude = 1;
  std::size_t terms = 1;
  const auto add_term = [&](long double term) {
    s += term;
    magnitude += std::abs(term);
    ++terms;
  };
  if (extents_[0] > 0) add_term(point.i);
  if (extents_[1] > 0) add_term(2 * point.j);
  for (const Use& use : uses_) {
    if (use.access != READ) continue;
    const Data& data = data_of(use);
    const auto at = places(use, point);
    for (std::size_t p = 0; p < at.size(); ++p)
      add_term(static_cast<long double>(p % 3 + 1) * real(data.type, data.values[at[p].second]));
  }
  for (const Use& use : uses_) {
    if (use.access == READ || (use.way == Way::global && !counts)) continue;
    const Data& data = data_of(use);
    const auto at = places(use, point);
    for (std::size_t p = 0; p < at.size(); ++p) {
      const auto weight = static_cast<long double>(p % 3 + 1);
      Real& target = reals[at[p].first][at[p].second];
      const Real addend{
          s + weight, magnitude + weight, 1,
          static_cast<long double>(terms + 4) * epsilon(data.type) * (magnitude + weight)};
      if (use.access == WRITE && use.way != Way::direct) {
        const std::size_t k = use.way == Way::flat ? p / maps_[use.map].arity : p % data.dim;
        target = {static_cast<long double>(k), 0, 0, 0};
      } else if (use.access == WRITE) {
        target = addend;
      } else if (use.access == RW || use.access == INC) {
        target.value += addend.value;
        target.magnitude += addend.magnitude;
        ++target.addends;
        target.bound = static_cast<long double>(target.addends + terms + 4) * epsilon(data.type) *
                       target.magnitude;
      } else {
        // An extreme is off by no more than the worst of what it is taken of.
        const bool is_new =
            use.access == MIN ? addend.value < target.value : addend.value > target.value;
        if (is_new) target.value = addend.value;
        target.bound = std::max(target.bound, addend.bound);
      }
    }
  }
}

std::vector<std::vector<RandomLoop::Real>> RandomLoop::expected_reals() const {
  std::vector<std::vector<Real>> reals;
  for (const auto* list : {&dats_, &globals_})
    for (const Data& data : *list) {
      auto& made = reals.emplace_back();
      for (const std::int64_t number : data.values) {
        const long double value = real(data.type, number);
        made.push_back({value, std::abs(value), 1, 0});
      }
    }
  for_all_points([&](const Point& point, bool counts) { call(reals, point, counts); });
  return reals;
}

RandomLoop::Values RandomLoop::run(const Mesh::Options& options, const Parameters& form) const {
  return run_as<std::int64_t>(options, form);
}
std::vector<std::vector<double>> RandomLoop::run_reals(const Mesh::Options& options,
                                                       const Parameters& form) const {
  return run_as<double>(options, form);
}

template <class Number>
std::vector<std::vector<Number>> RandomLoop::run_as(const Mesh::Options& options,
                                                    const Parameters& form) const {
  Mesh mesh(options);
  use_form(mesh, form);
  return run_on<Number>(mesh, nullptr);
}

PlainMesh RandomLoop::whole() const {
  PlainMesh mesh;
  for (const auto& sizes : sizes_) mesh.sizes.push_back(sizes[3]);
  for (const auto& map : maps_) mesh.maps.push_back({0, map.to, map.arity, map.values});
  return mesh;
}

std::vector<std::pair<std::size_t, std::size_t>> RandomLoop::dats() const {
  std::vector<std::pair<std::size_t, std::size_t>> all;
  for (const Data& data : dats_) all.emplace_back(data.set, data.dim);
  return all;
}

template <class Number>
std::vector<std::vector<Number>> RandomLoop::run_on(Mesh& mesh, const PlainPart* part) const {
  std::vector<Set> sets;
  for (std::size_t set = 0; set < 3; ++set) {
    static constexpr const char* names[] = {"own", "one", "other"};
    sets.push_back(part == nullptr ? mesh.set(names[set], sizes_[set])
                                   : mesh.set(names[set], SetPart(part->sets[set])));
  }
  std::vector<Map> maps;
  for (std::size_t m = 0; m < maps_.size(); ++m)
    maps.push_back(mesh.map("map", sets[0], sets[maps_[m].to], maps_[m].arity,
                            part == nullptr ? maps_[m].values : part->maps[m], maps_[m].offsets));
  const auto raw = [this](const Data& data, const std::vector<std::int64_t>& values) {
    return with_type(data.type, [&](auto zero) {
      std::vector<std::byte> bytes(values.size() * sizeof zero);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto value = real_ ? static_cast<decltype(zero)>(real(data.type, values[i]))
                                 : static_cast<decltype(zero)>(values[i]);
        std::memcpy(bytes.data() + i * sizeof zero, &value, sizeof zero);
      }
      return bytes;
    });
  };
  std::vector<Dat> dats;
  for (const auto& data : dats_) {
    const auto values =
        part == nullptr ? data.values : local_values(data.values, part->sets[data.set], data.dim);
    dats.push_back(mesh.dat("dat", DataSet(sets[data.set], data.dim), data.type,
                            raw(data, values).data(), values.size(), data.layout));
    if (part != nullptr)
      with_type(data.type, [&](auto zero) { dats.back().template write<decltype(zero)>(); });
  }
  std::vector<Global> globals;
  for (const auto& data : globals_)
    globals.push_back(
        mesh.global("global", data.type, raw(data, data.values).data(), data.values.size()));
  std::vector<Arg> arguments;
  for (const Use& use : uses_) {
    if (use.way == Way::global) {
      arguments.push_back(arg(globals[use.data], use.access));
      continue;
    }
    const Dat& dat = dats[use.data];
    const Map& map = maps[use.map];
    arguments.push_back(use.way == Way::direct      ? arg(dat, use.access)
                        : use.way == Way::component ? arg(dat, map[use.number], use.access)
                        : use.way == Way::index     ? arg(dat, map[index(use.number)], use.access)
                        : use.way == Way::flat      ? arg(dat, map, use.access).flatten()
                                                    : arg(dat, map, use.access));
  }
  const Kernel kernel(text(), "k");
  std::optional<Indices> subset = subset_;
  if (subset && part != nullptr) {
    subset->clear();
    const auto& numbers = part->sets[0].numbers;
    for (std::size_t e = 0; e < numbers.size(); ++e)
      if (std::ranges::binary_search(*subset_, static_cast<std::int32_t>(numbers[e])))
        subset->push_back(static_cast<std::int32_t>(e));
  }
  const Iteration over = layers_ > 0 ? Iteration(sets[0].extruded(layers_))
                         : subset    ? Iteration(sets[0].subset(*subset))
                                     : Iteration(sets[0]);
  par_loop(kernel, over, std::span<const Arg>(arguments));
  std::vector<std::vector<Number>> values;
  for (const Dat& dat : dats)
    with_type(dat.type(), [&](auto zero) {
      const auto found = dat.read<decltype(zero)>();
      values.emplace_back(found.begin(), found.end());
    });
  for (const Global& global : globals)
    with_type(global.type(), [&](auto zero) {
      const auto found = global.values<decltype(zero)>();
      values.emplace_back(found.begin(), found.end());
    });
  const auto reports = mesh.report();
  lanes_ = reports.empty() ? 0 : reports[0].lanes;
  return values;
}

}  // namespace kiln::mesh::testing
