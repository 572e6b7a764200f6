// What searches are about: loops and products.
#include "mesh/tune/subject.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mesh/loop/arguments.hpp"
#include "mesh/matrix/matrix_kernels.hpp"

namespace kiln::mesh {
namespace {

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

class ProductForm final : public Subject::Form {
 public:
  ProductForm(MatrixSession& session, const Product& product, const RecordedMatrix& of,
              const ChosenParameters& trial)
      : kernels_(session, of, trial), product_(product) {}
  void run(bool is_timed) override {
    work_.is_timed = is_timed;
    kernels_.multiply(*product_.mat, *product_.x, *product_.y, MatrixKernels::Product::replaces,
                      &work_);
  }
  double seconds() override { return work_.times.seconds(); }
  void clear_seconds() override { work_.times.clear(); }

 private:
  MatrixKernels kernels_;
  Product product_;
  MatrixWork work_;
};

}  // namespace

LoopSubject::LoopSubject(MatrixSession& session, PreparedLoop& loop)
    : session_(session),
      loop_(loop),
      request_(make_request(loop.shape(), session.loop_device(),
                            static_cast<std::int64_t>(loop.over().sizes()[1]))) {}

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
  for (const Arg& arg : loop_.arguments())
    if (arg.access != Access::read) add_once(all, &data_of(arg));
  return all;
}

std::unique_ptr<Subject::Form> LoopSubject::make(const ChosenParameters& trial,
                                                 PlanSource& plans) const {
  return std::make_unique<LoopForm>(session_.queue, make_loop(session_, loop_.shape(), loop_.over(),
                                                              loop_.arguments(), trial, plans));
}

ProductSubject::ProductSubject(MatrixSession& session, const Product& product)
    : session_(session),
      product_(product),
      of_(MatrixKernels::describe(*product.mat, is_soa(*product.x), is_soa(*product.y))),
      request_(MatrixKernels::request_for(session, of_)),
      name_("multiply " + product.mat->name) {}

std::string ProductSubject::label() const {
  return fmt::format("product with {} of {} rows", product_.mat->name, of_.rows);
}

Subject::Values ProductSubject::values() const { return matrix_space(session_.loop_device().cpu); }

Parameters ProductSubject::standard() const {
  Parameters values = generator_.defaults(request_);
  if (values.get("FORM", 0) == 0)
    values.set("BLOCK", matrix_block(of_.rows, session_.device()->compute_units));
  return values;
}

std::unique_ptr<Subject::Form> ProductSubject::make(const ChosenParameters& trial,
                                                    PlanSource&) const {
  return std::make_unique<ProductForm>(session_, product_, of_, trial);
}

void ProductSubject::refresh_halos() const { product_.x->refresh_halo(session_.queue); }

void ProductSubject::make_again() { ++session_.matrix_tunings; }

}  // namespace kiln::mesh
