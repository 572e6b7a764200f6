#pragma once

#include "mesh/loop/prepared_loop.hpp"
#include "mesh/tune/subject.hpp"

namespace kiln::mesh {

/// A prepared loop; the space is that of LoopGenerator for the device.
class LoopSubject final : public Subject {
 public:
  LoopSubject(Session& session, PreparedLoop& loop);

  const std::string& name() const override { return loop_.name(); }
  std::string label() const override;
  const Request& request() const override { return request_; }
  const Generator& generator() const override { return generator_; }
  Values values() const override;
  Parameters standard() const override;
  void refresh_halos() const override { loop_.refresh_halos(); }
  std::vector<Residence*> outputs() const override;
  std::unique_ptr<Form> make(Resolver& trials, PlanSource& plans) const override;
  void make_again() override { loop_.make_again(); }

 private:
  Session& session_;
  PreparedLoop& loop_;
  LoopGenerator generator_;
  Request request_;
};

}  // namespace kiln::mesh
