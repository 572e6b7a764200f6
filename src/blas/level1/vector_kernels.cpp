#include "blas/level1/vector_kernels.hpp"

#include <algorithm>
#include <cstdlib>

#include "blas/template/template_choice.hpp"
#include "blas/uses.hpp"

namespace kiln::blas {

bool have_unit_strides(const Call& call) {
  std::int64_t first = 0;
  for (const Use& use : Uses(call)) {
    if (use.form != Use::Form::vector) continue;
    const std::int64_t stride = call[use.slot].stride;
    if (std::llabs(stride) != 1 || (first != 0 && stride != first)) return false;
    first = stride;
  }
  return true;
}

NDRange vector_range(const Device& device, std::size_t n) {
  NDRange range = stream_range(device, n);
  const std::size_t groups = range.global[0] / range.local[0];
  range.local[0] = work_group_of(device);
  range.global[0] = groups * range.local[0];
  return range;
}

KernelChoice vector_kernel(const SequenceBuilder& builder, const std::string& name,
                           std::vector<Fact> facts) {
  facts.push_back({"unit_strides", std::int64_t{have_unit_strides(builder.call())}});
  return template_choice(builder, 0, name, std::move(facts));
}

void add_vector(SequenceBuilder::Arguments& to, const Call& call, Slot slot) {
  const std::int64_t stride = call[slot].stride;
  // Unit strides of -1 are gone over backwards, which is the same pairs of elements.
  const bool from_the_end = stride < 0 && !have_unit_strides(call);
  const auto last = static_cast<std::int64_t>(call.n) - 1;
  to.memory(slot).offset(slot, from_the_end ? -last * stride : 0).number(stride);
}

}  // namespace kiln::blas
