// Graphs of the public API: calls are noted in their order; a plan turns them into values and
// tasks.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "base/lifetime.hpp"
#include "graph/blas_work.hpp"
#include "graph/graph_plan.hpp"
#include "schedule/call_content.hpp"
#include "schedule/graph_work/kernel_work.hpp"
#include "spec/run/job.hpp"

namespace kiln {
namespace graph {

/// What one use of a call works on.
struct Operand {
  std::shared_ptr<ArrayStorage> storage;  ///< null: memory of the host that is only read
  std::span<std::byte> host;
};
struct Call {
  WorkPtr work;
  std::vector<Operand> operands;  ///< by use
  GraphTaskOptions options;
};

/// A function of the application.
class HostWork final : public Work {
 public:
  HostWork(Graph::HostFunction function, std::vector<Use> uses)
      : function_(std::move(function)), uses_(std::move(uses)) {}

  const std::string& name() const override { return name_; }
  const std::vector<Use>& uses() const override { return uses_; }
  const Bytes& kind() const override { return kind_; }
  std::unique_ptr<Runner> prepare(Resolver&, const Queue&) const override { return nullptr; }
  bool runs_on_host() const override { return true; }
  void run_on_host(std::span<const std::span<std::byte>> memory) const override {
    function_(memory);
  }

 private:
  Graph::HostFunction function_;
  std::vector<Use> uses_;
  std::string name_ = "function of the host";
  Bytes kind_;  // no time is kept of them
};

}  // namespace graph

using graph::Call;
using graph::Operand;

struct Graph::State {
  explicit State(const Runtime& of) : runtime(of) {}

  GraphTask note(graph::WorkPtr work, std::vector<Operand> operands,
                 const GraphTaskOptions& options) {
    for (const GraphTask& before : options.after)
      if (before.index >= calls.size())
        throw Error(Errc::bad_input, fmt::format("found task {} to come after, expected one of {}",
                                                 before.index, calls.size()));
    calls.push_back({std::move(work), std::move(operands), options});
    return {static_cast<std::uint32_t>(calls.size() - 1)};
  }
  /// Of the context of all the Runtime's graphs.
  const Queue& first_queue() {
    if (!first_queue_) first_queue_ = graph::graph_queue(runtime);
    return *first_queue_;
  }

  /// Memory of the application that some call writes is an Array, the same for all calls. Throws
  /// Error (bad_input) for a part of what another call writes.
  std::shared_ptr<ArrayStorage> written_memory(std::span<std::byte> memory) {
    if (auto known = written_by_others(memory)) return known;
    return host_memory[memory.data()] =
               std::make_shared<ArrayStorage>(HostArray::borrowed(memory, nullptr));
  }
  /// The same for memory that a call reads; null: no call writes it.
  std::shared_ptr<ArrayStorage> written_by_others(std::span<const std::byte> memory) const {
    for (const auto& [begin, storage] : host_memory) {
      const std::byte* const end = begin + storage->bytes();
      if (memory.data() == begin && memory.size() == storage->bytes()) return storage;
      if (memory.data() < end && begin < memory.data() + memory.size())
        throw Error(Errc::bad_input,
                    fmt::format("found {} bytes of the host's memory that overlap {} bytes which a "
                                "call writes, expected the same range or none of it",
                                memory.size(), storage->bytes()));
    }
    return nullptr;
  }

  Runtime runtime;
  std::vector<Call> calls;
  std::vector<std::shared_ptr<ArrayStorage>> own;   ///< made by array()
  std::vector<std::shared_ptr<ArrayStorage>> kept;  ///< by keep()
  /// Over memory of the application that calls write, by its address.
  std::map<const std::byte*, std::shared_ptr<ArrayStorage>> host_memory;
  std::map<cl_mem, std::shared_ptr<ArrayStorage>> placeholders;
  /// Who uses data that are not the graph's.
  struct Users {
    std::optional<GraphTask> writer;
    std::vector<GraphTask> readers;  ///< since then
  };
  std::map<const void*, Users> own_data;

 private:
  std::optional<Queue> first_queue_;
};

Graph::Graph(const Runtime& runtime) : state_(std::make_unique<State>(runtime)) {}
Graph::~Graph() = default;
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;

const Runtime& Graph::runtime() const { return held(state_, "Graph").runtime; }
void Graph::add_array(const ArrayBase& array) { state_->own.push_back(array.storage()); }
void Graph::keep(const ArrayBase& array) { held(state_, "Graph").kept.push_back(array.storage()); }

namespace {

const std::shared_ptr<ArrayStorage>& storage_of(const ArrayBase& array) {
  if (!array.storage())
    throw Error(Errc::bad_input, "found an Array without elements, expected one with some");
  return array.storage();
}

}  // namespace

GraphTask Graph::add(const KernelCall& call, const Range& range, const GraphTaskOptions& options) {
  State& state = held(state_, "Graph");
  CallContent content = content_of(call, range);
  if (&content.runtime.state() != &state.runtime.state())
    throw Error(Errc::bad_input, "found a kernel of another Runtime, expected one of the Graph's");
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < content.job.arguments.size(); ++i) {
    auto* buffer = std::get_if<BufferArgument>(&content.job.arguments[i]);
    if (buffer == nullptr) continue;
    Operand operand{content.arrays[i], buffer->data};
    if (!operand.storage && buffer->access != Access::in)
      operand.storage = state.written_memory(buffer->data);
    operands.push_back(std::move(operand));
    buffer->data = {static_cast<std::byte*>(nullptr), buffer->data.size()};
  }
  auto work = std::make_shared<graph::KernelWork>(
      std::move(content.job), state.runtime.state().resolver(), state.first_queue());
  return state.note(std::move(work), std::move(operands), options);
}

cl_mem Graph::memory(const ArrayBase& array) {
  State& state = held(state_, "Graph");
  const auto& storage = storage_of(array);
  auto* const placeholder = reinterpret_cast<cl_mem>(storage.get());
  state.placeholders[placeholder] = storage;
  return placeholder;
}

GraphTask Graph::add(const blas::Call& call, const GraphTaskOptions& options) {
  State& state = held(state_, "Graph");
  auto work = std::make_shared<graph::BlasWork>(call, state.runtime, [&](cl_mem memory) {
    const auto found = state.placeholders.find(memory);
    if (found == state.placeholders.end())
      throw Error(Errc::bad_input,
                  "found an operand with memory of its own, expected what Graph::memory() gives");
    return found->second->bytes();
  });
  std::vector<Operand> operands;
  for (const cl_mem memory : work->memory())
    operands.push_back({state.placeholders.at(memory), {}});
  return state.note(std::move(work), std::move(operands), options);
}

GraphTask Graph::add(const std::filesystem::path& file, const spec::Symbols& symbols,
                     const std::vector<ArrayBase>& buffers, const GraphTaskOptions& options) {
  State& state = held(state_, "Graph");
  const spec::Spec loaded = value_or_throw(spec::load_spec(file));
  const spec::BoundSpec bound = value_or_throw(spec::bind(loaded, symbols));
  Job job = value_or_throw(
      spec::make_job(loaded, bound, value_or_throw(spec::load_kernel_source(loaded, {}))));
  std::vector<Operand> operands;
  for (const auto& argument : bound.arguments) {
    if (!argument.is_buffer()) continue;
    if (operands.size() == buffers.size())
      throw Error(Errc::bad_input, fmt::format("{}: found {} Arrays, expected one for each buffer",
                                               file.string(), buffers.size()));
    const auto& storage = storage_of(buffers[operands.size()]);
    if (storage->bytes() != argument.bytes)
      throw Error(Errc::bad_input,
                  fmt::format("{}: argument {}: found an Array of {} bytes, expected {}",
                              file.string(), argument.position, storage->bytes(), argument.bytes));
    operands.push_back({storage, {}});
  }
  if (operands.size() != buffers.size())
    throw Error(Errc::bad_input, fmt::format("{}: found {} Arrays, expected {}", file.string(),
                                             buffers.size(), operands.size()));
  const std::string label = options.label.empty() ? loaded.name : options.label;
  auto work = std::make_shared<graph::KernelWork>(job, state.runtime.state().resolver(),
                                                  state.first_queue());
  spec::check_job_types(bound, job, state.runtime.state().resolver(), state.first_queue());
  GraphTaskOptions named = options;
  named.label = label;
  return state.note(std::move(work), std::move(operands), named);
}

GraphTask Graph::add_host(HostFunction function, const std::vector<HostUse>& uses,
                          const GraphTaskOptions& options) {
  State& state = held(state_, "Graph");
  if (!function) throw Error(Errc::bad_input, "found no function, expected one");
  std::vector<graph::Use> memory;
  std::vector<Operand> operands;
  for (const HostUse& use : uses) {
    const auto& storage = storage_of(use.array);
    const Access access = use.access == Access::derived ? Access::inout : use.access;
    memory.push_back({storage->bytes(), access, fmt::format("use {}", memory.size())});
    operands.push_back({storage, {}});
  }
  return state.note(std::make_shared<graph::HostWork>(std::move(function), std::move(memory)),
                    std::move(operands), options);
}

GraphTask Graph::add(std::shared_ptr<const graph::Work> work, const OwnData& data,
                     const GraphTaskOptions& options) {
  State& state = held(state_, "Graph");
  GraphTaskOptions ordered = options;
  for (const void* read : data.reads)
    if (const auto found = state.own_data.find(read); found != state.own_data.end())
      if (found->second.writer) ordered.after.push_back(*found->second.writer);
  for (const void* changed : data.changes) {
    const auto found = state.own_data.find(changed);
    if (found == state.own_data.end()) continue;
    if (found->second.writer) ordered.after.push_back(*found->second.writer);
    for (const GraphTask reader : found->second.readers) ordered.after.push_back(reader);
  }
  const GraphTask added = state.note(std::move(work), {}, ordered);
  for (const void* read : data.reads) state.own_data[read].readers.push_back(added);
  for (const void* changed : data.changes) state.own_data[changed] = {added, {}};
  return added;
}

namespace {

/// Turns calls, in their order, into tasks and versions of what they work on.
class Assembly {
 public:
  /// `storage_of`: of memory of the host that is read, the Array that it is where calls write it.
  using StorageOf = std::function<std::shared_ptr<ArrayStorage>(std::span<const std::byte>)>;
  Assembly(const Runtime& runtime, std::vector<std::unique_ptr<HostArray>>& inputs,
           std::vector<std::pair<ByteView, HostArray*>>& copies, StorageOf storage_of)
      : runtime_(runtime), inputs_(inputs), copies_(copies), storage_of_(std::move(storage_of)) {}

  /// An Array whose values are the graph's own, in memory that others share.
  void add_own(const std::shared_ptr<ArrayStorage>& storage) {
    value_of_[storage.get()] = graph::none;
  }
  void add_lasting(const std::shared_ptr<ArrayStorage>& storage) {
    array_of_[storage.get()] = work.add_array(storage);
  }
  void add(const Call& call) {
    const auto& uses = call.work->uses();
    std::vector<graph::ValueId> reads(uses.size(), graph::none);
    graph::WorkGraph::TaskOptions options;
    options.label = call.options.label;
    options.arrays.assign(uses.size(), graph::none);
    if (call.options.device >= 0) options.device = static_cast<std::uint32_t>(call.options.device);
    if (call.options.cluster >= 0)
      options.cluster = static_cast<std::uint32_t>(call.options.cluster);
    for (const GraphTask& before : call.options.after) options.after.push_back(before.index);
    for (std::size_t use = 0; use < uses.size(); ++use) {
      const Operand operand = resolved(call.operands[use]);
      if (!operand.storage) {
        reads[use] = host_value(operand.host);
        continue;
      }
      if (!value_of_.contains(operand.storage.get()) && !array_of_.contains(operand.storage.get()))
        add_lasting(operand.storage);
      const auto array = array_of_.find(operand.storage.get());
      // What is only called an input, and changed by the kernel, is no new value of the Array.
      const bool is_lasting = array != array_of_.end();
      if (uses[use].access != Access::out)
        reads[use] = is_lasting ? work.array_value(array->second) : own_value(*operand.storage);
      if (uses[use].access != Access::in && is_lasting) options.arrays[use] = array->second;
    }
    const graph::Task task = work.add(call.work, reads, options);
    for (std::size_t use = 0; use < uses.size(); ++use) {
      const auto own = value_of_.find(resolved(call.operands[use]).storage.get());
      if (own != value_of_.end() && uses[use].access != Access::in)
        own->second = work.written(task, use);
    }
  }

  /// What an Array of the graph holds in the end; none where no task has written it.
  graph::ValueId last_value(const ArrayStorage& storage) const {
    const auto found = value_of_.find(&storage);
    if (found == value_of_.end() || found->second == graph::none) return graph::none;
    return work.values()[found->second].producer == graph::none ? graph::none : found->second;
  }

  graph::WorkGraph work;

 private:
  Operand resolved(Operand operand) const {
    if (!operand.storage) operand.storage = storage_of_(operand.host);
    return operand;
  }
  graph::ValueId host_value(std::span<std::byte> memory) {
    auto [found, is_new] =
        host_values_.try_emplace(std::pair(memory.data(), memory.size()), graph::none);
    if (!is_new) return found->second;
    // What is not aligned as devices in the host's memory need it is copied at each run.
    const bool is_aligned = is_buffer_aligned(memory.data());
    inputs_.push_back(std::make_unique<HostArray>(
        is_aligned ? HostArray::borrowed(memory, nullptr)
                   : graph::graph_input(runtime_, HostArray::copy_of(memory))));
    if (!is_aligned) copies_.emplace_back(memory, inputs_.back().get());
    return found->second = work.add_input(*inputs_.back());
  }
  /// What an Array of the graph holds; zeros where no task has written it yet.
  graph::ValueId own_value(const ArrayStorage& storage) {
    graph::ValueId& value = value_of_[&storage];
    if (value != graph::none) return value;
    inputs_.push_back(
        std::make_unique<HostArray>(graph::graph_input(runtime_, HostArray(storage.bytes()))));
    return value = work.add_input(*inputs_.back());
  }

  const Runtime& runtime_;
  std::vector<std::unique_ptr<HostArray>>& inputs_;
  std::vector<std::pair<ByteView, HostArray*>>& copies_;
  StorageOf storage_of_;
  std::map<const ArrayStorage*, graph::ValueId> value_of_;
  std::map<const ArrayStorage*, std::uint32_t> array_of_;
  std::map<std::pair<const std::byte*, std::size_t>, graph::ValueId> host_values_;
};

}  // namespace

GraphPlan Graph::plan(const GraphPlanOptions& options) const {
  const State& state = held(state_, "Graph");
  std::vector<std::unique_ptr<HostArray>> inputs;
  std::vector<std::pair<ByteView, HostArray*>> copies;
  Assembly assembly(state.runtime, inputs, copies, [&](std::span<const std::byte> memory) {
    return state.written_by_others(memory);
  });
  for (const auto& storage : state.own) assembly.add_own(storage);
  for (const Call& call : state.calls) assembly.add(call);
  // What the last task leaves unread is a result.
  std::vector<std::pair<graph::ValueId, std::shared_ptr<ArrayStorage>>> results;
  for (const auto& storage : state.own) {
    const graph::ValueId last = assembly.last_value(*storage);
    if (last == graph::none) continue;
    const bool is_kept = std::ranges::find(state.kept, storage) != state.kept.end();
    if (!is_kept && !assembly.work.values()[last].readers.empty()) continue;
    assembly.work.keep(last);
    results.emplace_back(last, storage);
  }
  auto made = std::make_shared<GraphPlan::State>();
  made->inputs = std::move(inputs);
  made->copies = std::move(copies);
  made->own_results = std::move(results);
  made->take_copies();
  for (const auto& [address, storage] : state.host_memory) made->host_results.push_back(storage);
  made->planned =
      graph::plan_graph(state.runtime, std::move(assembly.work), graph::plan_options(options));
  return GraphPlan(std::move(made));
}

}  // namespace kiln
