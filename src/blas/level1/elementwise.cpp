#include "blas/level1/level1.hpp"
#include "blas/level1/vector_kernels.hpp"

namespace kiln::blas {
namespace {

SequenceBuilder::Arguments step(SequenceBuilder& to, const std::string& name,
                                std::vector<Fact> facts = {}) {
  auto arguments = to.step(0, vector_kernel(to, name, std::move(facts)),
                           vector_range(to.device(0), to.call().n));
  arguments.number(to.call().n);
  return arguments;
}

void add_vectors(SequenceBuilder::Arguments& to, const Call& call) {
  add_vector(to, call, Slot::x);
  add_vector(to, call, Slot::y);
}

}  // namespace

void add_swap(SequenceBuilder& to) {
  auto arguments = step(to, "swap");
  add_vectors(arguments, to.call());
}

void add_scal(SequenceBuilder& to) {
  if (to.call()[Slot::x].stride < 0) return;
  auto arguments = step(to, "scal", {{"real_alpha", std::int64_t{to.call().real_alpha}}});
  add_vector(arguments.alpha(), to.call(), Slot::x);
}

void add_copy(SequenceBuilder& to) {
  // What is longer than the last caches of today's CPUs for each core that runs.
  constexpr std::size_t much = std::size_t{32} << 20;
  const std::int64_t beyond_cache = to.call().n >= much / size_of(to.call().precision);
  auto arguments = step(to, "copy", {{"beyond_cache", beyond_cache}});
  add_vectors(arguments, to.call());
}

void add_axpy(SequenceBuilder& to) {
  auto arguments = step(to, "axpy");
  add_vectors(arguments.alpha(), to.call());
}

void add_rot(SequenceBuilder& to) {
  auto arguments = step(to, "rot");
  add_vectors(arguments.alpha().beta(), to.call());
}

void add_rotm(SequenceBuilder& to) {
  auto arguments = step(to, "rotm");
  add_vectors(arguments, to.call());
  arguments.memory(Slot::z).offset(Slot::z);
}

}  // namespace kiln::blas
