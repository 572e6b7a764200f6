// What can be searched for: forms of loops and of products.
#include <fmt/format.h>

#include <algorithm>

#include "mesh/loop/arguments.hpp"
#include "mesh/matrix/matrix_kernels.hpp"
#include "mesh/tune/data_tunable.hpp"

namespace kiln::mesh {
namespace {

class LoopForm final : public DataTunable::Form {
 public:
  LoopForm(const Queue& queue, std::unique_ptr<MadeLoop> made)
      : Form(queue), made_(std::move(made)) {}
  void enqueue(bool is_timed) override { made_->try_out(queue_, is_timed); }
  double seconds() override { return made_->seconds(); }
  void clear_seconds() override { made_->clear_seconds(); }

 private:
  std::unique_ptr<MadeLoop> made_;
};

class ProductForm final : public DataTunable::Form {
 public:
  ProductForm(MatrixSession& session, const Product& product, const RecordedMatrix& of,
              const ChosenParameters& trial)
      : Form(session.queue), kernels_(session, of, trial), product_(product) {}
  void enqueue(bool is_timed) override {
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

RecordedMatrix described(const Product& product) {
  return MatrixKernels::describe(*product.mat, is_soa(*product.x), is_soa(*product.y));
}

}  // namespace

LoopTunable::LoopTunable(MatrixSession& session, PreparedLoop& loop)
    : DataTunable(session, loop.name(),
                  make_request(loop.shape(), session.loop_device(),
                               static_cast<std::int64_t>(loop.over().sizes()[1])),
                  mesh::space(loop.shape(), session.loop_device()), LoopGenerator()),
      loop_(loop) {
  label_ = fmt::format("loop {} over {} elements", name_, request_.problem_size);
  standard_ = with_block(LoopGenerator().defaults(request_), loop.shape(), request_.problem_size,
                         session.device()->compute_units);
}

std::vector<Residence*> LoopTunable::outputs() const {
  std::vector<Residence*> all;
  for (const Arg& arg : loop_.arguments())
    if (arg.access != Access::read) add_once(all, &data_of(arg));
  return all;
}

std::unique_ptr<DataTunable::Form> LoopTunable::make(const ChosenParameters& trial,
                                                     PlanSource& plans) const {
  return std::make_unique<LoopForm>(
      session_.queue, make_loop(session_, loop_.shape(), loop_.over(), loop_.arguments(),
                                loop_.parts(), trial, plans));
}

ProductTunable::ProductTunable(MatrixSession& session, const Product& product)
    : DataTunable(session, "multiply " + product.mat->name,
                  MatrixKernels::request_for(session, described(product)),
                  matrix_space(session.loop_device().cpu), MatrixGenerator()),
      product_(product),
      of_(described(product)) {
  label_ = fmt::format("product with {} of {} rows", product.mat->name, of_.rows);
  standard_ = MatrixGenerator().defaults(request_);
  if (standard_.get("FORM", 0) == 0)
    standard_.set("BLOCK", matrix_block(of_.rows, session.device()->compute_units));
}

std::unique_ptr<DataTunable::Form> ProductTunable::make(const ChosenParameters& trial,
                                                        PlanSource&) const {
  return std::make_unique<ProductForm>(session_, product_, of_, trial);
}

}  // namespace kiln::mesh
