#include "mesh/matrix/matrix_kernels.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "mesh/object/process_resolver.hpp"
#include "mesh/object/scalar.hpp"

namespace kiln::mesh {
namespace {

/// Numbers that a work-item of kiln_zero has on a CPU.
constexpr std::size_t zero_block = 65536;

double row_length(const SparsityState& sparsity) {
  const std::size_t rows = std::max<std::size_t>(sparsity.row_set.total_size(), 1);
  return static_cast<double>(sparsity.colidx().form().elements) / static_cast<double>(rows);
}

}  // namespace

MatrixKernels::MatrixKernels(Session& session, const RecordedMatrix& of, Resolver& resolver)
    : session_(session),
      of_(of),
      resolver_(resolver),
      request_(request_for(session, of)),
      parameters_(resolver.parameters(request_, *session.device())),
      in_blocks_(parameters_.get("FORM", 0) == 0) {
  // Programs belong to the context, whoever made them: what was compiled for a trial must not stand
  // in for one that is to be kept.
  if (&resolver != &session.resolver()) request_.facts.push_back({"trial", std::int64_t{1}});
}

Request MatrixKernels::request_for(const Session& session, const RecordedMatrix& of) {
  return make_matrix_request(of.shape, session.loop_device().cpu, of.row_length, of.rows);
}

RecordedMatrix MatrixKernels::describe(const MatState& mat, bool x_soa, bool y_soa) {
  const auto& sparsity = *Handles::state(mat.sparsity);
  const MatrixShape shape{mat.values.form().type, static_cast<int>(sparsity.row_dim),
                          static_cast<int>(sparsity.column_dim), x_soa, y_soa};
  return {shape, "", row_length(sparsity), static_cast<std::int64_t>(sparsity.row_set.size())};
}

MatrixKernels& MatrixKernels::of(MatState& mat, bool x_soa, bool y_soa) {
  auto& known = mat.kernels[(x_soa ? 2u : 0u) + (y_soa ? 1u : 0u)];
  if (known != nullptr) return *known;
  known = &find(*mat.session, describe(mat, x_soa, y_soa));
  return *known;
}

MatrixKernels& MatrixKernels::find(Session& session, const RecordedMatrix& of) {
  auto made = std::make_unique<MatrixKernels>(session, of, session.resolver());
  for (const auto& known : session.matrix_kernels)
    if (known->of_.shape == of.shape && known->parameters_ == made->parameters_) return *known;
  session.matrix_kernels.push_back(std::move(made));
  return *session.matrix_kernels.back();
}

MatrixKernels::Prepared& MatrixKernels::prepare(const std::string& kernel) {
  const auto known = launches_.find(kernel);
  if (known != launches_.end()) return known->second;
  const auto start = now_ns();
  EnvironmentExplanation explanation;
  Program& program = resolver_.resolve(request_, session_.context(), session_.device(),
                                       {variant_of(kernel, matrix_range(parameters_, 1))},
                                       explains_by_environment() ? explanation.get() : nullptr);
  Prepared& prepared =
      launches_.try_emplace(kernel, Prepared{{session_.context(), program, kernel}}).first->second;
  if (CallLog* const log = process_call_log();
      log != nullptr && &resolver_ == &session_.resolver()) {
    RecordedMatrix of = of_;
    of.kernel = kernel;
    prepared.counter = log->counter(recorded_call(of, *session_.device()));
    if (prepared.counter != nullptr) prepared.counter->add_prepare(now_ns() - start);
  }
  return prepared;
}

/// Sets a kernel's arguments in their order, brings what it needs to the device, enqueues it.
class MatrixKernels::Call {
 public:
  Call(MatrixKernels& kernels, const char* name)
      : kernels_(kernels),
        session_(kernels.session_),
        prepared_(kernels.prepare(name)),
        launch_(prepared_.launch) {}

  /// Has the launch's event told, for times.
  Call& event(cl::Event* event) {
    event_ = event;
    return *this;
  }

  Call& matrix(MatState& mat, bool writes) {
    session_.loops.run_for(&mat, writes ? LoopQueue::For::writing : LoopQueue::For::reading);
    add(mat.values, writes);
    add(Handles::state(mat.sparsity)->rowptr(), false);
    add(Handles::state(mat.sparsity)->colidx(), false);
    return *this;
  }
  Call& values(MatState& mat) {
    session_.loops.run_for(&mat, LoopQueue::For::writing);
    add(mat.values, true);
    return *this;
  }
  Call& vector(DatState& dat, bool writes) {
    session_.loops.run_for(&dat, writes ? LoopQueue::For::writing : LoopQueue::For::reading);
    add(dat.data, writes);
    launch_.set_scalar(position_++, static_cast<cl_long>(dat.data.form().elements));
    return *this;
  }
  Call& memory(Residence& data) {
    add(data, false);
    return *this;
  }
  template <class T>
  Call& scalar(T value) {
    launch_.set_scalar(position_++, value);
    return *this;
  }
  Call& scalar(ByteView value) {
    launch_.set_scalar(position_++, value);
    return *this;
  }
  /// Over rows, with so many work-items for each where they are not taken in blocks.
  void over_rows(std::size_t rows, std::size_t lanes = 1) {
    scalar(static_cast<cl_int>(rows));
    const auto block = static_cast<std::size_t>(kernels_.parameters_.get(
        "BLOCK", matrix_block(static_cast<std::int64_t>(rows), session_.device()->compute_units)));
    if (kernels_.in_blocks_) scalar(static_cast<cl_int>(block));
    run(kernels_.in_blocks_ ? (rows + block - 1) / block : groups_for(rows * lanes));
  }
  void over_numbers(std::size_t count) {
    scalar(static_cast<cl_long>(count));
    run(kernels_.in_blocks_ ? (count + zero_block - 1) / zero_block : groups_for(count));
  }

 private:
  void add(Residence& data, bool writes) {
    launch_.set_memory(position_++, data.on_device(session_.queue));
    if (writes) written_ = &data;
  }
  std::size_t groups_for(std::size_t items) const {
    const std::size_t group = matrix_range(kernels_.parameters_, 1).local[0];
    return std::min((items + group - 1) / group,
                    std::size_t{session_.device()->compute_units} * 64);
  }
  void run(std::size_t groups) {
    if (groups == 0) return;
    const NDRange range = matrix_range(kernels_.parameters_, groups);
    if (!(launch_.range() == range)) launch_.set_range(range);
    cl_event event = nullptr;
    launch_.enqueue(session_.queue.cl()(), {}, event_ != nullptr ? &event : nullptr);
    if (event_ != nullptr) *event_ = cl::Event(event);
    session_.launched();
    if (prepared_.counter != nullptr) prepared_.counter->add_call(now_ns() - start_);
    if (written_ != nullptr) written_->device_writes();
  }

  MatrixKernels& kernels_;
  Session& session_;
  Prepared& prepared_;
  Launch& launch_;
  const std::int64_t start_ = prepared_.counter != nullptr ? now_ns() : 0;
  cl::Event* event_ = nullptr;
  unsigned position_ = 0;
  Residence* written_ = nullptr;
};

void MatrixKernels::multiply(MatState& mat, DatState& x, DatState& y, cl::Event* event) {
  const auto& sparsity = *Handles::state(mat.sparsity);
  Call(*this, "kiln_multiply")
      .event(event)
      .matrix(mat, false)
      .vector(x, false)
      .vector(y, true)
      .over_rows(sparsity.row_set.size(),
                 sparsity.row_dim * static_cast<std::size_t>(parameters_.get("LANES", 1)));
}

void MatrixKernels::diagonal(MatState& mat, DatState& to) {
  Call(*this, "kiln_diagonal")
      .matrix(mat, false)
      .vector(to, true)
      .over_rows(Handles::state(mat.sparsity)->row_set.total_size());
}

void MatrixKernels::set_diagonal(MatState& mat, DatState& from) {
  Call(*this, "kiln_set_diagonal")
      .matrix(mat, true)
      .vector(from, false)
      .over_rows(Handles::state(mat.sparsity)->row_set.total_size());
}

void MatrixKernels::change_rows(MatState& mat, SubsetState* rows, const RowChange& change) {
  auto& sparsity = *Handles::state(mat.sparsity);
  const auto value = scalar_bytes(of_.shape.type, change.value);
  Call(*this, "kiln_rows")
      .matrix(mat, true)
      .memory(rows == nullptr ? sparsity.rowptr() : rows->device)
      .scalar(cl_int{rows == nullptr})
      .scalar(cl_int{change.clear})
      .scalar(cl_int{change.set})
      .scalar(ByteView{value.data(), size_of(of_.shape.type)})
      .over_rows(rows == nullptr ? sparsity.row_set.total_size() : rows->indices.size());
}

void MatrixKernels::zero(MatState& mat) {
  const auto& form = mat.values.form();
  Call(*this, "kiln_zero").values(mat).over_numbers(form.elements * form.dim);
}

}  // namespace kiln::mesh
