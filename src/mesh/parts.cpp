// A Mesh in parts: what kiln/mesh/mesh.hpp says of it over the room distributed/.
#include <algorithm>

#include "mesh/distributed/as_declared.hpp"
#include "mesh/distributed/mail.hpp"
#include "mesh/distributed/mesh_rows.hpp"
#include "mesh/distributed/parts_report.hpp"
#include "mesh/distributed/saved.hpp"
#include "mesh/matrix/matrix_session.hpp"
#include "mesh/model/basics.hpp"

namespace kiln::mesh {
namespace {

const SetState& partitioned(const SessionPtr& session, const Set& set) {
  const SetState& state = *Handles::state(set);
  if (state.session != not_moved(session))
    refuse("set {}: it belongs to another Mesh, expected one of this", state.name);
  if (state.part == nullptr)
    refuse("set {}: not partitioned yet, expected Mesh::partition() before", state.name);
  return state;
}

}  // namespace

void Mesh::partition(const Partitioner& partitioner, std::span<const double> weights) {
  MatrixSession& session = MatrixSession::of(*not_moved(session_));
  if (session.transport == nullptr)
    refuse("mesh: it has no Transport, expected a Mesh that was made with one");
  if (session.is_broken) refuse("mesh: Mesh::partition() has failed before, expected a new Mesh");
  session.throw_pending();
  session.run_all();
  together(*session.transport, "partition", [&] {
    if (std::ranges::any_of(session.sparsities,
                            [](const auto& sparsity) { return !sparsity.expired(); }))
      refuse("mesh: it has sparsities already, expected Mesh::partition() before they are made");
  });
  const AliveEverywhere alive(session);
  if (!session.is_partitioned) return mesh::partition(session, alive, partitioner, weights);
  AsDeclared before(session, alive);
  try {
    mesh::partition(session, alive, partitioner, weights);
  } catch (...) {
    if (!session.is_partitioned) before.restore();
    throw;
  }
}

double Mesh::wait_seconds() {
  MatrixSession& session = MatrixSession::of(*not_moved(session_));
  double seconds = 0;
  for (const LoopReport& loop : report()) seconds += loop.halo.wait_seconds;
  return session.is_distributed() ? seconds + session.parts().shares.wait_seconds() : seconds;
}

PartsReport Mesh::report_of_parts() {
  MatrixSession& session = MatrixSession::of(*not_moved(session_));
  PartsReport mine;
  const auto own = [&] {
    std::vector<LoopReport> loops = report();
    const bool shares = session.is_distributed();
    mine = report_of_part(session, std::move(loops), shares ? session.parts().shares.count() : 0,
                          shares ? session.parts().shares.wait_seconds() : 0);
  };
  if (!session.is_distributed()) {
    own();
    return mine;
  }
  together(*session.transport, "report of all parts", own);
  return bring_together(*session.transport, mine);
}

std::vector<TimelineSpan> Mesh::timeline_of_parts() {
  MatrixSession& session = MatrixSession::of(*not_moved(session_));
  if (!session.is_distributed()) return timeline();
  if (!session.options.timeline) return {};
  std::vector<TimelineSpan> mine;
  together(*session.transport, "timeline of all parts", [&] { mine = timeline(); });
  const CommonClock clock(session.first_clocks, read_clocks(*session.transport));
  return bring_together(*session.transport, clock, std::move(mine));
}

const SetPart& Mesh::part(const Set& set) const { return *partitioned(session_, set).part; }

Mesh::Rows Mesh::declared_rows(const Set& set) const {
  const SetState& state = partitioned(session_, set);
  if (state.blocks == nullptr) refuse("set {}: it was declared in parts", state.name);
  const int rank = session_->transport->rank();
  return {state.blocks->first(rank), state.blocks->count(rank)};
}

void Mesh::save_partition(const Set& set, const std::filesystem::path& path) const {
  const SetState& state = partitioned(session_, set);
  if (state.blocks == nullptr) refuse("set {}: it was declared in parts", state.name);
  mesh::save_partition(state, path);
}

const std::shared_ptr<Transport>& Mesh::transport() const { return not_moved(session_)->transport; }

}  // namespace kiln::mesh
