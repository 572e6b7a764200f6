// Loops in a record of calls: written, checked when read, and their programs built.
#include "mesh/loop/recorded_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/data/text.hpp"
#include "mesh/codegen/layout.hpp"
#include "mesh/codegen/loop_generator.hpp"
#include "mesh/loop/lane_trial.hpp"
#include "mesh/loop/made_loop.hpp"
#include "mesh/model/basics.hpp"

namespace kiln::mesh {
namespace {

// Of pointers and components that text is written for: more is no loop, but a lot of text.
constexpr std::int64_t most_components = 1 << 16;

void check(bool is_good, std::size_t argument, const char* what) {
  if (!is_good) refuse("'argument {}': no loop has such {}", argument, what);
}

/// A record may have every number: those that no call could have left would lead outside of lists.
void check_argument(const ArgShape& a, std::size_t i, const std::vector<int>& extents) {
  using Via = ArgShape::Via;
  const auto index_fits = [&](int index, int arity) {
    return index >= 0 && index < static_cast<int>(extents.size()) &&
           extents[static_cast<std::size_t>(index)] == arity;
  };
  check(a.kind <= ArgShape::Kind::mat, i, "kind");
  check(a.type <= ScalarType::f64, i, "type");
  check(a.access <= Access::max, i, "access");
  check(a.via <= Via::index, i, "way to its elements");
  check(a.dim >= 1 && a.column_dim >= 1 && a.arity >= 0 && a.column_arity >= 0, i, "sizes");
  std::int64_t components = 1;
  for (const int factor :
       {a.dim, a.column_dim, std::max(a.arity, 1), std::max(a.column_arity, 1)}) {
    components *= factor;
    check(components <= most_components, i, "sizes");
  }
  check((a.via == Via::direct) == (a.map < 0), i, "map");
  check(a.map < 0 || a.arity >= 1, i, "map");
  check(a.via != Via::component || (a.component >= 0 && a.component < a.arity), i, "component");
  check(a.via != Via::index || index_fits(a.index, a.arity), i, "index");
  check((a.pair >= 0) == (a.kind == ArgShape::Kind::dat && a.map >= 0), i, "pair");
  if (a.kind == ArgShape::Kind::mat) {
    check(a.map >= 0 && a.column_map >= 0 && a.column_arity >= 1, i, "maps");
    check(a.via == Via::all || a.via == Via::index, i, "way to its elements");
    check((a.via == Via::index) == (a.column_index >= 0), i, "index");
    check(a.column_index < 0 || index_fits(a.column_index, a.column_arity), i, "index");
  } else {
    check(a.column_map < 0, i, "maps");
    check(a.kind == ArgShape::Kind::dat || a.map < 0, i, "map");
  }
}

void check_shape(const LoopShape& shape) {
  for (const auto& c : shape.constants)
    if (c.type > ScalarType::f64 || c.dim < 1 || c.dim > most_components)
      refuse("'constant': no loop has such a {}", one_line(c.name));
  if (shape.extents.size() > 2) refuse("'extents': expected two at most");
  for (std::size_t i = 0; i < shape.arguments.size(); ++i)
    check_argument(shape.arguments[i], i, shape.extents);
  if (numbered_by_first_occurrence(shape).arguments != shape.arguments)
    refuse("'argument': expected numbers by first occurrence");
  if (with_used_constants(shape).constants != shape.constants)
    refuse("'constant': expected those alone that the text has");
}

void fields(FactFields& to, RecordedLoop& loop) {
  fields(to, loop.shape);
  to.integer("elements", loop.elements, 0, std::numeric_limits<std::int32_t>::max());
  if (to.reads()) check_shape(loop.shape);
}

/// The ranges that launches will have, as far as they decide on variants.
std::vector<KernelVariant> variants_of(const LoopShape& shape, const Parameters& parameters,
                                       std::int64_t elements, const Device& device) {
  const LoopCut cut(parameters, device.compute_units);
  const std::size_t groups =
      std::max<std::size_t>(cut.groups_for(static_cast<std::size_t>(elements)), 1);
  std::vector<KernelVariant> wanted{variant_of(loop_kernel(shape), cut.range_of(groups))};
  // A colour has any part of all.
  const auto small = variant_of(loop_kernel(shape), cut.range_of(1));
  if (needs_plan(shape, cut.form) && !(small.variant == wanted.front().variant))
    wanted.push_back(small);
  if (!fold_parameters(shape).empty())
    wanted.push_back(variant_of(fold_kernel(shape), LoopCut::range_of(1, fold_group(parameters))));
  return wanted;
}

}  // namespace

RecordedCall recorded_call(const RecordedLoop& loop, const Device& device, std::size_t bytes) {
  RecordedCall call;
  call.kind = "loop";
  call.name = loop.shape.kernel;
  call.facts = to_facts(loop, fields);
  call.devices.push_back(RecordedDevice::of(device));
  call.bytes = static_cast<double>(bytes);
  return call;
}

Expected<RecordedLoop> recorded_loop_of(const RecordedCall& recorded) {
  return from_facts<RecordedLoop>(recorded.facts, fields);
}

Explanation build_recorded(const RecordedLoop& loop, Resolver& resolver, const DevicePtr& device) {
  Request request = make_request(loop.shape, loop_device_of(*device), loop.elements);
  const ChosenParameters chosen = resolver.choose(request, *device);
  const Parameters parameters =
      with_block(chosen.parameters, loop.shape, loop.elements, device->compute_units);
  const auto context = Context::create({device});  // owns the program
  Explanation explanation;
  explanation.notes = find_lanes(request, parameters, resolver, context, device).notes;
  resolver.resolve(request, chosen, context, device,
                   variants_of(loop.shape, parameters, loop.elements, *device), &explanation);
  return explanation;
}

}  // namespace kiln::mesh
