// Loops over meshes as tasks of graphs.
#include "base/lifetime.hpp"
#include "kiln/mesh/graph.hpp"
#include "mesh/loop/prepared_loop.hpp"
#include "mesh/model/basics.hpp"
#include "schedule/graph_work/work.hpp"
#include "store/key/canonical.hpp"

namespace kiln::mesh {
namespace {

/// What an argument stands for, as long as it is there.
struct Held {
  const void* state = nullptr;
  std::uint64_t id = 0;
  ArgKind kind = ArgKind::dat;
  bool is_map = false;

  bool is_alive() const {
    const LiveStates::Lookup states;
    const auto is_same = [&](const auto* of) { return states.has(of) && of->id == id; };
    if (is_map) return is_same(static_cast<const MapState*>(state));
    if (kind == ArgKind::dat) return is_same(static_cast<const DatState*>(state));
    if (kind == ArgKind::global) return is_same(static_cast<const GlobalState*>(state));
    return is_same(static_cast<const MatState*>(state));
  }
};

std::vector<Held> held_by(std::span<const Arg> arguments) {
  std::vector<Held> all;
  for (const Arg& arg : arguments) {
    const auto id = arg.kind == ArgKind::dat      ? static_cast<DatState*>(arg.data)->id
                    : arg.kind == ArgKind::global ? static_cast<GlobalState*>(arg.data)->id
                                                  : static_cast<MatState*>(arg.data)->id;
    all.push_back({arg.data, id, arg.kind, false});
    for (MapState* map : {arg.map, arg.column_map})
      if (map != nullptr) all.push_back({map, map->id, arg.kind, true});
  }
  return all;
}

class LoopWork final : public graph::Work {
 public:
  LoopWork(LoopSession& session, const Kernel& kernel, const Iteration& over,
           std::span<const Arg> arguments)
      : session_(Handles::state(over.set())->session),
        set_(over.set()),
        subset_(over.subset()),
        held_(held_by(arguments)),
        loop_(std::make_unique<PreparedLoop>(session, kernel, over, arguments)) {
    CanonicalWriter writer("graph loop", 1);
    writer.text("kernel", kernel.name()).text("code", kernel.code());
    writer.integer("elements", static_cast<std::int64_t>(loop_->over().sizes()[1]))
        .integer("layers", static_cast<std::int64_t>(over.layers()));
    for (const ArgShape& argument : loop_->shape().arguments)
      writer.begin("argument")
          .integer("kind", static_cast<std::int64_t>(argument.kind))
          .integer("type", static_cast<std::int64_t>(argument.type))
          .integer("components", argument.dim)
          .integer("access", static_cast<std::int64_t>(argument.access))
          .integer("arity", argument.arity)
          .end();
    kind_ = writer.view();
  }

  const std::string& name() const override { return loop_->name(); }
  const std::vector<graph::Use>& uses() const override { return uses_; }
  const Bytes& kind() const override { return kind_; }
  bool keeps_data() const override { return true; }
  std::unique_ptr<graph::Runner> prepare(Resolver& resolver, const Queue& queue) const override;

  /// Throws bad_input where something that it uses is gone.
  void check_alive() const {
    for (const Held& held : held_)
      if (!held.is_alive())
        refuse(
            "loop {} of a graph: found data that are gone, expected them to stay as long as its "
            "plans",
            name());
  }
  LoopSession& session() const { return LoopSession::of(*session_); }
  PreparedLoop& loop() const { return *loop_; }

 private:
  SessionPtr session_;
  Set set_;
  std::shared_ptr<const void> subset_;
  std::vector<Held> held_;
  std::unique_ptr<PreparedLoop> loop_;
  std::vector<graph::Use> uses_;  // its data are the Mesh's
  Bytes kind_;
};

class LoopRunner final : public graph::Runner {
 public:
  LoopRunner(const Queue& queue, LoopSession& session) : queue_(queue), session_(session) {
    cl_command_queue_properties properties = 0;
    check_cl(::clGetCommandQueueInfo(queue.cl()(), CL_QUEUE_PROPERTIES, sizeof properties,
                                     &properties, nullptr),
             "clGetCommandQueueInfo");
    is_timed_ = (properties & CL_QUEUE_PROFILING_ENABLE) != 0;
  }

  void begin_run() override {
    session_.throw_pending();
    session_.run_all();
    check_cl(::clFinish(session_.queue.cl()()), "clFinish");
  }

  void enqueue(const graph::Work& work, std::span<const cl_mem>, std::span<const cl_event> after,
               cl_event* done) override {
    const auto& loop = static_cast<const LoopWork&>(work);
    loop.check_alive();
    // The Mesh's own queue brings what the host has changed: a lane that did would leave the other
    // lanes without it.
    loop.loop().bring_inputs();
    const cl_command_queue handle = queue_.cl()();
    if (!after.empty())
      check_cl(::clEnqueueBarrierWithWaitList(handle, static_cast<cl_uint>(after.size()),
                                              after.data(), nullptr),
               "clEnqueueBarrierWithWaitList");
    loop.loop().launch(queue_, is_timed_);
    if (done != nullptr)
      check_cl(::clEnqueueMarkerWithWaitList(handle, 0, nullptr, done),
               "clEnqueueMarkerWithWaitList");
  }

  std::int64_t duration_ns(const graph::Work& work, const cl::Event&) override {
    return static_cast<const LoopWork&>(work).loop().take_nanoseconds();
  }

 private:
  Queue queue_;
  LoopSession& session_;
  bool is_timed_ = false;
};

std::unique_ptr<graph::Runner> LoopWork::prepare(Resolver&, const Queue& queue) const {
  if (queue.context() != session().context())
    throw Error(Errc::unsupported,
                "loop " + name() +
                    ": found a graph whose devices have another context than the "
                    "Mesh, expected a Runtime with one GPU");
  return std::make_unique<LoopRunner>(queue, session());
}

/// A function of the host whose data are a Mesh's.
class MeshFunction final : public graph::Work {
 public:
  MeshFunction(std::function<void()> function, std::vector<Held> held)
      : function_(std::move(function)), held_(std::move(held)) {}

  const std::string& name() const override { return name_; }
  const std::vector<graph::Use>& uses() const override { return uses_; }
  const Bytes& kind() const override { return kind_; }
  std::unique_ptr<graph::Runner> prepare(Resolver&, const Queue&) const override { return nullptr; }
  bool runs_on_host() const override { return true; }
  void run_on_host(std::span<const std::span<std::byte>>) const override {
    for (const Held& held : held_)
      if (!held.is_alive())
        refuse(
            "a function of a graph: found data that are gone, expected them to stay as long as "
            "its plans");
    function_();
  }

 private:
  std::function<void()> function_;
  std::vector<Held> held_;
  std::vector<graph::Use> uses_;
  std::string name_ = "function of the host";
  Bytes kind_;
};

Graph::OwnData data_of(std::span<const Arg> arguments) {
  Graph::OwnData data;
  for (const Arg& arg : arguments)
    (arg.access == Access::read ? data.reads : data.changes).push_back(arg.data);
  return data;
}

}  // namespace

GraphTask par_loop(Graph& graph, const Kernel& kernel, const Iteration& over,
                   std::span<const Arg> arguments, const GraphTaskOptions& options) {
  const SessionPtr& session = Handles::state(over.set())->session;
  if (&graph.runtime().state() != &session->runtime.state())
    refuse("loop {} of a graph: found a Mesh of another Runtime, expected the Graph's",
           kernel.name());
  auto work = std::make_shared<LoopWork>(LoopSession::of(*session), kernel, over, arguments);
  // Mesh::partition() gives its maps and Dats other memory than a plan has bound.
  if (work->loop().has_halos() || session->transport != nullptr)
    throw Error(Errc::unsupported, "loop " + kernel.name() +
                                       " of a graph: found halos to exchange, or a Transport, "
                                       "expected a Mesh that is not distributed");
  GraphTaskOptions placed = options;
  placed.device = 0;  // the Mesh's
  return graph.add(std::move(work), data_of(arguments), placed);
}

GraphTask add_host(Graph& graph, std::function<void()> function, std::span<const Arg> uses,
                   const GraphTaskOptions& options) {
  if (!function) throw Error(Errc::bad_input, "found no function, expected one");
  return graph.add(std::make_shared<MeshFunction>(std::move(function), held_by(uses)),
                   data_of(uses), options);
}

}  // namespace kiln::mesh
