#pragma once

#include "mesh/matrix/products.hpp"
#include "mesh/matrix/recorded_matrix.hpp"
#include "mesh/tune/subject.hpp"

namespace kiln::mesh {

/// A product of a matrix and a vector; the space is that of MatrixGenerator.
class ProductSubject final : public Subject {
 public:
  ProductSubject(Session& session, const Product& product);

  const std::string& name() const override { return name_; }
  std::string label() const override;
  const Request& request() const override { return request_; }
  const Generator& generator() const override { return generator_; }
  Values values() const override;
  Parameters standard() const override;
  void refresh_halos() const override;
  std::vector<Residence*> outputs() const override { return {&product_.y->data}; }
  std::unique_ptr<Form> make(Resolver& trials, PlanSource& plans) const override;
  void make_again() override;

 private:
  Session& session_;
  Product product_;
  MatrixGenerator generator_;
  RecordedMatrix of_;
  Request request_;
  std::string name_;
};

}  // namespace kiln::mesh
