// Time steps of airfoil in the ways that halos may go: where the time of a step goes, and that the
// flow is the same.
#include <algorithm>
#include <sstream>

#include "base/clock.hpp"
#include "mesh/halo/parts.hpp"
#include "mesh/loop/loop_session.hpp"
#include "mesh/loop/prepared_loop.hpp"
#include "mpi/ranks/cases.hpp"
#include "mpi/ranks/flow.hpp"

namespace kiln::bench {
namespace {

struct Way {
  const char* name;
  bool takes_times = true;  ///< the queue of the loops
  bool keeps_timeline = false;
};
constexpr Way ways[] = {
    {"as usual"},
    {"no times", false},
    {"timeline", true, true},
};

/// What goes out in so many steps, and what the thread of a rank does in an exchange.
void add_traffic(Flow& flow, double steps, Found& found) {
  double messages = 0, bytes = 0;
  mesh::Exchange::Phases phases;
  for (const auto& loop : flow.mesh().report()) {
    messages += static_cast<double>(loop.halo.messages);
    bytes += static_cast<double>(loop.halo.bytes);
  }
  for (const auto& loop : mesh::LoopSession::of(*mesh::Handles::session(flow.mesh())).loops.all())
    if (loop->name() == "res_calc" && loop->parts().exchange)
      phases = loop->parts().exchange->phases();
  const Figures& figures = flow.figures();
  // A step calls res_calc twice.
  const auto phase = [&](double seconds) { return figures.all(1e6 * seconds / steps / 2); };
  found["cells_by_rank"] = figures.all(static_cast<double>(flow.flow().cells().size()));
  found["messages_a_step"] = figures.all(messages / steps);
  found["kb_a_step"] = figures.all(1e-3 * bytes / steps);
  Found& exchange = found["exchange_us"];
  exchange["begin"] = phase(phases.begin);
  exchange["core_enqueued"] = phase(phases.core);
  exchange["on_the_host"] = phase(phases.gathered);
  exchange["sent"] = phase(phases.sent);
  exchange["arrived"] = phase(phases.arrived);
  exchange["scattered"] = phase(phases.scattered);
}

/// The last two steps: rank, name, from, to.
Found spans_of(mesh::Mesh& mesh, int ranks) {
  const auto spans = mesh.timeline_of_parts();
  const std::size_t shown = 40 * static_cast<std::size_t>(ranks);
  const std::size_t first = spans.size() > shown ? spans.size() - shown : 0;
  Found found = Found::array();
  for (std::size_t at = first; at < spans.size(); ++at)
    found.push_back({spans[at].rank, spans[at].name,
                     1e-3 * static_cast<double>(spans[at].start_ns - spans[first].start_ns),
                     1e-3 * static_cast<double>(spans[at].end_ns - spans[first].start_ns)});
  return found;
}

/// Of each loop's spans, the median length by rank.
Found lengths_of(mesh::Mesh& mesh) {
  std::map<std::string, std::map<int, std::vector<double>>> lengths;
  for (const auto& span : mesh.timeline_of_parts())
    lengths[span.name][span.rank].push_back(1e-3 *
                                            static_cast<double>(span.end_ns - span.start_ns));
  Found found = Found::object();
  for (auto& [name, by_rank] : lengths)
    for (auto& [rank, times] : by_rank) found[name].push_back(median(times));
  return found;
}

/// "0.97,0.03"
std::vector<double> numbers_of(const std::string& list) {
  std::vector<double> numbers;
  std::istringstream from(list);
  for (std::string one; std::getline(from, one, ',');) numbers.push_back(std::stod(one));
  return numbers;
}

}  // namespace

Found airfoil_case(const mpi::Environment& mpi, const Words& given) {
  Words words = given;
  const bool is_staged = take_flag(words, "--staged"), all_ways = take_flag(words, "--all-ways"),
             is_cut = take_flag(words, "--cut");
  const std::string devices = take_value(words, "--devices", "");
  const int rounds = number_in({take_value(words, "--rounds", "7")}, 0, "rounds");
  const std::vector<double> weights = numbers_of(take_value(words, "--weights", ""));
  Stopwatch watch;
  const auto rows = take_rows(mpi.comm(), words);
  const double made = watch.seconds();
  const int steps = number_in(words, 0, "steps");
  if (steps == 0 || rounds == 0 || words.size() > 1)
    throw Error(Errc::bad_input,
                "bench-mpi airfoil: expected GRID STEPS or ALONG OUT STEPS, steps and rounds above "
                "0");
  const Runtime runtime = mpi::runtime_for_rank(mpi.comm(), {.devices = devices});
  std::vector<std::int32_t> parts;
  const std::size_t count = all_ways ? std::size(ways) : 1;
  Found found;
  for (std::size_t at = 0; at < count; ++at) {
    const Way& way = ways[at];
    if (at > 0) print(mpi, found);
    Flow::Setup setup{.numbers = is_cut ? Flow::Numbers::of_parts : Flow::Numbers::of_file,
                      .stages_halos = is_staged,
                      .parts = &parts,
                      .weights = weights};
    const Queue with_times = runtime.state().queue(nullptr);
    const Queue without_times(with_times.context(), with_times.device(), Queue::Times::none);
    if (!way.takes_times) setup.options.queue = without_times.cl()();
    setup.options.timeline = way.keeps_timeline;
    Flow flow(mpi.comm(), runtime, *rows, setup);
    const double first_rms = flow.flow().rms();
    flow.mesh().clear_report();
    std::vector<double> times;
    for (int round = 0; round < rounds; ++round) times.push_back(1e3 * flow.timed(steps) / steps);
    const Figures& figures = flow.figures();
    found = {{"way", way.name},
             {"ranks", mpi.size()},
             {"cells", rows->grid().all_cells},
             {"device", flow.mesh().device_name()},
             {"step_ms", median(times)},
             {"rounds_ms", times},
             {"rms", {first_rms, flow.flow().rms()}},
             {"mesh_s", figures.largest(made)},
             {"cut_s", figures.largest(flow.cut_seconds())},
             {"first_steps_s", figures.largest(flow.first_seconds())}};
    if (mpi.size() > 1) add_traffic(flow, static_cast<double>(steps) * rounds, found);
    if (way.keeps_timeline) {
      found["lengths_us"] = lengths_of(flow.mesh());
      found["spans_us"] = spans_of(flow.mesh(), mpi.size());
    }
  }
  return found;
}

}  // namespace kiln::bench
