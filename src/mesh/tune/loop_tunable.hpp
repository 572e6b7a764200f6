#pragma once

#include "mesh/loop/prepared_loop.hpp"
#include "tune/tunable.hpp"

namespace kiln::mesh {

/// The search for the fastest Parameters of one prepared loop, on its own data. The space is that
/// of the loop's Generator for the device (mesh/code/loop_generator.hpp). Its Bench works on the
/// data of the Session, so that it opens in the process and on the queue of the Session alone.
class LoopTunable : public tune::Tunable {
 public:
  /// The loop and its Session must outlive it. Throws Error.
  LoopTunable(Session& session, const PreparedLoop& loop);

  std::string label() const override;
  std::string identity() const override;
  tune::TuningProblem problem() const override;
  const tune::SearchSpace& space() const override { return space_; }
  std::optional<tune::ConfigurationId> standard() const override;
  /// Throws unsupported for another context than the Session's.
  std::unique_ptr<tune::Bench> open(Resolver& resolver, const ContextPtr& context,
                                    const Queue& queue) const override;
  const Request& request() const { return request_; }

 private:
  Session& session_;
  const PreparedLoop& loop_;
  Request request_;
  tune::SearchSpace space_;
};

}  // namespace kiln::mesh
