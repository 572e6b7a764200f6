// Loops on the device as the runtime starts them: arguments by loop_parameters, a launch a colour.
#include <cstdlib>

#include "device/context.hpp"
#include "kernel/resolver/resolver.hpp"
#include "mesh/codegen/loop_data.hpp"
#include "mesh/loop/lane_trial.hpp"
#include "mesh/plan/mesh_plan.hpp"

namespace kiln::mesh::testing {
namespace {

using Kind = KernelParameter::Kind;

class Machine {
 public:
  static Machine& get() {
    static auto& machine = *new Machine;
    return machine;
  }
  Machine()
      : device(value_or_throw(select_devices(selected())).front()),
        context(Context::create({device})),
        queue(context, device),
        resolver(nullptr, CompilePolicy::here) {
    resolver.add(std::make_unique<LoopGenerator>());
  }
  cl::Buffer buffer(const void* bytes, std::size_t size) {
    // No buffer is empty; one more element shows nothing that a loop should not touch.
    cl::Buffer made(context->cl(), CL_MEM_READ_WRITE, std::max<std::size_t>(size, 16));
    if (size > 0) queue.cl().enqueueWriteBuffer(made, CL_TRUE, 0, size, bytes);
    return made;
  }
  template <class T>
  cl::Buffer buffer(const std::vector<T>& of) {
    return buffer(of.data(), of.size() * sizeof(T));
  }
  void read(const cl::Buffer& from, Raw& to) {
    if (!to.empty()) queue.cl().enqueueReadBuffer(from, CL_TRUE, 0, to.size(), to.data());
  }
  /// KILN_TEST_DEVICE names another device: a GPU, or oclgrind's, which finds races.
  static std::string selected() {
    const char* device = std::getenv("KILN_TEST_DEVICE");
    return device == nullptr ? "cpu" : device;
  }
  DevicePtr device;
  ContextPtr context;
  Queue queue;
  Resolver resolver;
};

constexpr int block_size = 12;

PlanPtr plan_of(const LoopShape& shape, Form form, const LoopData& data) {
  if (form == Form::atomic || (form != Form::staged && !has_conflicts(shape))) return nullptr;
  PlanInput input;
  input.begin = static_cast<std::size_t>(data.begin);
  input.size = static_cast<std::size_t>(data.end - data.begin);
  input.set_size = static_cast<std::size_t>(data.set_size == 0 ? data.end : data.set_size);
  if (shape.subset) input.subset = data.subset;
  input.block_size = block_size;
  input.scheme = form == Form::blocks   ? Scheme::blocks
                 : form == Form::staged ? Scheme::staged
                                        : Scheme::permuted;
  for (std::size_t i = 0; i < data.maps.size(); ++i) {
    std::size_t arity = 1;
    for (const auto& a : shape.arguments) {
      if (a.map == static_cast<int>(i)) arity = static_cast<std::size_t>(a.arity);
      if (a.column_map == static_cast<int>(i)) arity = static_cast<std::size_t>(a.column_arity);
    }
    input.maps.push_back({data.maps[i], arity, data.targets[i], i + 1, 0});
  }
  if (form == Form::staged) input.pairs = plan_pairs(shape);
  input.conflicts = plan_conflicts(shape);
  return build_plan(input);
}

struct Launches {
  const LoopShape& shape;
  const Parameters& parameters;
  LoopData& data;
  Machine& machine = Machine::get();
  MeshPlan plan{};
  std::map<std::pair<Kind, int>, cl::Buffer> buffers{};
  int slots = 0;

  std::size_t group() const {
    return form_of(parameters) == Form::blocks
               ? 1
               : static_cast<std::size_t>(parameters.get("GROUP", 1));
  }
  cl::Buffer& keep(Kind kind, int number, cl::Buffer made) {
    return buffers[{kind, number}] = std::move(made);
  }
  void make_buffers();
  void set(cl::Kernel& kernel, const std::vector<KernelParameter>& list, int first, int last);
  void launch(cl::Kernel& kernel, int first, int last);
  void run();
};

void Launches::make_buffers() {
  for (auto& [n, bytes] : data.dats) keep(Kind::dat, n, machine.buffer(bytes));
  for (auto& [n, bytes] : data.globals) {
    keep(Kind::global, n, machine.buffer(bytes));
    keep(Kind::global_result, n, machine.buffer(bytes));
    keep(Kind::partials, n, machine.buffer(Raw(bytes.size() * 4096)));
  }
  for (auto& [n, bytes] : data.mats) {
    keep(Kind::mat_values, n, machine.buffer(bytes));
    keep(Kind::mat_rowptr, n, machine.buffer(data.sparsities[n].rowptr));
    keep(Kind::mat_colidx, n, machine.buffer(data.sparsities[n].colidx));
  }
  for (std::size_t i = 0; i < data.maps.size(); ++i)
    keep(Kind::map, static_cast<int>(i), machine.buffer(data.maps[i]));
  for (std::size_t i = 0; i < data.offsets.size(); ++i)
    keep(Kind::map_offset, static_cast<int>(i), machine.buffer(data.offsets[i]));
  for (std::size_t i = 0; i < data.constants.size(); ++i)
    keep(Kind::constant, static_cast<int>(i), machine.buffer(data.constants[i]));
  keep(Kind::subset, 0, machine.buffer(data.subset));
  const auto array = [&](Kind kind, const auto& span) {
    keep(kind, 0, machine.buffer(span.data(), span.size_bytes()));
  };
  if (!plan) return;
  array(Kind::blkmap, plan.blkmap);
  array(Kind::order, plan.order);
  array(Kind::ind_map, plan.ind_map);
  array(Kind::ind_sizes, plan.ind_sizes);
  array(Kind::ind_offsets, plan.ind_offs);
  array(Kind::element_colours, plan.thrcol);
  array(Kind::colour_counts, plan.nthrcol);
  if (plan.scheme() != Scheme::staged) return;
  array(Kind::loc_map, plan.loc_map);
}

void Launches::set(cl::Kernel& kernel, const std::vector<KernelParameter>& list, int first,
                   int last) {
  const bool coloured = form_of(parameters) == Form::coloured && plan;
  cl_uint at = 0;
  for (const auto& p : list) {
    const cl_uint i = at++;
    switch (p.kind) {
      case Kind::dat_stride:
        kernel.setArg(i, cl_long{data.strides.at(p.number)});
        break;
      case Kind::begin:
        kernel.setArg(i, coloured ? first : data.begin);
        break;
      case Kind::end:
        kernel.setArg(i, coloured ? last : data.end);
        break;
      case Kind::layers:
        kernel.setArg(i, data.layers);
        break;
      case Kind::block_size:
        kernel.setArg(i, block_size);
        break;
      case Kind::first_block:
        kernel.setArg(i, first);
        break;
      case Kind::first_partial:
        kernel.setArg(i, slots);
        break;
      case Kind::partial_count:
        kernel.setArg(i, slots);
        break;
      case Kind::local_bytes:
        kernel.setArg(i, cl::Local(plan.nshared() + 16));
        break;
      case Kind::constant:
        if (shape.constants[static_cast<std::size_t>(p.number)].scalar) {
          const Raw& bytes = data.constants[static_cast<std::size_t>(p.number)];
          kernel.setArg(i, bytes.size(), bytes.data());
          break;
        }
        [[fallthrough]];
      default:
        kernel.setArg(i, buffers.at({p.kind, p.number}));
    }
  }
}

void Launches::launch(cl::Kernel& kernel, int first, int last) {
  const Form form = form_of(parameters);
  const bool by_block = form == Form::blocks || form == Form::staged;
  const std::size_t groups = by_block ? static_cast<std::size_t>(last - first) : 3;
  if (groups == 0) return;
  set(kernel, loop_parameters(shape, parameters), first, last);
  machine.queue.cl().enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(groups * group()),
                                          cl::NDRange(group()));
  machine.queue.cl().finish();
  slots += static_cast<int>(groups);
}

void Launches::run() {
  Request request = make_request(shape, {}, data.end - data.begin);
  find_lanes(request, parameters, machine.resolver, machine.context, machine.device);
  const Program& program =
      machine.resolver.resolve(request, {parameters, "trial", ""}, machine.context, machine.device);
  plan = MeshPlan();
  if (const PlanPtr made = plan_of(shape, form_of(parameters), data)) plan = MeshPlan(made);
  make_buffers();
  cl::Kernel kernel(program.cl(), loop_kernel(shape).c_str());
  if (plan)
    for (std::size_t c = 0; c < plan.ncolors(); ++c)
      launch(kernel, plan.color_offs[c], plan.color_offs[c + 1]);
  else
    launch(kernel, 0, (data.end - data.begin + block_size - 1) / block_size);
  if (const auto list = fold_parameters(shape); !list.empty()) {
    cl::Kernel fold(program.cl(), fold_kernel(shape).c_str());
    set(fold, list, 0, 0);
    const cl::NDRange range(fold_group(parameters));
    machine.queue.cl().enqueueNDRangeKernel(fold, cl::NullRange, range, range);
    machine.queue.cl().finish();
    for (const auto& p : list)
      if (p.kind == Kind::global_result)
        machine.read(buffers.at({p.kind, p.number}), data.globals.at(p.number));
  }
  for (auto& [n, bytes] : data.dats) machine.read(buffers.at({Kind::dat, n}), bytes);
  for (auto& [n, bytes] : data.mats) machine.read(buffers.at({Kind::mat_values, n}), bytes);
}

}  // namespace

void run_loop(const LoopShape& shape, const Parameters& parameters, LoopData& data) {
  Launches{shape, parameters, data}.run();
}

}  // namespace kiln::mesh::testing
