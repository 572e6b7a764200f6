// What a loop costs on ranks: its call, its compilation, a halo.
#include <fmt/format.h>

#include "base/clock.hpp"
#include "mesh/halo/parts.hpp"
#include "mesh/loop/loop_session.hpp"
#include "mesh/loop/prepared_loop.hpp"
#include "mpi/ranks/cases.hpp"
#include "mpi/ranks/flow.hpp"

namespace kiln::bench {

using namespace kiln::mesh;

Found call_case(const mpi::Environment& mpi, const Words&) {
  // A loop like res_calc over a chain of cells, cut in blocks: eight arguments, two maps, one
  // conflict. What it reads of others is fresh.
  constexpr std::size_t rows = 32;
  const auto transport = mpi::transport(mpi.comm());
  Mesh::Options options;
  options.queued = 0;
  Mesh mesh(mpi::runtime_for_rank(mpi.comm(), {.store = "off"}), transport, options);
  const auto first = static_cast<std::int64_t>(rows) * mpi.rank();
  const auto last = static_cast<std::int64_t>(rows) * mpi.size() - 1;
  std::vector<std::int64_t> values;
  for (std::int64_t at = first; at < first + static_cast<std::int64_t>(rows); ++at)
    values.push_back(at), values.push_back(std::min(at + 1, last));
  const Set edges = mesh.set("edges", rows), cells = mesh.set("cells", rows);
  const Map map = mesh.map("pecell", edges, cells, 2, values);
  const Dat q = mesh.dat<double>("q", cells, 4), adt = mesh.dat<double>("adt", cells, 1),
            res = mesh.dat<double>("res", cells, 4), w = mesh.dat<double>("w", edges, 2);
  mesh.partition(owners(cells, std::vector<std::int32_t>(rows, mpi.rank())));
  const mesh::Kernel kernel(
      "void small(const double *w, const double *v, const double *q1, const double *q2, "
      "const double *a1, const double *a2, double *r1, double *r2) "
      "{ r1[0] += w[0] * q1[0] * a1[0] + v[1]; r2[0] += q2[0] * a2[0]; }",
      "small");
  const auto call = [&] {
    par_loop(kernel, edges, arg(w, READ), arg(w, READ), arg(q, map[0], READ), arg(q, map[1], READ),
             arg(adt, map[0], READ), arg(adt, map[1], READ), arg(res, map[0], INC),
             arg(res, map[1], INC));
  };
  call();
  mesh.finish();
  LoopSession& session = LoopSession::of(*Handles::session(mesh));
  const auto enqueue = [&] { session.loops.all().front()->enqueue_only(session.queue); };
  constexpr int calls = 200, rounds = 101, warm_up = 10;
  const auto timed = [&](const auto& body) {
    const Stopwatch watch;
    for (int at = 0; at < calls; ++at) body();
    const double spent = watch.seconds();
    mesh.finish();
    return 1e6 * spent / calls;
  };
  std::vector<double> ours, bare, more;
  for (int round = 0; round < rounds + warm_up; ++round) {
    const double mine = timed(call), alone = timed(enqueue);
    if (round < warm_up) continue;
    ours.push_back(mine), bare.push_back(alone), more.push_back(mine - alone);
  }
  const Figures figures(*transport);
  return {{"more_us", figures.largest(median(more))},
          {"call_us", figures.largest(median(ours))},
          {"enqueue_us", figures.largest(median(bare))}};
}

Found start_case(const mpi::Environment& mpi, const Words& words) {
  const std::string& path = word_in(words, 0, "a mesh of airfoil");
  const Runtime runtime =
      mpi::runtime_for_rank(mpi.comm(), {.devices = "cpu", .store = word_in(words, 1, "a store")});
  const auto transport = mpi::transport(mpi.comm());
  Mesh mesh(runtime, transport, {.timing = true});
  const AirfoilRows rows(mpi.comm(), path);
  ::airfoil::Airfoil<double> flow(mesh, rows.grid());
  if (mpi.size() > 1) mesh.partition(mpi::scotch(flow.cells(), {flow.edge_cells()}));
  const Stopwatch watch;
  flow.step();
  flow.rms();
  const Figures figures(*transport);
  const double seconds = figures.largest(watch.seconds());
  double loops = 0, compiled = 0;
  for (const LoopReport& loop : mesh.report()) {
    ++loops;
    compiled += loop.program_hits == 0 ? 1 : 0;
  }
  runtime.finish();
  return {{"loops", loops}, {"compiled", figures.sum(compiled)}, {"seconds", seconds}};
}

namespace {

/// Cells of two ranks, of which every tenth has a copy on the other one, so that gathering them is
/// no copy of a range.
SetPart with_copies(int rank, std::size_t copies) {
  const std::size_t step = 10, owned = step * copies;
  const auto first = static_cast<std::int64_t>(owned) * rank;
  SetPart part;
  part.global_size = 2 * static_cast<std::int64_t>(owned);
  part.sizes = {0, owned, owned, owned + copies};
  HaloNeighbour other{1 - rank, {}, {}};
  for (std::size_t at = 0; at < owned; ++at)
    part.numbers.push_back(first + static_cast<std::int64_t>(at));
  for (std::size_t at = 0; at < copies; ++at) {
    part.numbers.push_back(static_cast<std::int64_t>(owned) - first +
                           static_cast<std::int64_t>(at * step));
    other.exports.push_back(static_cast<std::int32_t>(at * step));
    other.imports.push_back(static_cast<std::int32_t>(owned + at));
  }
  part.neighbours = {std::move(other)};
  return part;
}

/// What the thread of a rank did in an exchange, the mean of so many.
Found phases_of(const Exchange& halo, int rounds, const Figures& figures) {
  const auto phase = [&](double seconds) { return figures.all(1e6 * seconds / rounds); };
  const Exchange::Phases& all = halo.phases();
  return {{"begin", phase(all.begin)},
          {"gathered", phase(all.gathered)},
          {"sent", phase(all.sent)},
          {"arrived", phase(all.arrived)},
          {"scattered", phase(all.scattered)}};
}

}  // namespace

Found exchange_case(const mpi::Environment& mpi, const Words& given) {
  Words words = given;
  const bool is_staged = take_flag(words, "--staged"), no_times = take_flag(words, "--no-times");
  const std::string devices = take_value(words, "--devices", "");
  const auto copies = static_cast<std::size_t>(number_in(words, 0, "bytes")) / sizeof(double);
  const int rounds = number_in(words, 1, "rounds");
  if (mpi.size() != 2)
    throw Error(Errc::bad_input,
                fmt::format("bench-mpi exchange: found {} ranks, expected 2", mpi.size()));
  if (copies == 0 || rounds == 0)
    throw Error(Errc::bad_input,
                fmt::format("bench-mpi exchange: found {} bytes and {} rounds, expected at least 8 "
                            "and 1",
                            words[0], rounds));
  const auto transport = mpi::transport(mpi.comm());
  const Runtime runtime = mpi::runtime_for_rank(mpi.comm(), {.devices = devices});
  const Queue with_times = runtime.state().queue(nullptr);
  const Queue without(with_times.context(), with_times.device(), Queue::Times::none);
  Mesh::Options options;
  if (no_times) options.queue = without.cl()();
  Mesh mesh(runtime, transport, options);
  Handles::session(mesh)->stages_halos = is_staged;
  const Set cells = mesh.set("cells", with_copies(mpi.rank(), copies));
  const Dat values = mesh.dat<double>("values", cells, 1);
  const mesh::Kernel add("void add(double *x) { x[0] += 1; }", "add");
  LoopSession& session = LoopSession::of(*Handles::session(mesh));
  Exchange& halo = session.parts().exchange_of(
      *Handles::state(values), session.parts().classes.whole(*Handles::state(cells)));
  const Figures figures(*transport);
  constexpr int warm_up = 20;
  // Of this rank what its thread does one after the other.
  std::vector<double> times, sent, arrived, on_device;
  for (int round = 0; round < rounds + warm_up; ++round) {
    if (round == warm_up) halo.clear_counts();
    par_loop(add, cells, arg(values, RW));
    mesh.finish();
    figures.meet();
    const Stopwatch watch;
    halo.begin(session.queue, Exchange::Where::with_loops);
    halo.send(session.queue);
    const double sent_at = watch.seconds();
    halo.finish(session.queue);
    const double arrived_at = watch.seconds();
    mesh.finish();
    const double done = watch.seconds();
    const double slowest = figures.largest(done);
    if (round < warm_up) continue;
    times.push_back(1e6 * slowest);
    sent.push_back(1e6 * sent_at);
    arrived.push_back(1e6 * (arrived_at - sent_at));
    on_device.push_back(1e6 * (done - arrived_at));
  }
  const auto all = values.read<double>();
  for (std::size_t at = all.size() - copies; at < all.size(); ++at)
    if (all[at] != rounds + warm_up)
      throw Error(Errc::internal, fmt::format("bench-mpi exchange: copy {} is {}, expected {}",
                                              at + copies - all.size(), all[at], rounds + warm_up));
  return {{"exchange_us", median(times)},
          {"quartiles_us", {quantile(times, 0.25), quantile(times, 0.75)}},
          {"gathered_and_sent_us", figures.all(median(sent))},
          {"arrived_us", figures.all(median(arrived))},
          {"on_device_us", figures.all(median(on_device))},
          {"phases_us", phases_of(halo, rounds, figures)},
          {"device", mesh.device_name()}};
}

}  // namespace kiln::bench
