#pragma once

#include <map>
#include <vector>

#include "mesh/plan/plan_source.hpp"
#include "mesh/tune/subject.hpp"
#include "tune/tunable.hpp"

namespace kiln::mesh {

/// Measures a Subject with other Parameters, on its own data. What it writes is put back before
/// each run that counts, and in the end. The reference is the form of its Generator's defaults;
/// sums may differ by the rounding of another order. One thread; nothing else may use the Session
/// meanwhile.
class DataBench : public tune::Bench {
 public:
  /// `keeper` is the Resolver that records go to. All outlive it. Throws Error where the Subject
  /// itself does not run.
  DataBench(Session& session, const Subject& subject, const tune::SearchSpace& space,
            Resolver& keeper);
  ~DataBench() override;

  tune::Report prepare(tune::ConfigurationId id) override;
  double run(tune::ConfigurationId id, std::size_t launches) override;
  void record(tune::ConfigurationId id, double seconds, double standard) override;
  std::optional<tune::ConfigurationId> on_record() override;

 private:
  /// Numbers that a run writes: as they were, and as they should be after one.
  struct Output {
    Residence* data;
    Bytes initial, reference;
  };
  std::unique_ptr<Subject::Form> make(const Parameters& parameters);
  void restore();
  std::string difference() const;

  Session& session_;
  const Subject& subject_;
  const tune::SearchSpace& space_;
  Resolver& keeper_;
  Resolver trials_;  ///< over no store: of a search only the winner is kept, by who uses it next
  PlanSource plans_;
  std::vector<Output> outputs_;
  std::map<tune::ConfigurationId, std::unique_ptr<Subject::Form>> made_;
};

}  // namespace kiln::mesh
