#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "kernel/runtime.hpp"
#include "schedule/graph_plan/planned_graph.hpp"
#include "schedule/graph_work/kernel_work.hpp"

/// Graphs of small kernels, and what each of their values must be.
namespace kiln::graph {

inline constexpr const char* text = R"(
kernel void add(global const uint* a, global const uint* b, global uint* sum) {
  const size_t i = get_global_id(0);
  sum[i] = a[i] * 3 + b[i];
}
// Takes some microseconds longer or not, so that commands end in other orders each time.
kernel void scramble(global uint* a, uint by) {
  const size_t i = get_global_id(0);
  if (i == 0)
    for (volatile uint wait = 0; wait < by % 8 * 4000; ++wait) {
    }
  a[i] = (a[i] ^ by) * 2654435761u + 1;
}
kernel void mix_with(global uint* a, global const uint* b) {
  const size_t i = get_global_id(0);
  a[i] = a[i] * 5 + b[i];
}
kernel void half_only(global const uint* a, global uint* out) {
  const size_t i = get_global_id(0);
  if (i % 2 == 0) out[i] = a[i] + 7;
}
)";
inline constexpr std::size_t count = 1024, bytes = count * sizeof(std::uint32_t);
using Contents = std::vector<std::uint32_t>;

/// Two halves of the processor, or what there is.
inline Runtime two_devices() {
  return Runtime(std::make_shared<Runtime::State>(nullptr, "cpu", Runtime::State::Single::halved));
}

class Kernels {
 public:
  explicit Kernels(const Runtime& runtime, const char* of = text) : runtime_(runtime) {
    source_ = value_or_throw(from_text(of, "kernels.cl", {}));
  }
  WorkPtr work(const std::string& name, std::vector<Access> accesses,
               std::optional<std::uint32_t> scalar = {}, std::size_t items = count,
               std::size_t rows = 1) const {
    Job job;
    job.request.family = "source";
    job.request.source = source_;
    job.request.label = name;
    job.kernel = name;
    for (const Access access : accesses) {
      BufferArgument buffer;
      buffer.access = access;
      buffer.data = {static_cast<std::byte*>(nullptr), bytes};
      buffer.element_bytes = 4;
      job.arguments.push_back(buffer);
    }
    if (scalar) {
      const auto* begin = reinterpret_cast<const std::byte*>(&*scalar);
      job.arguments.push_back(ScalarArgument{{begin, begin + sizeof *scalar}});
    }
    job.range = {rows > 1 ? 2u : 1u, {items, rows, 1}, {items < 64 ? 8u : 64u, 1, 1}, {0, 0, 0}};
    auto& state = runtime_.state();
    return std::make_shared<KernelWork>(std::move(job), state.resolver(), state.queues().front());
  }

 private:
  Runtime runtime_;
  SourcePtr source_;
};

/// A graph and what each of its values must be, worked out on the host task by task.
struct Model {
  WorkGraph graph;
  std::vector<Contents> contents;  ///< by value
  std::vector<HostArray> inputs;
  std::vector<ValueId> results;
};

inline HostArray array_of(const Contents& contents) {
  return HostArray::copy_of(
      {reinterpret_cast<const std::byte*>(contents.data()), contents.size() * 4});
}

class ModelMaker {
 public:
  explicit ModelMaker(const Kernels& kernels) : kernels_(kernels) { made_.inputs.reserve(16); }

  ValueId input(std::uint32_t seed) {
    Contents contents(count);
    for (std::size_t i = 0; i < count; ++i)
      contents[i] = static_cast<std::uint32_t>(i * 2654435761u + seed);
    made_.inputs.push_back(array_of(contents));
    const ValueId value = made_.graph.add_input(made_.inputs.back());
    note(value, std::move(contents));
    return value;
  }
  ValueId add(ValueId a, ValueId b, std::uint32_t device = none) {
    Contents sum(count);
    for (std::size_t i = 0; i < count; ++i) sum[i] = of(a)[i] * 3 + of(b)[i];
    return task("add", {Access::in, Access::in, Access::out}, {a, b, none}, 2, sum, {}, device);
  }
  ValueId mix(ValueId a, std::uint32_t by, std::uint32_t device = none) {
    Contents mixed(count);
    for (std::size_t i = 0; i < count; ++i) mixed[i] = (of(a)[i] ^ by) * 2654435761u + 1;
    return task("scramble", {Access::inout}, {a}, 0, mixed, by, device);
  }
  ValueId mix_with(ValueId a, ValueId b) {
    Contents mixed(count);
    for (std::size_t i = 0; i < count; ++i) mixed[i] = of(a)[i] * 5 + of(b)[i];
    return task("mix_with", {Access::inout, Access::in}, {a, b}, 0, mixed, {}, none);
  }
  ValueId half_only(ValueId a) {
    Contents half(count);
    for (std::size_t i = 0; i < count; i += 2) half[i] = of(a)[i] + 7;
    return task("half_only", {Access::in, Access::out}, {a, none}, 1, half, {}, none);
  }
  void keep(ValueId value) {
    made_.graph.keep(value);
    made_.results.push_back(value);
  }
  const Contents& of(ValueId value) const { return made_.contents[value]; }
  Model& made() { return made_; }

 private:
  void note(ValueId value, Contents contents) {
    if (made_.contents.size() <= value) made_.contents.resize(value + 1);
    made_.contents[value] = std::move(contents);
  }
  ValueId task(const std::string& name, const std::vector<Access>& accesses,
               const std::vector<ValueId>& reads, std::size_t written, const Contents& becomes,
               std::optional<std::uint32_t> scalar, std::uint32_t device) {
    const Task task =
        made_.graph.add(kernels_.work(name, accesses, scalar), reads, {.device = device});
    const ValueId value = made_.graph.written(task, written);
    note(value, becomes);
    return value;
  }
  const Kernels& kernels_;
  Model made_;
};

inline void expect_results(const PlannedGraph& planned, const Model& model,
                           const std::string& what) {
  for (const ValueId value : model.results) {
    const ByteView found = planned.executable().result(value);
    ASSERT_EQ(found.size(), bytes);
    EXPECT_EQ(std::memcmp(found.data(), model.contents[value].data(), bytes), 0)
        << what << ", value " << value;
  }
}

/// Kinds of devices for random_model(): 0 share the host's memory, 1 have their own, 2 are of other
/// contexts, too, 3 have room for little more than a task with three values, and of 4 one has its
/// own.
inline constexpr int device_kinds = 5;
inline PlanOptions options_for(int kind, unsigned seed) {
  PlanOptions options;
  options.as_if_apart = kind >= 1 && kind <= 3;
  options.is_first_apart = kind == 4;
  options.as_if_foreign = kind == 2;
  if (kind == 3) options.memory_limit = 3 * bytes * 12 / 10;
  // Transfers in queues of their own, or along with the tasks.
  if (seed % 2 == 0) options.lane_transfer_bytes = 0;
  return options;
}

/// Runs a model's graph three times, one of them with times.
inline void expect_runs(const Runtime& runtime, Model& model, const PlanOptions& options,
                        const std::string& what) {
  PlannedGraph planned(runtime, std::move(model.graph), options);
  for (int run = 0; run < 3; ++run) {
    planned.run({.takes_times = run == 1});
    expect_results(planned, model, what);
  }
}

/// Any graph of these kernels; values are read late and early, changed in place by several.
inline Model random_model(const Kernels& kernels, unsigned seed, std::size_t tasks, bool pins) {
  std::mt19937 random(seed);
  ModelMaker make(kernels);
  std::vector<ValueId> values{make.input(seed), make.input(seed + 1)};
  const auto any = [&] {
    // Mostly a young one.
    const std::size_t back = random() % std::min<std::size_t>(values.size(), 6);
    return random() % 5 == 0 ? values[random() % values.size()] : values[values.size() - 1 - back];
  };
  for (std::size_t i = 0; i < tasks; ++i) {
    const std::uint32_t device = pins && random() % 3 == 0 ? random() % 2 : none;
    switch (random() % 4) {
      case 0:
        values.push_back(make.add(any(), any(), device));
        break;
      case 1:
        values.push_back(make.mix(any(), static_cast<std::uint32_t>(random()), device));
        break;
      case 2:
        values.push_back(make.mix_with(any(), any()));
        break;
      default:
        values.push_back(make.half_only(any()));
    }
    if (random() % 6 == 0) make.keep(values.back());
  }
  make.keep(values.back());
  return std::move(make.made());
}

}  // namespace kiln::graph
