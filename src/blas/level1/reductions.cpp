#include "blas/level1/level1.hpp"
#include "blas/level1/vector_kernels.hpp"
#include "blas/template/template_choice.hpp"

namespace kiln::blas {
namespace {

// Enough for the PART of every template: what one work-group leaves to the second kernel.
constexpr std::size_t part_bytes = 32;

/// One kernel where one work-group does it all; else a second one joins what the groups found.
void add_reduction(SequenceBuilder& to, const std::string& name, std::vector<Slot> vectors,
                   std::vector<Fact> facts = {}) {
  const Device& device = to.device(0);
  const Call& call = to.call();
  facts.push_back({"group", static_cast<std::int64_t>(work_group_of(device))});
  KernelChoice choice = vector_kernel(to, name, std::move(facts));

  // One vector that runs backwards has no elements, as reference BLAS sees it.
  const bool is_empty = vectors.size() == 1 && call[vectors[0]].stride < 0;
  const std::size_t n = is_empty ? 0 : call.n;
  const NDRange range = vector_range(device, n);
  const std::size_t groups = range.global[0] / range.local[0];
  const cl::Buffer parts = groups > 1 ? to.workspace(groups * part_bytes) : cl::Buffer();

  auto first = to.step(0, choice, range);
  first.number(n);
  for (const Slot slot : vectors) add_vector(first, call, slot);
  first.buffer(parts).memory(Slot::z).offset(Slot::z);
  if (groups == 1) return;

  choice.kernel = name + "_end";
  NDRange one_group;
  one_group.local[0] = one_group.global[0] = range.local[0];
  to.step(0, choice, one_group).number(groups).buffer(parts).memory(Slot::z).offset(Slot::z);
}

}  // namespace

void add_dot(SequenceBuilder& to) {
  const std::int64_t conjugated =
      to.call().routine == Routine::dotc && is_complex(to.call().precision);
  add_reduction(to, "dot_product", {Slot::x, Slot::y}, {{"conjugated", conjugated}});
}

void add_nrm2(SequenceBuilder& to) { add_reduction(to, "nrm2", {Slot::x}); }
void add_asum(SequenceBuilder& to) { add_reduction(to, "asum", {Slot::x}); }
void add_iamax(SequenceBuilder& to) { add_reduction(to, "iamax", {Slot::x}); }

}  // namespace kiln::blas
