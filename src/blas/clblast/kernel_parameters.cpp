#include "blas/clblast/kernel_parameters.hpp"

#include <iterator>
#include <span>

namespace kiln::clblast {
namespace {

constexpr KernelNames all_kernels[] = {
    {"Xaxpy", {"VW", "WGS", "WPT"}},
    {"Xdot", {"WGS1", "WGS2"}},
    {"Xgemv", {"WGS1", "WPT1"}},
    {"XgemvFast", {"VW2", "WGS2", "WPT2"}},
    {"XgemvFastRot", {"VW3", "WGS3", "WPT3"}},
    {"Xger", {"WGS1", "WGS2", "WPT"}},
    {"Xgemm",
     {"GEMMK", "KREG", "KWG", "KWI", "MDIMA", "MDIMC", "MWG", "NDIMB", "NDIMC", "NWG", "SA", "SB",
      "STRM", "STRN", "VWM", "VWN"}},
    {"XgemmDirect",
     {"KWID", "MDIMAD", "MDIMCD", "NDIMBD", "NDIMCD", "PADA", "PADB", "VWMD", "VWND", "WGD"}},
    {"Xconvgemm",
     {"KWID", "MDIMAD", "MDIMCD", "NDIMBD", "NDIMCD", "PADA", "PADB", "VWMD", "VWND", "WGD"}},
    {"Copy", {"COPY_DIMX", "COPY_DIMY", "COPY_VW", "COPY_WPT"}},
    {"Pad", {"PAD_DIMX", "PAD_DIMY", "PAD_WPTX", "PAD_WPTY"}},
    {"Transpose", {"TRA_DIM", "TRA_PAD", "TRA_SHUFFLE", "TRA_WPT"}},
    {"Padtranspose", {"PADTRA_PAD", "PADTRA_TILE", "PADTRA_WPT"}},
    {"Invert", {"INTERNAL_BLOCK_SIZE", "LOCALPAD", "TMMWGSX", "TMMWGSY"}},
    {"GemmRoutine", {"XGEMM_MIN_INDIRECT_SIZE"}},
    {"TrsvRoutine", {"TRSV_BLOCK_SIZE"}},
};

// A tile of C is what a thread holds in registers: of a CPU's one work-item, of a GPU's a
// work-group together. CLBlast's work-group has MDIMC x NDIMC work-items, so that one has MWG /
// MDIMC x NWG / NDIMC elements. Its other parameters (vector widths, unrolling, local memory) are
// no choice here: the generators take what the device has.
constexpr Counterpart on_cpus[] = {
    {"Xgemm", "blas.gemm", "rows", "MWG", "MDIMC"},
    {"Xgemm", "blas.gemm", "columns", "NWG", "NDIMC"},
    {"Xgemm", "blas.gemm", "depth", "KWG"},
    {"Xgemv", "blas.mv_n", "block", "WGS1", "WPT1", true},
    {"Xgemv", "blas.mv_t", "block", "WGS1", "WPT1", true},
    {"XgemvFast", "blas.mv_n", "block", "WGS2", "WPT2", true},
    {"XgemvFastRot", "blas.mv_t", "block", "WGS3", "WPT3", true},
    {"TrsvRoutine", "blas.solve", "rows", "TRSV_BLOCK_SIZE"},
};
constexpr Counterpart on_gpus[] = {
    {"Xgemm", "blas.gemm", "rows", "MWG"},
    {"Xgemm", "blas.gemm", "columns", "NWG"},
    {"Xgemm", "blas.gemm", "depth", "KWG"},
};
std::span<const Counterpart> counterparts(bool on_cpu) {
  return on_cpu ? std::span<const Counterpart>(on_cpus) : std::span<const Counterpart>(on_gpus);
}

}  // namespace

const KernelNames* kernel_named(std::string_view name) {
  const auto* found = std::find_if(std::begin(all_kernels), std::end(all_kernels),
                                   [&](const KernelNames& kernel) { return kernel.name == name; });
  return found == std::end(all_kernels) ? nullptr : found;
}

blas::NamedValues in_words_of_kiln(const KernelNames& kernel, std::string_view family,
                                   const Values& values, bool on_cpu) {
  // Larger ones are no parameters of any kernel, and products of these are numbers.
  const auto value_of = [&](std::string_view name) {
    const std::size_t value = values.at(std::string(name));
    return static_cast<std::int64_t>(std::clamp<std::size_t>(value, 1, std::size_t{1} << 20));
  };
  blas::NamedValues made;
  for (const Counterpart& one : counterparts(on_cpu)) {
    if (one.kernel != kernel.name || one.family != family) continue;
    std::int64_t value = value_of(one.first);
    if (!one.second.empty())
      value = one.is_product ? value * value_of(one.second) : value / value_of(one.second);
    made[std::string(one.parameter)] = std::max<std::int64_t>(value, 1);
  }
  return made;
}

void in_words_of_clblast(const KernelNames& kernel, std::string_view family,
                         const blas::NamedValues& values, bool on_cpu, Values& to) {
  for (const std::string_view name : kernel) to[std::string(name)] = 1;
  for (const Counterpart& one : counterparts(on_cpu)) {
    if (one.kernel != kernel.name || one.family != family) continue;
    const auto found = values.find(std::string(one.parameter));
    if (found != values.end()) to[std::string(one.first)] = static_cast<std::size_t>(found->second);
  }
}

std::vector<std::string_view> families_of(const KernelNames& kernel) {
  std::vector<std::string_view> families;
  for (const Counterpart& one : on_cpus)
    if (one.kernel == kernel.name &&
        std::find(families.begin(), families.end(), one.family) == families.end())
      families.push_back(one.family);
  return families;
}

}  // namespace kiln::clblast
