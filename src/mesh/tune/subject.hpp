#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernel/resolver/generator.hpp"
#include "mesh/loop/prepared_loop.hpp"
#include "mesh/matrix/matrix_generator.hpp"
#include "mesh/matrix/matrix_session.hpp"
#include "mesh/model/session.hpp"

namespace kiln::mesh {

/// What a search is about: something that has run on data of a Session, and could run otherwise.
/// What it is made of must outlive it. One thread.
class Subject {
 public:
  /// It in one form, ready to run on its data.
  class Form {
   public:
    virtual ~Form() = default;
    /// Enqueues a run, which exchanges no halo and makes none stale, so that parts of a distributed
    /// mesh may call it as often as each likes. Throws kiln::Error.
    virtual void run(bool is_timed) = 0;
    /// Of the timed runs since the last call of clear_seconds(), by the device's clock.
    virtual double seconds() = 0;
    virtual void clear_seconds() = 0;
  };
  using Values = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;

  virtual ~Subject() = default;
  /// For people: "res_calc".
  virtual const std::string& name() const = 0;
  /// The same with its size: "loop res_calc over 100 elements".
  virtual std::string label() const = 0;
  virtual const Request& request() const = 0;
  /// That of the Request's family.
  virtual const Generator& generator() const = 0;
  /// The values of each Parameter that are worth trying, by name.
  virtual Values values() const = 0;
  /// What is used where nothing is on record, with all Parameters.
  virtual Parameters standard() const = 0;
  /// Exchanges halos that a run reads, where they are stale.
  virtual void refresh_halos() const = 0;
  /// What a run changes, each once.
  virtual std::vector<Residence*> outputs() const = 0;
  /// Makes a form with Parameters. Plans of trials are their own: of a search only the winner's is
  /// kept, by its next use. Throws kiln::Error.
  virtual std::unique_ptr<Form> make(const ChosenParameters& trial, PlanSource& plans) const = 0;
  /// Uses what is on record now.
  virtual void make_again() = 0;
};

/// A prepared loop; the space is that of LoopGenerator for the device.
class LoopSubject final : public Subject {
 public:
  LoopSubject(MatrixSession& session, PreparedLoop& loop);

  const std::string& name() const override { return loop_.name(); }
  std::string label() const override;
  const Request& request() const override { return request_; }
  const Generator& generator() const override { return generator_; }
  Values values() const override;
  Parameters standard() const override;
  void refresh_halos() const override { loop_.refresh_halos(); }
  std::vector<Residence*> outputs() const override;
  std::unique_ptr<Form> make(const ChosenParameters& trial, PlanSource& plans) const override;
  void make_again() override { loop_.make_again(); }

 private:
  MatrixSession& session_;
  PreparedLoop& loop_;
  LoopGenerator generator_;
  Request request_;
};

/// A product of a matrix and a vector; the space is that of MatrixGenerator.
class ProductSubject final : public Subject {
 public:
  ProductSubject(MatrixSession& session, const Product& product);

  const std::string& name() const override { return name_; }
  std::string label() const override;
  const Request& request() const override { return request_; }
  const Generator& generator() const override { return generator_; }
  Values values() const override;
  Parameters standard() const override;
  void refresh_halos() const override;
  std::vector<Residence*> outputs() const override { return {&product_.y->data}; }
  std::unique_ptr<Form> make(const ChosenParameters& trial, PlanSource& plans) const override;
  void make_again() override;

 private:
  MatrixSession& session_;
  Product product_;
  MatrixGenerator generator_;
  RecordedMatrix of_;
  Request request_;
  std::string name_;
};

}  // namespace kiln::mesh
