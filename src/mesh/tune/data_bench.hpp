#pragma once

#include <map>
#include <vector>

#include "mesh/plan/plan_source.hpp"
#include "mesh/tune/subject.hpp"
#include "tune/tunable.hpp"

namespace kiln::mesh {

/// Measures a Subject with other Parameters, on its own data. What it writes is put back before
/// each run that counts, and in the end, also of a constructor that throws. Halos are taken as they
/// are: Subject::refresh_halos() before. The reference is the form of its Generator's defaults;
/// sums may differ by the rounding of another order. One thread; nothing else may use the Session
/// meanwhile.
class DataBench : public tune::Bench {
 public:
  /// `keeper` is the Resolver that records go to. All outlive it. Throws Error where the Subject
  /// itself does not run.
  DataBench(Session& session, const Subject& subject, const tune::SearchSpace& space,
            Resolver& keeper);

  tune::Report prepare(tune::ConfigurationId id) override;
  double run(tune::ConfigurationId id, std::size_t launches) override;
  void record(tune::ConfigurationId id, double seconds, double standard) override;
  std::optional<tune::ConfigurationId> on_record() override;

 private:
  /// Numbers that runs write: as they were, and as they should be after one run. Puts them back
  /// when it goes.
  class Outputs {
   public:
    Outputs(const Queue& queue, const Subject& subject);
    ~Outputs();
    Outputs(const Outputs&) = delete;
    Outputs& operator=(const Outputs&) = delete;
    void restore();
    /// What they are now is what they should be.
    void take_reference();
    /// Where they are something else: in words. Empty: nowhere.
    std::string difference() const;

   private:
    struct Output {
      Residence* data;
      Bytes initial, reference;
    };
    const Queue& queue_;
    std::vector<Output> all_;
  };
  std::unique_ptr<Subject::Form> make(const Parameters& parameters);

  Session& session_;
  const Subject& subject_;
  const tune::SearchSpace& space_;
  Resolver& keeper_;
  Resolver trials_;  ///< over no store: of a search only the winner is kept, by who uses it next
  PlanSource plans_;
  Outputs outputs_;  ///< before forms: they run no more when it puts back
  std::map<tune::ConfigurationId, std::unique_ptr<Subject::Form>> made_;
};

}  // namespace kiln::mesh
