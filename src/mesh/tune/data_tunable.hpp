#pragma once

#include "mesh/tune/subject.hpp"
#include "tune/measure/tunable.hpp"

namespace kiln::mesh {

/// The search for the fastest Parameters of a Subject, on its own data. Its Bench works on the data
/// of the Session, so that it opens in the process and on the queue of the Session alone.
class DataTunable : public tune::Tunable {
 public:
  /// The Subject and its Session must outlive it. Throws Error.
  DataTunable(MatrixSession& session, const Subject& subject);

  std::string label() const override { return subject_.label(); }
  std::string identity() const override;
  tune::TuningProblem problem() const override;
  const tune::SearchSpace& space() const override { return space_; }
  std::optional<tune::ConfigurationId> standard() const override;
  /// Throws unsupported for another context than the Session's.
  std::unique_ptr<tune::Bench> open(Resolver& resolver, const ContextPtr& context,
                                    const Queue& queue) const override;

 private:
  MatrixSession& session_;
  const Subject& subject_;
  tune::SearchSpace space_;
};

}  // namespace kiln::mesh
