// Which forms a loop can have, which one by default, and its Request.
#include "mesh/codegen/loop_generator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "mesh/codegen/element_text.hpp"
#include "mesh/codegen/loop_text.hpp"
#include "mesh/model/loop_shape.hpp"

namespace kiln::mesh {
namespace {

// Raised when the text for some Request changes.
constexpr std::int64_t text_version = 11;

constexpr std::int64_t coloured_elements = 1 << 16;

/// Elements at once, in either precision. A group has an address for each target of each element;
/// beyond so few the registers overflow, however narrow the numbers are.
constexpr std::int64_t usual_lanes = 8;

bool all_floating(const LoopShape& shape) {
  return std::ranges::all_of(shape.arguments,
                             [](const ArgShape& a) { return is_floating(a.type); });
}

/// Whether each conflict can be settled by an atomic addition.
bool atomics_do(const LoopShape& shape, bool wide_atomics) {
  const auto conflicts = conflicting_arguments(shape);
  return std::ranges::all_of(conflicts, [&](int i) {
    const ArgShape& a = shape.arguments[static_cast<std::size_t>(i)];
    const std::size_t bytes = size_of(a.type);
    return a.access == Access::inc && (bytes == 4 || (bytes == 8 && wide_atomics));
  });
}

/// Numbers of an argument that an element has.
std::int64_t numbers_of(const ArgShape& a) {
  const std::int64_t targets = a.via == ArgShape::Via::direct || a.via == ArgShape::Via::component
                                   ? 1
                                   : std::max(a.arity, 1);
  const std::int64_t columns =
      a.kind == ArgShape::Kind::mat ? std::int64_t{a.column_dim} * std::max(a.column_arity, 1) : 1;
  return targets * columns * a.dim;
}

/// Whether additions of 8 bytes to shared places are what takes long on a GPU, rather than moving
/// data: an H200 does 88e9 of them a second, and in the order of colours it moves 1.0 to 1.5 TB/s.
/// What lies behind a Map is counted half, since elements share it.
bool adds_much(const LoopShape& shape) {
  const auto conflicts = conflicting_arguments(shape);
  std::int64_t additions = 0, bytes = 0;
  std::set<std::pair<int, int>> columns;
  for (std::size_t i = 0; i < shape.arguments.size(); ++i) {
    const ArgShape& a = shape.arguments[i];
    if (a.kind == ArgShape::Kind::global) continue;
    const std::int64_t size = numbers_of(a) * static_cast<std::int64_t>(size_of(a.type));
    const bool once = a.access == Access::read || a.access == Access::write;
    const bool shared = a.via != ArgShape::Via::direct;
    bytes += size * (once ? 1 : 2) / (shared ? 2 : 1);
    if (a.via == ArgShape::Via::component) columns.insert({a.map, a.component});
    for (int c = 0; shared && a.via != ArgShape::Via::component && c < a.arity; ++c)
      columns.insert({a.map, c});
    const bool conflicts_here =
        std::ranges::find(conflicts, static_cast<int>(i)) != conflicts.end();
    if (conflicts_here && size_of(a.type) == 8) additions += numbers_of(a);
  }
  bytes += 4 * static_cast<std::int64_t>(columns.size());
  return additions * 20 > bytes;
}

/// Whether the staged form has room for the loop: no matrices, iteration indices, columns or
/// indirect RW (its elements run at once), and no pair that is added to and used otherwise, too.
bool stages(const LoopShape& shape) {
  bool pairs = false, fits = !shape.extruded && shape.extents.empty();
  for (const auto& a : shape.arguments) {
    const bool indirect = a.via != ArgShape::Via::direct;
    pairs = pairs || (indirect && a.kind == ArgShape::Kind::dat);
    if (a.kind == ArgShape::Kind::mat || (indirect && a.access == Access::rw)) fits = false;
    for (const auto& b : shape.arguments)
      if (indirect && b.kind == a.kind && b.pair == a.pair && b.access != a.access) fits = false;
  }
  return pairs && fits;
}

/// Of an element's own data.
std::int64_t direct_bytes(const LoopShape& shape) {
  std::int64_t bytes = 0;
  for (const auto& a : shape.arguments)
    if (a.kind == ArgShape::Kind::dat && a.via == ArgShape::Via::direct)
      bytes += static_cast<std::int64_t>(size_of(a.type)) * a.dim;
  return bytes;
}

/// Whether STREAM does anything to the text.
bool can_stream(const LoopShape& shape) {
  return !shape.subset && std::ranges::any_of(shape.arguments, ElementText::streams);
}

}  // namespace

LoopDevice loop_device_of(const Device& device) {
  LoopDevice facts;
  facts.cpu = device.type == Device::Type::cpu;
  facts.nvidia = device.vendor.find("NVIDIA") != std::string::npos;
  facts.wide_atomics = device.handle.getInfo<CL_DEVICE_EXTENSIONS>().find(
                           "cl_khr_int64_base_atomics") != std::string::npos;
  // A virtual machine's few cores see the whole cache of a processor that others use as well.
  const auto all_caches =
      static_cast<std::int64_t>(device.handle.getInfo<CL_DEVICE_GLOBAL_MEM_CACHE_SIZE>());
  facts.cached = std::min<std::int64_t>(all_caches, std::int64_t{device.compute_units} << 23);
  facts.most_group = static_cast<int>(std::min<std::size_t>(device.max_work_group_size, 1024));
  return facts;
}

std::int64_t LoopGenerator::version() const { return text_version; }

Parameters LoopGenerator::defaults(const Request& request) const {
  const auto& [shape, device, non_temporal, on_vectors] = request.payload.as<LoopPayload>();
  if (device.cpu) {
    const std::int64_t lanes = all_floating(shape) ? usual_lanes : 1;
    // Where all is in the caches, non-temporal stores cost.
    return {{"FORM", 0}, {"LANES", lanes}, {"STREAM", std::int64_t{non_temporal}}};
  }
  const bool has_atomics = atomics_do(shape, device.wide_atomics);
  // A launch for each colour beats additions of 8 bytes to the same few places of memory, but only
  // where there is work enough for several launches.
  const bool colours =
      has_conflicts(shape) && adds_much(shape) && request.problem_size >= coloured_elements;
  if (has_atomics && !colours)
    return {{"FORM", 1}, {"GROUP", 128}, {"PTX", std::int64_t{device.nvidia}}};
  return {{"FORM", 2}, {"GROUP", 128}};
}

bool LoopGenerator::accepts(const Request& request, const Parameters& parameters) const {
  const auto within = [&](const char* name, std::int64_t least, std::int64_t most) {
    const std::int64_t value = parameters.get(name, least);
    return value >= least && value <= most;
  };
  const std::int64_t lanes = parameters.get("LANES", 1);
  if (!within("FORM", 0, 3) || !within("GROUP", 1, 1024) || !within("STREAM", 0, 1) ||
      !within("PTX", 0, 1) || !within("LOC32", 0, 1) || !within("BLOCK", 1, 1 << 24) ||
      (lanes != 1 && lanes != 4 && lanes != 8 && lanes != 16))
    return false;
  const auto& loop = request.payload.as<LoopPayload>();
  if (form_of(parameters) == Form::atomic) return atomics_do(loop.shape, loop.device.wide_atomics);
  if (form_of(parameters) == Form::staged) return stages(loop.shape);
  return true;
}

std::string LoopGenerator::generate(const Request& request, const Parameters& parameters) const {
  const auto& loop = request.payload.as<LoopPayload>();
  return loop_text(loop.shape, parameters, loop.on_vectors);
}

Facts facts_of(const LoopPayload& loop) {
  Facts facts = to_facts(loop.shape, fields, FactFields::Lists::repeated);
  facts.push_back({"cpu", std::int64_t{loop.device.cpu}});
  facts.push_back({"nvidia", std::int64_t{loop.device.nvidia}});
  facts.push_back({"wide_atomics", std::int64_t{loop.device.wide_atomics}});
  // An older name: Keys must stay.
  facts.push_back({"past_caches", std::int64_t{loop.non_temporal}});  // word: Keys have this name
  for (const BuiltIn& each : loop.on_vectors) facts.push_back({"on_vectors", each.name()});
  return facts;
}

Request make_request(const LoopShape& shape, const LoopDevice& device, std::int64_t problem_size) {
  if (numbered_by_first_occurrence(shape).arguments != shape.arguments ||
      with_used_constants(shape).constants != shape.constants)
    throw Error(Errc::internal, "a loop's shape is not in its normal form");
  Request request;
  const LoopGenerator generator;
  request.family = generator.family();
  request.version = generator.version();
  // What the caches would keep until the next loop reads it is better left in them. Where nothing
  // can be stored non-temporally a program is the same for any size.
  const bool non_temporal =
      device.cpu && can_stream(shape) && problem_size * direct_bytes(shape) > device.cached;
  request.payload = LoopPayload{shape, device, non_temporal};
  request.options = value_or_throw(build_options({}, {"-cl-std=CL1.2"}));
  // What decides on speed is the loop itself: equal loops share their records, others do not.
  std::string identity;
  for (const auto& f : request.payload.facts())
    if (const auto* text = std::get_if<std::string>(&f.value))
      identity += f.name + "=" + *text + "\n";
  request.problem_class =
      fmt::format("{}-{}", shape.kernel, blake2b(as_bytes(identity)).hex().substr(0, 16));
  request.problem_size = problem_size;
  request.label = shape.kernel;
  return request;
}

std::int64_t default_block(const LoopShape& shape, Form form, std::int64_t elements,
                           std::int64_t threads) {
  if (form == Form::staged) return 256;
  const std::int64_t each = elements / (threads * 16), most = has_conflicts(shape) ? 16384 : 8192;
  return std::clamp(each, std::int64_t{128}, most) / 64 * 64;
}

Parameters with_block(Parameters parameters, const LoopShape& shape, std::int64_t elements,
                      std::int64_t threads) {
  if (parameters.get("BLOCK", 0) == 0)
    parameters.set("BLOCK", default_block(shape, form_of(parameters), elements, threads));
  return parameters;
}

bool needs_plan(const LoopShape& shape, Form form) {
  return form == Form::staged ||
         (has_conflicts(shape) && (form == Form::blocks || form == Form::coloured));
}

std::size_t most_groups(std::size_t compute_units) { return compute_units * 64; }

std::vector<std::pair<std::string, std::vector<std::int64_t>>> space(const LoopShape& shape,
                                                                     const LoopDevice& device) {
  if (device.cpu) {
    std::vector<std::int64_t> lanes{1};
    if (all_floating(shape)) lanes = {1, 4, 8, 16};
    std::vector<std::int64_t> streams{0};
    if (can_stream(shape)) streams.push_back(1);
    return {{"FORM", {0}},
            {"LANES", lanes},
            {"STREAM", streams},
            {"BLOCK", {256, 512, 1024, 2048, 4096, 8192, 16384}}};
  }
  std::vector<std::int64_t> forms;
  if (atomics_do(shape, device.wide_atomics)) forms.push_back(1);
  if (has_conflicts(shape)) forms.push_back(2);
  if (stages(shape)) forms.push_back(3);
  if (forms.empty()) forms.push_back(2);
  std::vector<std::int64_t> groups;
  for (const std::int64_t group : {32, 64, 128, 256, 512})
    if (group <= device.most_group) groups.push_back(group);
  return {{"FORM", forms},
          {"GROUP", groups},
          {"PTX", {std::int64_t{device.nvidia}}},
          {"BLOCK", {128, 256, 512}}};
}

}  // namespace kiln::mesh
