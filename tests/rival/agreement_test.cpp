// The other libraries are called rightly: they compute what Kiln does, from the same memory.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "kiln/blas/level2.hpp"
#include "kiln/blas/level3.hpp"
#include "rival/libraries.hpp"
#include "rival/problem.hpp"

namespace kiln::rival {
namespace {

using namespace kiln::blas;

Machine& machine() {
  static auto& machine = *new Machine("cpu");
  return machine;
}

/// Options that are not the defaults, and sizes that are all different.
Call call_of(Routine routine, Precision precision) {
  Call call;
  call.routine = routine;
  call.precision = precision;
  call.order = Order::row_major;
  call.side = Side::right;
  call.uplo = Uplo::lower;
  const bool hermitian = routine == Routine::herk || routine == Routine::her2k;
  const bool symmetric = routine == Routine::syrk || routine == Routine::syr2k;
  call.trans_a = hermitian   ? Transpose::conjugate
                 : symmetric ? Transpose::transpose
                             : Transpose::conjugate;
  call.trans_b = Transpose::transpose;
  call.m = 19;
  call.n = 24;
  call.k = 7;
  call.kl = 3;
  call.ku = 5;
  const bool real = !is_complex(precision) || routine == Routine::herk || routine == Routine::her ||
                    routine == Routine::hpr;
  call.alpha = real ? Scalar(0.75) : Scalar(0.75, -0.5);
  call.beta = !is_complex(precision) || hermitian ? Scalar(-0.5) : Scalar(-0.5, 0.25);
  return call;
}

using Memory = std::array<std::vector<char>, slot_count>;

Memory saved(const Problem& problem) {
  Memory memory;
  for (std::size_t slot = 0; slot < slot_count; ++slot)
    if (const char* from = static_cast<const char*>(problem.memory()[slot]))
      memory[slot].assign(from, from + problem.bytes(static_cast<Slot>(slot)));
  return memory;
}

void restore(const Problem& problem, const Memory& memory) {
  for (std::size_t slot = 0; slot < slot_count; ++slot)
    if (!memory[slot].empty())
      std::memcpy(problem.memory()[slot], memory[slot].data(), memory[slot].size());
}

template <class R>
void expect_near(const std::vector<char>& ours, const std::vector<char>& theirs,
                 const std::string& what) {
  ASSERT_EQ(ours.size(), theirs.size()) << what;
  if (ours.empty()) return;
  std::vector<R> a(ours.size() / sizeof(R)), b(a.size());
  std::memcpy(a.data(), ours.data(), a.size() * sizeof(R));
  std::memcpy(b.data(), theirs.data(), b.size() * sizeof(R));
  const R tolerance = 2000 * std::numeric_limits<R>::epsilon();
  for (std::size_t i = 0; i < a.size(); ++i)
    ASSERT_LE(std::abs(a[i] - b[i]), tolerance * std::max(R(1), std::abs(a[i])))
        << what << ", number " << i;
}

/// Runs both sides from the same memory and compares all of it.
template <class Theirs>
void expect_agreement(const Call& call, const std::string& library, const Theirs& theirs) {
  const std::string what =
      library + ' ' + letter(call.precision) + std::string(name_of(call.routine));
  Problem problem(machine(), call);
  ASSERT_TRUE(problem.is_in_host_memory());
  const Memory before = saved(problem);
  problem.run();
  const Memory ours = saved(problem);
  restore(problem, before);
  theirs(problem);
  const Memory other = saved(problem);
  bool changed = false;
  for (std::size_t slot = 0; slot < slot_count; ++slot) {
    changed |= other[slot] != before[slot];
    if (call.routine == Routine::iamax && static_cast<Slot>(slot) == Slot::z)
      EXPECT_EQ(ours[slot], other[slot]) << what;
    else if (is_double(call.precision))
      expect_near<double>(ours[slot], other[slot], what);
    else
      expect_near<float>(ours[slot], other[slot], what);
  }
  EXPECT_TRUE(changed) << what << " did nothing";
}

bool is_defined(Routine routine, Precision precision) {
  using enum Routine;
  const auto is = [&](std::initializer_list<Routine> list) {
    return std::find(list.begin(), list.end(), routine) != list.end();
  };
  // The ssum of OpenBLAS 0.3.21 is wrong for short vectors, next to a sum in double.
  if (is({rotg, rotmg, rot, rotm, sum, iamin, imax, imin, had, im2col, col2im, conv})) return false;
  if (is({dotc, hemv, gerc, her, her2, hpmv, hpr, hpr2, hbmv, hemm, herk, her2k}))
    return is_complex(precision);
  if (is({symv, syr, syr2, spmv, spr, spr2, sbmv})) return !is_complex(precision);
  return true;
}

class WithOpenblas : public ::testing::TestWithParam<Precision> {};

TEST_P(WithOpenblas, every_routine_gives_what_kiln_gives) {
  if (!Cblas::get().present()) GTEST_SKIP() << "libopenblas.so.0 is absent";
  for (int i = 0; i < routine_count; ++i) {
    const auto routine = static_cast<Routine>(i);
    if (is_defined(routine, GetParam()))
      expect_agreement(call_of(routine, GetParam()), "OpenBLAS", [](const Problem& problem) {
        Cblas::get().run(problem.call(), problem.memory());
      });
  }
}

// It compiles for seconds: each form that arguments have, in one of the precisions.
TEST(WithClblast, each_form_of_arguments_gives_what_kiln_gives) {
  if (!Clblast::get().present()) GTEST_SKIP() << "libclblast.so.1 is absent";
  using enum Routine;
  constexpr auto s = Precision::s, d = Precision::d, c = Precision::c, z = Precision::z;
  for (const auto& [routine, precision] :
       {std::pair{axpy, c}, {dot, s},      {dotc, z}, {nrm2, c}, {asum, d}, {sum, c},
        {had, z},           {omatcopy, c}, {gemv, z}, {gbmv, s}, {spmv, d}, {tpmv, c},
        {tbmv, s},          {ger, d},      {ger, c},  {hpr, z},  {her2, c}, {gemm, s},
        {trmm, d},          {symm, s},     {herk, c}, {her2k, c}})
    expect_agreement(call_of(routine, precision), "CLBlast", [](const Problem& problem) {
      Clblast::get().run(problem.call(), problem.queue());
      ASSERT_EQ(clFinish(problem.queue()), CL_SUCCESS);
    });
}

TEST(WithClblast, images_and_batches_give_what_kiln_gives) {
  if (!Clblast::get().present()) GTEST_SKIP() << "libclblast.so.1 is absent";
  Window window;
  window.channels = 3;
  window.height = 7;
  window.width = 9;
  window.kernel_h = 3;
  window.pad_w = window.stride_h = 2;
  const Block none(nullptr);
  Call products = call_of(Routine::gemm, Precision::c);
  products.batch = 5;
  for (const Slot slot : {Slot::a, Slot::b, Slot::c}) products[slot].batch_stride = 1;
  for (const Call& call :
       {im2col<std::complex<float>>(window, none, none), col2im<double>(window, none, 1, none),
        conv<float>(window, 4, 2, none, none, none), products})
    expect_agreement(call, "CLBlast", [](const Problem& problem) {
      Clblast::get().run(problem.call(), problem.queue());
      ASSERT_EQ(clFinish(problem.queue()), CL_SUCCESS);
    });
}

constexpr Precision precisions[] = {Precision::s, Precision::d, Precision::c, Precision::z};
const auto by_letter = [](const auto& of) { return std::string(1, letter(of.param)); };
INSTANTIATE_TEST_SUITE_P(All, WithOpenblas, ::testing::ValuesIn(precisions), by_letter);

TEST(WithOnednn, sgemm_gives_what_kiln_gives_in_both_orders) {
  if (!Onednn::get().present()) GTEST_SKIP() << "libdnnl.so.2 is absent";
  for (const auto order : {Order::row_major, Order::column_major}) {
    Call call = call_of(Routine::gemm, Precision::s);
    call.order = order;
    expect_agreement(call, "oneDNN", [](const Problem& problem) {
      Onednn::get().run(problem.call(), problem.memory());
    });
  }
}

TEST(Rivals, say_what_they_lack) {
  const auto error_of = [](const auto& action) -> std::string {
    try {
      action();
    } catch (const Error& error) {
      return std::string(kiln::name_of(error.code())) + ": " + error.message();
    }
    return "nothing";
  };
  Problem problem(machine(), call_of(Routine::rot, Precision::s));
  EXPECT_EQ(error_of([&] { Cblas::get().run(problem.call(), problem.memory()); }),
            "unsupported: no other library is measured in rot");
  EXPECT_EQ(error_of([&] { Onednn::get().run(problem.call(), problem.memory()); }),
            "unsupported: oneDNN has sgemm, and that of bytes with results of int32");
  const SharedLibrary absent({"libno-such-library.so.7"});
  EXPECT_FALSE(absent.present());
  EXPECT_FALSE(absent.has("sgemm"));
  EXPECT_EQ(error_of([&] { absent.function<void()>("sgemm"); }),
            "unsupported: there is no function sgemm");
}

}  // namespace
}  // namespace kiln::rival
