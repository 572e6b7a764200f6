#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/families.hpp"
#include "kernel/runtime.hpp"
#include "schedule/graph_plan/planned_graph.hpp"
#include "schedule/graph_work/kernel_work.hpp"

namespace kiln::graph {

namespace families = graph_families;
/// A graph of a family, as Kiln takes it.
class KilnGraph {
 public:
  enum class Inputs : std::uint8_t {
    kept,   ///< a task that changes one changes a copy: all runs begin alike
    arrays  ///< Arrays of the application, which runs change
  };
  /// Tasks of the first `on_second` parts run on the second device, others on the first; none:
  /// where the plan says.
  KilnGraph(const families::Graph& graph, const Runtime& runtime, Inputs inputs,
            std::uint32_t on_second = none)
      : graph_(graph), runtime_(runtime), on_second_(on_second) {
    source_ = value_or_throw(from_text(families::kernel_text, "families.cl", {}));
    memory_.reserve(graph.buffers.size());
    current_.assign(graph.buffers.size(), none);
    array_.assign(graph.buffers.size(), none);
    for (std::uint32_t i = 0; i < graph.buffers.size(); ++i) {
      const auto& buffer = graph.buffers[i];
      if (buffer.contents == families::Contents::none) continue;
      HostArray memory = HostArray::undefined(buffer.bytes);
      families::fill(graph, i, reinterpret_cast<float*>(memory.data()));
      if (inputs == Inputs::arrays) {
        storage_.push_back(std::make_shared<ArrayStorage>(std::move(memory)));
        array_[i] = work_.add_array(storage_.back());
        current_[i] = work_.array_value(array_[i]);
      } else {
        memory_.push_back(graph_input(runtime, std::move(memory)));
        current_[i] = work_.add_input(memory_.back());
      }
    }
    for (const auto& task : graph.tasks) add(task);
    for (std::uint32_t i = 0; i < graph.buffers.size(); ++i)
      if (graph.buffers[i].is_result && array_[i] == none) work_.keep(current_[i]);
  }

  const WorkGraph& work() const { return work_; }
  WorkGraph take() { return std::move(work_); }

  std::uint64_t result_digest(const PlannedGraph& planned) const {
    std::uint64_t number = families::digest_start;
    for (std::uint32_t i = 0; i < graph_.buffers.size(); ++i) {
      const std::size_t bytes = graph_.buffers[i].bytes;
      if (!graph_.buffers[i].is_result) continue;
      number = families::digest(
          number,
          array_[i] == none
              ? planned.executable().result(current_[i]).data()
              : planned.work().arrays()[array_[i]].storage->on_host(ArrayStorage::HostUse::read),
          bytes);
    }
    return number;
  }

 private:
  void add(const families::Task& task) {
    std::vector<ValueId> reads;
    WorkGraph::TaskOptions options;
    if (on_second_ != none) options.device = task.part < on_second_ ? 1 : 0;
    for (const auto& access : task.accesses) {
      const bool is_output = access.mode == families::Mode::write;
      reads.push_back(is_output ? none : current_[access.buffer]);
      options.arrays.push_back(access.mode == families::Mode::read ? none : array_[access.buffer]);
    }
    const Task made = work_.add(work_of(task), reads, options);
    for (std::size_t i = 0; i < task.accesses.size(); ++i)
      if (task.accesses[i].mode != families::Mode::read)
        current_[task.accesses[i].buffer] = work_.written(made, i);
  }

  /// One for all tasks that differ in their data alone.
  WorkPtr work_of(const families::Task& task) {
    WorkPtr& work = works_[{task.kernel, task.scalars}];
    if (work) return work;
    const auto& kernel = graph_.kernels[task.kernel];
    Job job;
    job.request.family = "source";
    job.request.source = source_;
    job.request.label = job.kernel = kernel.name;
    for (const auto& access : task.accesses) {
      BufferArgument buffer;
      buffer.access = access.mode == families::Mode::read    ? Access::in
                      : access.mode == families::Mode::write ? Access::out
                                                             : Access::inout;
      buffer.data = {static_cast<std::byte*>(nullptr), graph_.buffers[access.buffer].bytes};
      buffer.element_bytes = sizeof(float);
      job.arguments.push_back(buffer);
    }
    for (const families::Scalar scalar : task.scalars) {
      const auto* begin = reinterpret_cast<const std::byte*>(&scalar);
      job.arguments.push_back(ScalarArgument{{begin, begin + sizeof scalar}});
    }
    job.range = {kernel.dimensions, kernel.global, kernel.local, {0, 0, 0}};
    work = std::make_shared<KernelWork>(std::move(job), runtime_.state().resolver(),
                                        graph_queue(runtime_));
    return work;
  }

  const families::Graph& graph_;
  Runtime runtime_;
  std::uint32_t on_second_;
  SourcePtr source_;
  WorkGraph work_;
  std::vector<HostArray> memory_;
  std::vector<std::shared_ptr<ArrayStorage>> storage_;
  std::vector<ValueId> current_;      ///< by buffer
  std::vector<std::uint32_t> array_;  ///< by buffer
  std::map<std::pair<std::uint32_t, std::vector<families::Scalar>>, WorkPtr> works_;
};

}  // namespace kiln::graph
