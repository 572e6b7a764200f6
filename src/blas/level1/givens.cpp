#include "blas/level1/level1.hpp"
#include "blas/template/template_choice.hpp"

namespace kiln::blas {
namespace {

/// A kernel of one work-item over single scalars in memory.
void add_scalar_step(SequenceBuilder& to, const std::string& name,
                     std::initializer_list<Slot> slots) {
  auto arguments = to.step(0, template_choice(to, 0, name), NDRange{});
  for (const Slot slot : slots) arguments.memory(slot).offset(slot);
}

}  // namespace

void add_rotg(SequenceBuilder& to) {
  add_scalar_step(to, "rotg", {Slot::x, Slot::y, Slot::z, Slot::w});
}

void add_rotmg(SequenceBuilder& to) {
  add_scalar_step(to, "rotmg", {Slot::a, Slot::b, Slot::x, Slot::y, Slot::z});
}

}  // namespace kiln::blas
