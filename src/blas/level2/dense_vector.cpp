#include "blas/level2/dense_vector.hpp"

#include "blas/template/template_choice.hpp"

namespace kiln::blas {

DenseVector::DenseVector(SequenceBuilder& to, Team& team, Slot slot, std::size_t n, Copy copy)
    : slot_(slot), n_(n), is_copy_(copy == Copy::always || to.call()[slot].stride != 1) {
  if (!is_copy_) return;
  copy_ = to.workspace(n * size_of(to.call().precision));
  team.step(0, template_choice(to, 0, "pack_vector"), stream_range(to.device(0), n))
      .number(n)
      .memory(slot)
      .offset(slot)
      .number(to.call()[slot].stride)
      .buffer(copy_)
      .number(std::int64_t{0})
      .number(std::int64_t{1});
  team.next_round();
}

void DenseVector::put(SequenceBuilder::Arguments& to) const {
  if (is_copy_)
    to.buffer(copy_).number(std::int64_t{0});
  else
    to.memory(slot_).offset(slot_);
}

void DenseVector::write_back(SequenceBuilder& to, Team& team) const {
  if (!is_copy_) return;
  team.step(0, template_choice(to, 0, "pack_vector"), stream_range(to.device(0), n_))
      .number(n_)
      .buffer(copy_)
      .number(std::int64_t{0})
      .number(std::int64_t{1})
      .memory(slot_)
      .offset(slot_)
      .number(to.call()[slot_].stride);
  team.next_round();
}

}  // namespace kiln::blas
