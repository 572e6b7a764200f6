// Time steps of airfoil over ranks: where the time of a step goes, and that the flow is the same.
#include "airfoil.hpp"

#include <fmt/format.h>

#include "base/clock.hpp"
#include "mesh/halo/parts.hpp"
#include "mesh/io/mesh_io.hpp"
#include "mesh/loop/loop_session.hpp"
#include "mesh/loop/prepared_loop.hpp"
#include "ranks/cases.hpp"

namespace kiln::bench::ranks {
namespace {

constexpr int rounds = 7;

/// This rank's rows of a mesh that every rank makes.
struct Rows {
  std::vector<std::int32_t> cell_nodes, edge_nodes, edge_cells, bedge_nodes, bedge_cells, bound;
  std::vector<double> x;
  ::airfoil::Grid grid;

  Rows(const mpi::Communicator& comm, const AirfoilCase& of) {
    const auto whole = value_or_throw(mesh::make_naca0012({of.along, of.out}));
    const auto block = mpi::MeshFileBlock::of(comm, whole);
    const auto values = [&](const char* name) {
      const auto& map = *block.find_map(name);
      return std::vector<std::int32_t>(map.values.begin(), map.values.end());
    };
    cell_nodes = values("pcell");
    edge_nodes = values("pedge");
    edge_cells = values("pecell");
    bedge_nodes = values("pbedge");
    bedge_cells = values("pbecell");
    const auto numbers = [&]<class T>(const char* name, std::vector<T>& to) {
      const auto& bytes = block.find_dat(name)->bytes;
      to.resize(bytes.size() / sizeof(T));
      std::copy_n(bytes.data(), bytes.size(), reinterpret_cast<std::byte*>(to.data()));
    };
    numbers("p_bound", bound);
    numbers("p_x", x);
    grid.nodes = static_cast<std::size_t>(block.find_set("nodes")->count);
    grid.cells = static_cast<std::size_t>(block.find_set("cells")->count);
    grid.all_cells = static_cast<std::size_t>(block.find_set("cells")->size);
    grid.cell_nodes = cell_nodes;
    grid.edge_nodes = edge_nodes;
    grid.edge_cells = edge_cells;
    grid.bedge_nodes = bedge_nodes;
    grid.bedge_cells = bedge_cells;
    grid.bound = bound;
    grid.x = x;
  }
};

/// A way to run it.
struct Variant {
  const char* name;
  mesh::HaloOrder order = mesh::HaloOrder::by_host;
  bool takes_times = true;  ///< the queue of the loops
  bool keeps_timeline = false;
};
constexpr Variant variants[] = {
    {"host orders"},
    {"events order", mesh::HaloOrder::by_events},
    {"one queue", mesh::HaloOrder::one_queue},
    {"host orders, no times", mesh::HaloOrder::by_host, false},
    {"events order, no times", mesh::HaloOrder::by_events, false},
    {"one queue, no times", mesh::HaloOrder::one_queue, false},
    {"host orders, timeline", mesh::HaloOrder::by_host, true, true},
};

class Flow {
 public:
  Flow(Rank& rank, const Rows& rows, const Variant& variant)
      : rank_(rank),
        variant_(variant),
        queue_(rank.runtime.state().queue(nullptr).context(),
               rank.runtime.state().queue(nullptr).device(), Queue::Times::none),
        mesh_(rank.runtime, mpi::transport(rank.mpi.comm()), options()),
        flow_(mesh_, rows.grid) {
    session().stages_halos = rank.staged;
    session().halo_order = variant.order;
  }

  /// `parts` of this rank's rows of cells: empty: they are found, and noted.
  void cut(std::vector<std::int32_t>& parts) {
    if (rank_.mpi.size() == 1) return;
    if (!parts.empty()) return mesh_.partition(mesh::owners(flow_.cells(), parts));
    mesh::Partitioner scotch = mpi::scotch(flow_.cells(), {flow_.edge_cells()});
    scotch.cut = [&, cut = scotch.cut](const mesh::PartitionInput& input) {
      return parts = cut(input);
    };
    mesh_.partition(scotch);
  }

  void measure(std::size_t steps, std::size_t all_cells) {
    Stopwatch watch;
    for (int step = 0; step < 5; ++step) flow_.step();
    const double first_rms = flow_.rms(), first = rank_.slowest(watch.seconds());
    std::vector<double> times;
    for (int round = 0; round < rounds; ++round) {
      mesh_.finish();
      rank_.meet();
      if (round == 1) mesh_.clear_report();
      watch = {};
      for (std::size_t step = 0; step < steps; ++step) flow_.step();
      mesh_.finish();
      times.push_back(1e6 * rank_.slowest(watch.seconds()) / static_cast<double>(steps));
    }
    std::string each;
    for (const double time : times) each += fmt::format(" {:.0f}", time);
    rank_.say(
        fmt::format("airfoil: {} cells, {} ranks, {}: {:.1f} us a step (rounds of {}:{}), "
                    "first steps {:.2f} s, rms {:.15e} then {:.15e}",
                    all_cells, rank_.mpi.size(), variant_.name, median(times), steps, each, first,
                    first_rms, flow_.rms()));
    if (rank_.mpi.size() > 1) say_traffic(static_cast<double>(steps) * (rounds - 1));
    if (variant_.keeps_timeline) say_timeline();
  }

 private:
  mesh::Mesh::Options options() const {
    mesh::Mesh::Options options;
    if (!variant_.takes_times) options.queue = queue_.cl()();
    options.timeline = variant_.keeps_timeline;
    return options;
  }
  mesh::LoopSession& session() { return mesh::LoopSession::of(*mesh::Handles::session(mesh_)); }

  /// What goes out, and what the thread of a rank does in an exchange.
  void say_traffic(double steps) {
    double messages = 0, bytes = 0;
    mesh::Exchange::Phases phases;
    for (const auto& loop : mesh_.report()) {
      messages += static_cast<double>(loop.halo.messages);
      bytes += static_cast<double>(loop.halo.bytes);
    }
    for (const auto& loop : session().loops.all())
      if (loop->name() == "res_calc" && loop->parts().exchange)
        phases = loop->parts().exchange->phases();
    const auto show = [&](const char* what, double mine) {
      std::string line;
      for (const double value : rank_.all(mine)) line += fmt::format(" {:.1f}", value);
      return fmt::format("{}{}", what, line);
    };
    const auto phase = [&](const char* what, double seconds) {
      return show(what, 1e6 * seconds / steps / 2);
    };
    const std::string text =
        fmt::format("  by rank: cells{}; a step: {}, {}; us an exchange: {}, {}, {}, {}, {}, {}",
                    show("", static_cast<double>(flow_.cells().size())),
                    show("messages", messages / steps), show("kB", bytes / 1e3 / steps),
                    phase("begin", phases.begin), phase("core enqueued", phases.core),
                    phase("on the host", phases.gathered), phase("sent", phases.sent),
                    phase("arrived", phases.arrived), phase("scattered", phases.scattered));
    rank_.say(text);
  }

  /// The last two steps.
  void say_timeline() {
    const auto spans = mesh_.timeline();
    if (rank_.mpi.rank() != 0) return;
    constexpr std::size_t shown = 40;
    const std::size_t first = spans.size() > shown ? spans.size() - shown : 0;
    for (std::size_t at = first; at < spans.size(); ++at)
      rank_.say(fmt::format("  span {:10} from {:8.1f} to {:8.1f} us", spans[at].name,
                            static_cast<double>(spans[at].start_ns - spans[first].start_ns) / 1e3,
                            static_cast<double>(spans[at].end_ns - spans[first].start_ns) / 1e3));
  }

  Rank& rank_;
  const Variant& variant_;
  Queue queue_;
  mesh::Mesh mesh_;
  ::airfoil::Airfoil<double> flow_;
};

}  // namespace

void airfoil(Rank& rank, const AirfoilCase& of) {
  Stopwatch watch;
  const Rows rows(rank.mpi.comm(), of);
  rank.say(fmt::format("airfoil: {} cells, {} ranks on {}: mesh made in {:.2f} s",
                       rows.grid.all_cells, rank.mpi.size(), rank.runtime.devices().front().name,
                       rank.slowest(watch.seconds())));
  std::vector<std::int32_t> parts;
  for (const Variant& variant : variants) {
    if (!of.all_ways && &variant != variants) break;
    watch = {};
    Flow flow(rank, rows, variant);
    flow.cut(parts);
    const double cut = rank.slowest(watch.seconds());
    flow.measure(of.steps, rows.grid.all_cells);
    rank.say(fmt::format("  cut in {:.2f} s", cut));
  }
}

}  // namespace kiln::bench::ranks
