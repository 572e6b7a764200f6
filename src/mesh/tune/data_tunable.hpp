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
#include "tune/measure/bench.hpp"

/// What Mesh::tune searches for: the fastest form of a loop or a product that has run, on its own
/// data.
namespace kiln::mesh {

/// The search for the fastest Parameters of something that has run on data of a Session, and could
/// run otherwise. Its Bench works on those data, so that it opens in the process and on the queue
/// of the Session alone. What it is made of must outlive it. One thread.
class DataTunable : public tune::Tunable {
 public:
  /// It with some Parameters, ready to run on its data.
  class Form : public tune::Subject::Form {
   public:
    explicit Form(const Queue& queue) : queue_(queue) {}
    /// Enqueues a run, which exchanges no halo and makes none stale, so that parts of a distributed
    /// mesh may call it as often as each likes. Throws kiln::Error.
    virtual void enqueue(bool is_timed) = 0;
    /// Of the timed runs since the last call of clear_seconds(), by the device's clock.
    virtual double seconds() = 0;
    virtual void clear_seconds() = 0;

    void run_once() final;
    double run(std::size_t launches) final;

   protected:
    const Queue& queue_;
  };

  /// For people: "res_calc".
  const std::string& name() const { return name_; }
  /// The same with its size: "loop res_calc over 100 elements".
  std::string label() const override { return label_; }
  const Request& request() const { return request_; }
  std::string identity() const override;
  tune::TuningProblem problem() const override { return tune::TuningProblem::of(request_); }
  const tune::SearchSpace& space() const override { return space_; }
  /// What is used where nothing is on record, with all Parameters.
  const Parameters& standard_parameters() const { return standard_; }
  /// These, with the next larger values where the space has not its own.
  std::optional<tune::ConfigurationId> standard() const override;
  /// Throws unsupported for another context than the Session's.
  std::unique_ptr<tune::Bench> open(Resolver& resolver, const ContextPtr& context,
                                    const Queue& queue) const override;

  /// Exchanges halos that a run reads, where they are stale.
  virtual void refresh_halos() const = 0;
  /// What a run changes, each once.
  virtual std::vector<Residence*> outputs() const = 0;
  /// Plans of trials are their own: of a search only the winner's is kept, by its next use. Throws
  /// kiln::Error.
  virtual std::unique_ptr<Form> make(const ChosenParameters& trial, PlanSource& plans) const = 0;
  /// Uses what is on record now.
  virtual void make_again() = 0;

 protected:
  /// The values of each Parameter that are worth trying, by name.
  using Values = std::vector<std::pair<std::string, std::vector<std::int64_t>>>;
  /// The space has those of all combinations that the Request's Generator accepts. Throws Error.
  DataTunable(MatrixSession& session, std::string name, Request request, const Values& values,
              const Generator& generator);

  MatrixSession& session_;
  std::string name_, label_;
  Request request_;
  Parameters standard_;

 private:
  tune::SearchSpace space_;
};

/// A prepared loop; the space is that of LoopGenerator for the device.
class LoopTunable : public DataTunable {
 public:
  LoopTunable(MatrixSession& session, PreparedLoop& loop);

  void refresh_halos() const override { loop_.refresh_halos(); }
  std::vector<Residence*> outputs() const override;
  std::unique_ptr<Form> make(const ChosenParameters& trial, PlanSource& plans) const override;
  void make_again() override { loop_.make_again(); }

 private:
  PreparedLoop& loop_;
};

/// A product of a matrix and a vector; the space is that of MatrixGenerator.
class ProductTunable final : public DataTunable {
 public:
  ProductTunable(MatrixSession& session, const Product& product);

  void refresh_halos() const override { product_.x->refresh_halo(session_.queue); }
  std::vector<Residence*> outputs() const override { return {&product_.y->data}; }
  std::unique_ptr<Form> make(const ChosenParameters& trial, PlanSource& plans) const override;
  void make_again() override { ++session_.matrix_tunings; }

 private:
  Product product_;
  RecordedMatrix of_;
};

}  // namespace kiln::mesh
