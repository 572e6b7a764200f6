#include "blas/level1/level1.hpp"
#include "blas/template/template_choice.hpp"

namespace kiln::blas {

void add_axpy(SequenceBuilder& to) {
  const Call& call = to.call();
  to.step(0, template_choice(to, 0, "axpy"), stream_range(to.device(0), call.n))
      .number(call.n)
      .alpha()
      .memory(Slot::x)
      .offset(Slot::x)
      .number(call[Slot::x].stride)
      .memory(Slot::y)
      .offset(Slot::y)
      .number(call[Slot::y].stride);
}

}  // namespace kiln::blas
