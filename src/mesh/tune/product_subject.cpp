#include "mesh/tune/product_subject.hpp"

#include <fmt/format.h>

#include "mesh/matrix/matrix_kernels.hpp"
#include "mesh/object/halo.hpp"

namespace kiln::mesh {
namespace {

class ProductForm final : public Subject::Form {
 public:
  ProductForm(Session& session, const Product& product, const RecordedMatrix& of, Resolver& trials)
      : kernels_(session, of, trials), product_(product) {}
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

ProductSubject::ProductSubject(Session& session, const Product& product)
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

std::unique_ptr<Subject::Form> ProductSubject::make(Resolver& trials, PlanSource&) const {
  return std::make_unique<ProductForm>(session_, product_, of_, trials);
}

void ProductSubject::refresh_halos() const {
  DatState& x = *product_.x;
  if (!x.is_halo_stale || Handles::state(x.on.set())->exchange == nullptr) return;
  begin_exchange(x, session_.queue);
  end_exchange(x, session_.queue);
}

void ProductSubject::make_again() { ++session_.matrix_tunings; }

}  // namespace kiln::mesh
