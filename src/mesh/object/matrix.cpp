#include "kiln/mesh/matrix.hpp"

#include <fmt/format.h>

#include "mesh/object/session.hpp"

namespace kiln::mesh {

std::size_t Sparsity::rows() const { return state_->row_set.total_size(); }
std::size_t Sparsity::columns() const { return state_->column_set.total_size(); }
std::size_t Sparsity::row_dim() const { return state_->row_dim; }
std::size_t Sparsity::column_dim() const { return state_->column_dim; }
std::span<const std::int32_t> Sparsity::rowptr() const { return state_->view(state_->rowptr()); }
std::span<const std::int32_t> Sparsity::colidx() const { return state_->view(state_->colidx()); }
std::size_t Sparsity::nonzeros() const { return state_->colidx().form().elements; }

const std::string& Mat::name() const { return state_->name; }
const Sparsity& Mat::sparsity() const { return state_->sparsity; }
ScalarType Mat::type() const { return state_->values.form().type; }
std::size_t Mat::count() const {
  return state_->values.form().elements * state_->values.form().dim;
}

void* Mat::host(ScalarType type, bool to_write) const {
  if (this->type() != type)
    throw Error(Errc::bad_input, fmt::format("mat {} is of {}, not {}", name(),
                                             name_of(this->type()), name_of(type)));
  Session& session = *state_->session;
  session.throw_pending();
  session.loops.run_for(state_.get(), to_write ? LoopQueue::For::writing : LoopQueue::For::reading);
  return state_->values.on_host(session.queue, to_write);
}

}  // namespace kiln::mesh
