#include "blas/routines/routines.hpp"

#include <array>

namespace kiln::blas {

void add_steps(SequenceBuilder& builder) {
  using Add = void (*)(SequenceBuilder&);
  // In the order of the enumerators.
  static constexpr std::array<Add, routine_count> all{
      // level 1
      add_elementwise, add_elementwise, add_elementwise, add_elementwise, add_reduction,
      add_reduction, add_rotation, add_rotation, add_elementwise, add_elementwise, add_reduction,
      add_reduction, add_reduction,
      // sum to had
      add_reduction, add_reduction, add_reduction, add_reduction, add_elementwise,
      // gemv to trsv; ger to her2
      add_gemv, add_symv, add_symv, add_trmv, add_trsv, add_rank_update, add_rank_update,
      add_rank_update, add_rank_update, add_rank_update, add_rank_update,
      // packed: tpmv to hpmv; spr to hpr2
      add_trmv, add_trsv, add_symv, add_symv, add_rank_update, add_rank_update, add_rank_update,
      add_rank_update,
      // bands
      add_gemv, add_trmv, add_symv, add_symv, add_trsv,
      // copies
      add_omatcopy, add_patches, add_patches,
      // level 3
      add_gemm, add_sided, add_trsm, add_syrk, add_syr2k, add_sided, add_sided, add_syrk, add_syr2k,
      add_conv};
  const auto index = static_cast<std::size_t>(builder.call().routine);
  if (index >= all.size()) throw Error(Errc::internal, "no routine of BLAS has this number");
  const auto add = [routine = all[index]](SequenceBuilder& to) {
    needs_copies(to.call()) ? add_widened(to, routine) : routine(to);
  };
  const Call& call = builder.call();
  // The images of a convolution are its own matter.
  const bool is_batch = call.routine != Routine::conv && (call.batch > 1 || call.by_items);
  is_batch ? add_batch(builder, add) : add(builder);
}

}  // namespace kiln::blas
