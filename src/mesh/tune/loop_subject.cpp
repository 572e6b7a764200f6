#include "mesh/tune/loop_subject.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kiln::mesh {
namespace {

std::int64_t elements_of(const LoopOver& over) {
  return static_cast<std::int64_t>(over.subset != nullptr ? over.subset->sizes[1]
                                                          : over.set->sizes[1]);
}

class LoopForm final : public Subject::Form {
 public:
  LoopForm(const Queue& queue, std::unique_ptr<MadeLoop> made)
      : queue_(queue), made_(std::move(made)) {}
  void run(bool is_timed) override { made_->try_out(queue_, is_timed); }
  double seconds() override { return made_->seconds(); }
  void clear_seconds() override { made_->clear_seconds(); }

 private:
  const Queue& queue_;
  std::unique_ptr<MadeLoop> made_;
};

}  // namespace

LoopSubject::LoopSubject(Session& session, PreparedLoop& loop)
    : session_(session),
      loop_(loop),
      request_(make_request(loop.shape(), session.loop_device(), elements_of(loop.over()))) {}

std::string LoopSubject::label() const {
  return fmt::format("loop {} over {} elements", name(), request_.problem_size);
}

Subject::Values LoopSubject::values() const { return space(loop_.shape(), session_.loop_device()); }

Parameters LoopSubject::standard() const {
  return with_block(generator_.defaults(request_), loop_.shape(), request_.problem_size,
                    session_.device()->compute_units);
}

std::vector<Residence*> LoopSubject::outputs() const {
  std::vector<Residence*> all;
  for (const Arg& arg : loop_.arguments()) {
    if (arg.access == Access::read) continue;
    Residence* data = nullptr;
    if (arg.kind == Arg::Kind::dat)
      data = &const_cast<DatState*>(static_cast<const DatState*>(arg.data))->data;
    else if (arg.kind == Arg::Kind::global)
      data = &const_cast<GlobalState*>(static_cast<const GlobalState*>(arg.data))->data;
    else
      data = &const_cast<MatState*>(static_cast<const MatState*>(arg.data))->values;
    if (std::find(all.begin(), all.end(), data) == all.end()) all.push_back(data);
  }
  return all;
}

std::unique_ptr<Subject::Form> LoopSubject::make(Resolver& trials, PlanSource& plans) const {
  return std::make_unique<LoopForm>(session_.queue, make_loop(session_, loop_.shape(), loop_.over(),
                                                              loop_.arguments(), trials, plans));
}

}  // namespace kiln::mesh
