#include "mesh/matrix/matrix_kernels.hpp"

#include <algorithm>

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

MatrixKernels::MatrixKernels(Session& session, const MatrixShape& shape, double row_length)
    : session_(session),
      shape_(shape),
      request_(make_matrix_request(shape, session.loop_device().cpu, row_length)),
      parameters_(session.resolver().parameters(request_, *session.device())),
      in_blocks_(parameters_.get("FORM", 0) == 0) {}

MatrixKernels& MatrixKernels::of(MatState& mat, bool x_soa, bool y_soa) {
  auto& known = mat.kernels[(x_soa ? 2u : 0u) + (y_soa ? 1u : 0u)];
  if (known != nullptr) return *known;
  const auto& sparsity = *Handles::state(mat.sparsity);
  const MatrixShape shape{mat.values.form().type, static_cast<int>(sparsity.row_dim),
                          static_cast<int>(sparsity.column_dim), x_soa, y_soa};
  known = &find(*mat.session, shape, row_length(sparsity));
  return *known;
}

MatrixKernels& MatrixKernels::find(Session& session, const MatrixShape& shape, double row_length) {
  auto made = std::make_unique<MatrixKernels>(session, shape, row_length);
  for (const auto& known : session.matrix_kernels)
    if (known->shape_ == shape && known->parameters_ == made->parameters_) return *known;
  session.matrix_kernels.push_back(std::move(made));
  return *session.matrix_kernels.back();
}

Launch& MatrixKernels::launch(const std::string& kernel) {
  const auto known = launches_.find(kernel);
  if (known != launches_.end()) return known->second;
  NDRange range;
  range.local[0] = range.global[0] =
      in_blocks_ ? 1 : static_cast<std::size_t>(parameters_.get("GROUP", 128));
  EnvironmentExplanation explanation;
  Program& program = session_.resolver().resolve(
      request_, session_.context(), session_.device(), {variant_of(kernel, range)},
      explains_by_environment() ? explanation.get() : nullptr);
  return launches_.try_emplace(kernel, session_.context(), program, kernel).first->second;
}

/// Sets a kernel's arguments in their order, brings what it needs to the device, enqueues it.
class MatrixKernels::Call {
 public:
  Call(MatrixKernels& kernels, const char* name)
      : kernels_(kernels), session_(kernels.session_), launch_(kernels.launch(name)) {}

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
    const std::size_t units = session_.device()->compute_units;
    const std::size_t block = std::clamp<std::size_t>(rows / (units * 16), 128, 4096);
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
    const auto group = static_cast<std::size_t>(kernels_.parameters_.get("GROUP", 128));
    return std::min((items + group - 1) / group,
                    std::size_t{session_.device()->compute_units} * 64);
  }
  void run(std::size_t groups) {
    if (groups == 0) return;
    NDRange range;
    range.local[0] =
        kernels_.in_blocks_ ? 1 : static_cast<std::size_t>(kernels_.parameters_.get("GROUP", 128));
    range.global[0] = groups * range.local[0];
    if (!(launch_.range() == range)) launch_.set_range(range);
    launch_.enqueue(session_.queue.cl()());
    session_.launched();
    if (written_ != nullptr) written_->device_writes();
  }

  MatrixKernels& kernels_;
  Session& session_;
  Launch& launch_;
  unsigned position_ = 0;
  Residence* written_ = nullptr;
};

void MatrixKernels::multiply(MatState& mat, DatState& x, DatState& y) {
  const auto& sparsity = *Handles::state(mat.sparsity);
  Call(*this, "kiln_multiply")
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
  const auto value = scalar_bytes(shape_.type, change.value);
  Call(*this, "kiln_rows")
      .matrix(mat, true)
      .memory(rows == nullptr ? sparsity.rowptr() : rows->device)
      .scalar(cl_int{rows == nullptr})
      .scalar(cl_int{change.clear})
      .scalar(cl_int{change.set})
      .scalar(ByteView{value.data(), size_of(shape_.type)})
      .over_rows(rows == nullptr ? sparsity.row_set.total_size() : rows->indices.size());
}

void MatrixKernels::zero(MatState& mat) {
  const auto& form = mat.values.form();
  Call(*this, "kiln_zero").values(mat).over_numbers(form.elements * form.dim);
}

}  // namespace kiln::mesh
