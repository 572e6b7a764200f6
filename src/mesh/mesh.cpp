// A Mesh as a whole: its Session, and what is reported of it. What it makes is in model/ and
// matrix/, its search in tune/.
#include "kiln/mesh/mesh.hpp"

#include <algorithm>
#include <iterator>

#include "base/log.hpp"
#include "mesh/loop/prepared_loop.hpp"
#include "mesh/matrix/matrix_session.hpp"
#include "mesh/model/basics.hpp"

namespace kiln::mesh {
namespace {

/// A Mesh's Session with all that the rooms keep in it.
MatrixSession& all_of(const SessionPtr& session) { return MatrixSession::of(*not_moved(session)); }

/// What is done now, times from the device's events included.
std::vector<LoopReport> reports_of(MatrixSession& session) {
  std::vector<LoopReport> all;
  for (const auto& loop : session.loops.all()) all.push_back(loop->report());
  for (const auto& work : session.matrix_work) all.push_back(work->now());
  return all;
}

}  // namespace

Mesh::Mesh(const Options& options)
    : session_(std::make_shared<MatrixSession>(
          options, Runtime({.devices = options.device, .store = options.store}))) {}

Mesh::Mesh(const Runtime& runtime, const Options& options) {
  if (!options.device.empty() || !options.store.empty())
    refuse("a Mesh of a Runtime: its options name a device or a store, expected the Runtime's");
  session_ = std::make_shared<MatrixSession>(options, runtime);
}

Mesh::Mesh(const Runtime& runtime, std::shared_ptr<Transport> transport, const Options& options)
    : Mesh(runtime, options) {
  if (transport == nullptr) refuse("a distributed Mesh: no Transport, expected one");
  session_->set_transport(std::move(transport));
  if (options.timeline && session_->is_distributed())
    session_->first_clocks = read_clocks(*session_->transport);
}

Mesh::Mesh(Mesh&&) noexcept = default;

Mesh::~Mesh() {
  if (!session_) return;
  const auto attempt = [](const auto& what) {
    try {
      what();
    } catch (...) {
      // What failed may be the user's own: an exchange of halos. finish() would have thrown it.
      log_failure("a Mesh's last loops");
    }
  };
  attempt([&] { session_->throw_pending(); });
  // What is queued runs now, since nothing runs it later; what was put off for it goes with it.
  attempt([&] { finish(); });
}

cl_command_queue Mesh::queue() const { return not_moved(session_)->queue.cl()(); }

void Mesh::flush() {
  not_moved(session_)->throw_pending();
  session_->run_all();
  check_cl(::clFlush(session_->queue.cl()()), "clFlush");
}

void Mesh::finish() {
  not_moved(session_)->throw_pending();
  session_->run_all();
  check_cl(::clFinish(session_->queue.cl()()), "clFinish");
}

std::size_t Mesh::queued() const { return all_of(session_).loops.waiting(); }

std::vector<LoopReport> Mesh::report() {
  finish();
  MatrixSession& session = all_of(session_);
  const double bandwidth = session.options.timing ? copy_bandwidth() : 0;
  std::vector<LoopReport> all = session.loops.past();
  std::ranges::move(reports_of(session), std::back_inserter(all));
  std::erase_if(all, [](const LoopReport& report) { return report.count == 0; });
  for (LoopReport& report : all) {
    if (report.seconds <= 0) continue;
    report.gigabytes_per_second = 1e-9 * static_cast<double>(report.bytes) / report.seconds;
    if (bandwidth > 0) report.share = 1e9 * report.gigabytes_per_second / bandwidth;
  }
  return all;
}

std::vector<TimelineSpan> Mesh::timeline() {
  MatrixSession& session = all_of(session_);
  if (session.recording == nullptr) return {};
  finish();
  reports_of(session);  // notes all runs
  return session.recording->spans(device_name());
}

void Mesh::clear_report() {
  finish();
  MatrixSession& session = all_of(session_);
  session.loops.clear_past();
  for (const auto& loop : session.loops.all()) loop->clear_report();
  for (const auto& work : session.matrix_work) work->clear();
  if (session.is_distributed()) session.parts().shares.clear_counts();
}

double Mesh::copy_bandwidth() { return all_of(session_).copy_bandwidth(); }

std::string Mesh::device_name() const { return not_moved(session_)->device()->name; }

}  // namespace kiln::mesh
