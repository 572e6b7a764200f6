// One halo between two ranks' devices: gathered, brought to the host, sent, brought to the device,
// scattered.
#include <fmt/format.h>

#include <numeric>

#include "base/clock.hpp"
#include "mesh/halo/parts.hpp"
#include "mesh/loop/loop_session.hpp"
#include "ranks/cases.hpp"

namespace kiln::bench::ranks {
namespace {

constexpr std::size_t owned = 200'000;

/// Every tenth element goes to the other rank, so that the gather has something to do.
mesh::SetPart part_of(int rank, std::size_t copies) {
  mesh::SetPart part;
  part.global_size = 2 * owned;
  part.sizes = {0, owned, owned, owned + copies};
  mesh::HaloNeighbour other{1 - rank, {}, {}};
  const auto first = static_cast<std::int64_t>(rank) * static_cast<std::int64_t>(owned);
  for (std::size_t k = 0; k < owned; ++k)
    part.numbers.push_back(first + static_cast<std::int64_t>(k));
  const std::size_t step = owned / copies;
  for (std::size_t k = 0; k < copies; ++k) {
    part.numbers.push_back(static_cast<std::int64_t>(owned) - first +
                           static_cast<std::int64_t>(k * step));
    other.exports.push_back(static_cast<std::int32_t>(k * step));
    other.imports.push_back(static_cast<std::int32_t>(owned + k));
  }
  part.neighbours = {std::move(other)};
  return part;
}

}  // namespace

void exchange(Rank& rank, const ExchangeCase& of) {
  if (rank.mpi.size() != 2)
    throw Error(Errc::bad_input,
                fmt::format("bench-ranks exchange: found {} ranks, expected 2", rank.mpi.size()));
  const std::size_t copies = std::max<std::size_t>(of.bytes / sizeof(double), 1);
  if (copies > owned)
    throw Error(Errc::bad_input, fmt::format("bench-ranks exchange: found {} bytes, expected at "
                                             "most {}",
                                             of.bytes, owned * sizeof(double)));
  mesh::Mesh& mesh = rank.mesh;
  const mesh::Set cells = mesh.set("cells", part_of(rank.mpi.rank(), copies));
  const mesh::Dat a = mesh.dat<double>("a", cells, 1);
  const mesh::Kernel count("void count(double *x) { *x += 1; }", "count");
  auto& session = mesh::LoopSession::of(*mesh::Handles::session(mesh));
  const auto whole = session.parts().classes.whole(*mesh::Handles::state(cells));
  auto& state = *mesh::Handles::state(a);
  mesh::Exchange& halo = session.parts().exchange_of(state, whole);
  std::vector<double> gathers, messages, scatters, all;
  for (std::size_t round = 0; round < of.rounds + 10; ++round) {
    par_loop(count, cells, arg(a, mesh::RW));
    mesh.finish();
    rank.meet();
    const Stopwatch watch;
    halo.begin(session.queue);
    halo.send();
    const double gathered = watch.seconds();
    halo.finish(session.queue);
    const double arrived = watch.seconds();
    mesh.finish();
    const double done = watch.seconds();
    if (round < 10) continue;
    gathers.push_back(1e6 * gathered);
    messages.push_back(1e6 * (arrived - gathered));
    scatters.push_back(1e6 * (done - arrived));
    all.push_back(1e6 * rank.slowest(done));
  }
  const auto values = a.read<double>();
  const double expected = static_cast<double>(of.rounds + 10);
  for (std::size_t k = 0; k < copies; ++k)
    if (values[owned + k] != expected)
      throw Error(Errc::internal, fmt::format("bench-ranks exchange: copy {} is {}, expected {}", k,
                                              values[owned + k], expected));
  rank.say(fmt::format(
      "exchange of {} bytes each way between two ranks on {}: {:.1f} us (quartiles "
      "{:.1f}, {:.1f}; gathered and on the host {:.1f}, message and the rest "
      "enqueued {:.1f}, on the device {:.1f}), {} rounds",
      of.bytes, mesh.device_name(), median(all), quantile(all, 0.25), quantile(all, 0.75),
      median(gathers), median(messages), median(scatters), of.rounds));
}

}  // namespace kiln::bench::ranks
