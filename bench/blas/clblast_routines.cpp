// Every routine of CLBlast's interface, small and large, on the CPU device and on a GPU: one
// program's calls of either libclblast.so.1, CLBlast's and Kiln's, on the same memory objects and
// the same queue.
#include <fmt/format.h>

#include <complex>
#include <map>
#include <span>

#include "blas/bars.hpp"
#include "blas/call/routine_traits.hpp"
#include "blas/duel.hpp"
#include "kiln/blas/level2.hpp"
#include "kiln/blas/level3.hpp"
#include "rival/libraries.hpp"

namespace kiln::bench {
namespace {

using namespace kiln::blas;

/// A routine with the precisions and sizes that it is measured in.
struct Measured {
  Routine routine;
  std::string_view precisions;
  std::size_t small, large;
  Transpose trans = Transpose::none;
  std::string_view name = {};  ///< where it is not BLAS's name of the routine
};

constexpr std::size_t vector = 4096, long_vector = std::size_t{1} << 22;
constexpr Transpose transposed = Transpose::transpose;

// Precisions other than these have the same kernels. `dot` of complex numbers is dotu, `ger` geru.
constexpr Measured level_1[] = {
    {Routine::swap, "sc", vector, long_vector},
    {Routine::scal, "sc", vector, long_vector},
    {Routine::copy, "sc", vector, long_vector},
    {Routine::axpy, "sc", vector, long_vector},
    {Routine::dot, "sc", vector, long_vector},
    {Routine::dotc, "c", vector, long_vector},
    {Routine::nrm2, "sc", vector, long_vector},
    {Routine::asum, "sc", vector, long_vector},
    {Routine::sum, "sc", vector, long_vector},
    {Routine::iamax, "sc", vector, long_vector, Transpose::none, "amax"},
    {Routine::iamin, "sc", vector, long_vector, Transpose::none, "amin"},
    {Routine::imax, "sc", vector, long_vector, Transpose::none, "max"},
    {Routine::imin, "sc", vector, long_vector, Transpose::none, "min"},
    {Routine::had, "sc", vector, long_vector},
};
constexpr Measured level_2[] = {
    {Routine::gemv, "sc", 128, 2048},  {Routine::gemv, "sc", 128, 2048, transposed, "gemv-t"},
    {Routine::gbmv, "sc", 128, 16384}, {Routine::hemv, "c", 128, 2048},
    {Routine::hbmv, "c", 128, 16384},  {Routine::hpmv, "c", 128, 2048},
    {Routine::symv, "s", 128, 2048},   {Routine::sbmv, "s", 128, 16384},
    {Routine::spmv, "s", 128, 2048},   {Routine::trmv, "sc", 128, 2048},
    {Routine::tbmv, "sc", 128, 16384}, {Routine::tpmv, "sc", 128, 2048},
    {Routine::trsv, "sc", 128, 2048},  {Routine::ger, "sc", 128, 2048},
    {Routine::gerc, "c", 128, 2048},   {Routine::her, "c", 128, 2048},
    {Routine::hpr, "c", 128, 2048},    {Routine::her2, "c", 128, 2048},
    {Routine::hpr2, "c", 128, 2048},   {Routine::syr, "s", 128, 2048},
    {Routine::spr, "s", 128, 2048},    {Routine::syr2, "s", 128, 2048},
    {Routine::spr2, "s", 128, 2048},
};
constexpr Measured level_3[] = {
    {Routine::gemm, "sc", 64, 512}, {Routine::symm, "sc", 64, 512}, {Routine::hemm, "c", 64, 512},
    {Routine::syrk, "sc", 64, 512}, {Routine::herk, "c", 64, 512},  {Routine::syr2k, "sc", 64, 512},
    {Routine::her2k, "c", 64, 512}, {Routine::trmm, "sc", 64, 512}, {Routine::trsm, "sc", 64, 512},
};
constexpr Measured matrix_copies[] = {
    {Routine::omatcopy, "sc", 64, 2048},
    {Routine::omatcopy, "sc", 64, 512, transposed, "omatcopy-t"},
    {Routine::omatcopy, "s", 511, 2048, transposed, "omatcopy-t"},
};

std::string measured_name(const Measured& measured, Precision precision) {
  if (!measured.name.empty()) return letter(precision) + std::string(measured.name);
  if (is_complex(precision) && measured.routine == Routine::dot) return "cdotu";
  if (is_complex(precision) && measured.routine == Routine::ger) return "cgeru";
  return letter(precision) + std::string(blas::name_of(measured.routine));
}

/// What a small call takes is for the most part the wait for its end, which tells nothing of it:
/// so many are enqueued before a wait.
constexpr int small_calls = 20;

Outcome against_clblast(const Context& context, const char* device, const Call& call, int in_a_row,
                        rival::Clblast::Items items) {
  if (!select_devices(device)) return not_measured(fmt::format("there is no device '{}'", device));
  const auto& theirs = rival::Clblast::get();
  if (!theirs.present()) return not_measured("CLBlast's libclblast.so.1 is absent");
  static const rival::Clblast ours(context.binaries.parent_path() / "lib" / "libclblast.so.1");
  if (!ours.present()) return not_measured("Kiln's libclblast.so.1 is absent");
  // Either library keeps what it made in a context.
  static std::map<std::string, rival::Machine> machines;
  rival::Problem problem(machines.try_emplace(device, device).first->second, call);
  const auto side = [&](const char* name, const rival::Clblast& library) {
    auto made = rival::side_of(name, [&problem, &library, items, in_a_row] {
      for (int i = 0; i < in_a_row; ++i) library.run(problem.call(), problem.queue(), items);
      check_cl(::clFinish(problem.queue()), "clFinish");
    });
    made.sample = [all = made.sample, in_a_row] { return all() / in_a_row; };
    return made;
  };
  return duel(problem, side("CLBlast", theirs), side("Kiln", ours), 7);
}

/// What is measured: a bar's name and text, the call, and how it is made.
struct ClblastProblem {
  std::string name, text;
  Call call;
  bool is_small;
  rival::Clblast::Items items = rival::Clblast::Items::a_stride_apart;
};

Bar cpu_bar(const ClblastProblem& problem) {
  return {"blas/clblast/" + problem.name,
          problem.text + " on the CPU device, by either libclblast.so.1",
          Holds::at_least,
          1,
          "x faster",
          [problem](const Context& context) {
            return against_clblast(context, "cpu", problem.call, problem.is_small ? small_calls : 1,
                                   problem.items);
          }};
}

Bar gpu_bar(const ClblastProblem& problem) {
  return {"blas/gpu-clblast/" + problem.name,
          problem.text + " on the GPU, by either libclblast.so.1",
          Holds::at_least,
          1,
          "x faster",
          [problem](const Context& context) {
            return against_clblast(context, "gpu", problem.call, small_calls, problem.items);
          }};
}

Call call_of(const Measured& measured, Precision precision, std::size_t n) {
  Call call = measured_call(measured.routine, precision, n);
  call.trans_a = measured.trans;
  if (has(measured.routine, trait::band)) call.k = call.kl = call.ku = 32;
  return rival::contiguous(call);
}

void add(std::vector<ClblastProblem>& problems, const std::string& group,
         std::span<const Measured> all) {
  for (const Measured& measured : all)
    for (const char of : measured.precisions)
      for (const std::size_t n : {measured.small, measured.large}) {
        const Precision precision = of == 's' ? Precision::s : Precision::c;
        const std::string name = measured_name(measured, precision);
        problems.push_back({fmt::format("{}/{}-{}", group, name, n),
                            fmt::format("{}, n = {},", name, n), call_of(measured, precision, n),
                            n == measured.small});
      }
}

/// Images of so many points a side, in `channels`, under a filter of 3 x 3.
Window window_of(std::size_t channels, std::size_t side) {
  Window window;
  window.channels = channels;
  window.height = window.width = side;
  window.kernel_h = window.kernel_w = 3;
  window.pad_h = window.pad_w = 1;
  return window;
}

template <class T>
void add_images(std::vector<ClblastProblem>& problems, std::size_t channels, std::size_t side) {
  const Block none(nullptr);
  const Window window = window_of(channels, side);
  const bool is_small = side < 64;
  const auto add = [&](const char* what, const Call& call) {
    problems.push_back(
        {fmt::format("copies/{}{}-{}", letter(call.precision), what, side),
         fmt::format("{} of {} x {} points in {} channels,", what, side, side, channels), call,
         is_small});
  };
  add("im2col", im2col<T>(window, none, none));
  add("col2im", col2im<T>(window, none, 1, none));  // CLBlast adds to the image
  if constexpr (std::is_floating_point_v<T>)        // and has no complex ones of these
    add("convgemm", conv<T>(window, 16, 4, none, none, none));
}

void add_batches(std::vector<ClblastProblem>& problems, Precision precision) {
  constexpr std::size_t items = 64;
  using enum rival::Clblast::Items;
  const auto add = [&](const char* what, const Call& call, bool is_small, auto how) {
    problems.push_back({fmt::format("batches/{}{}-{}", letter(precision), what, call.n),
                        fmt::format("{} items, n = {},", items, call.n), call, is_small, how});
  };
  for (const std::size_t n : {256, 16384}) {
    Call call = measured_call(Routine::axpy, precision, n);
    call.batch = items;
    call[Slot::x].batch_stride = call[Slot::y].batch_stride = static_cast<std::int64_t>(n);
    add("axpybatched", call, n == 256, at_places);
  }
  for (const std::size_t n : {16, 128}) {
    Call call = measured_call(Routine::gemm, precision, n);
    call.batch = items;
    for (const Slot slot : {Slot::a, Slot::b, Slot::c})
      call[slot].batch_stride = static_cast<std::int64_t>(n * n);
    add("gemmbatched", call, n == 16, at_places);
    add("gemmstridedbatched", call, n == 16, a_stride_apart);
  }
}

}  // namespace

std::vector<Bar> clblast_routine_bars() {
  std::vector<ClblastProblem> problems;
  add(problems, "level1", level_1);
  add(problems, "level2", level_2);
  add(problems, "level3", level_3);
  add(problems, "copies", matrix_copies);
  for (const auto& [channels, side] : {std::pair<std::size_t, std::size_t>{3, 16}, {16, 128}}) {
    add_images<float>(problems, channels, side);
    add_images<std::complex<float>>(problems, channels, side);
  }
  add_batches(problems, Precision::s);
  add_batches(problems, Precision::c);
  std::vector<Bar> bars;
  for (const ClblastProblem& problem : problems) bars.push_back(cpu_bar(problem));
  for (const ClblastProblem& problem : problems) bars.push_back(gpu_bar(problem));
  return bars;
}

}  // namespace kiln::bench
