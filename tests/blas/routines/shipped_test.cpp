// Products with Parameters that come with Kiln: right, said so, and of no effect on calls whose
// bits are to depend on nothing else.
#include <gmock/gmock.h>

#include "base/os/file.hpp"
#include "blas/call/problem_class.hpp"
#include "blas/generator/gemm_generator.hpp"
#include "blas/routines/level3.hpp"
#include "kernel/request/shipped_file.hpp"
#include "kernel/resolver/shipped_records.hpp"
#include "kiln/blas/explain.hpp"

namespace kiln::blas::testing {
namespace {

template <class T>
class ShippedTiles : public ::testing::Test {
 protected:
  static constexpr std::size_t rows = 150, columns = 140, depth = 700;
  static constexpr Precision precision = precision_of<T>;

  /// A file for the tests' device with another tile than the built-in one, for products.
  ShippedTiles() {
    const Device& device = Machine::get().device();
    Request request;
    request.payload = GemmPayload{precision, "cpu", false, device.native_floats};
    Parameters tile = GemmGenerator().defaults(request);
    tile.set("columns", tile.get("columns", 0) - 1);
    // Several blocks of the depth: sums in another order than the built-in's.
    tile.set("depth", 96);
    const Measurement one{tile, 256, 1, Measurement::Of::kiln, "by hand", {}, 2};
    const ShippedFile file{
        DeviceFacts::of(device),
        "by hand",
        {{"blas.gemm", GemmGenerator().version(), problem_class_of(product(false)), {{one}}}}};
    value_or_throw(write_file(folder_.path() / "device.jsonl", as_bytes(text_of(file))));
  }

  static Call product(bool is_invariant) {
    Call call;
    call.routine = Routine::gemm;
    call.precision = precision;
    call.m = rows;
    call.n = columns;
    call.k = depth;
    call.alpha = scalar(precision, -0.7, 0.3);
    call.beta = scalar(precision, 1.3, -0.2);
    call.invariant = is_invariant;
    return call;
  }
  std::vector<T> result(Library& library, bool is_invariant) {
    auto a = OperandData<T>::matrix(rows, depth, rows, 0, 1);
    auto b = OperandData<T>::matrix(depth, columns, depth, 0, 2);
    auto c = OperandData<T>::matrix(rows, columns, rows, 0, 3);
    Call call = product(is_invariant);
    call[Slot::a] = a.upload();
    call[Slot::b] = b.upload();
    call[Slot::c] = c.upload();
    const auto queues = Machine::get().queues();
    EXPECT_EQ(library.run(call, {queues}), Status::success);
    ::clFinish(queues.front());
    const auto sequence = explain(library, call, queues);
    from_ = sequence.steps.back().parameters_from;
    text_ = text_of(sequence);
    return c.download();
  }

  TemporaryFolder folder_ = value_or_throw(TemporaryFolder::create("kiln-shipped"));
  ShippedRecords shipped_{folder_.path()};
  Resolver plain_{nullptr, CompilePolicy::here}, tuned_{nullptr, CompilePolicy::here, &shipped_};
  std::string from_, text_;
};
TYPED_TEST_SUITE(ShippedTiles, Precisions);

TYPED_TEST(ShippedTiles, are_used_and_change_nothing_beyond_the_order_of_sums) {
  if (gemm_form(Machine::get().device()) != "cpu") GTEST_SKIP() << "the tile is one of CPUs";
  Library plain(this->plain_), tuned(this->tuned_);
  const auto built_in = this->result(plain, false);
  EXPECT_EQ(this->from_, "default");
  const auto found = this->result(tuned, false);
  EXPECT_EQ(this->from_, "shipped record");
  EXPECT_THAT(this->text_, ::testing::HasSubstr("(shipped record: for "));
  EXPECT_THAT(this->text_, ::testing::HasSubstr("size 256, 2.00 x the built-in there"));
  // Both are sums of 700 products of numbers up to 1 (Higham's bound, with room for the scalars).
  const double bound = 700 * 700 * 4 * std::numeric_limits<double>::epsilon() *
                       (is_double(this->precision) ? 1 : std::ldexp(1, 29));
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_LE(std::abs(Wide(found[i]) - Wide(built_in[i])), bound) << i;
  EXPECT_NE(std::memcmp(found.data(), built_in.data(), found.size() * sizeof(TypeParam)), 0)
      << "the same bits: the next test would show nothing";
}

TYPED_TEST(ShippedTiles, leave_the_bits_of_invariant_calls_as_they_are) {
  Library plain(this->plain_), tuned(this->tuned_);
  const auto built_in = this->result(plain, true);
  const auto found = this->result(tuned, true);
  EXPECT_EQ(this->from_, "default");
  EXPECT_EQ(std::memcmp(found.data(), built_in.data(), found.size() * sizeof(TypeParam)), 0);
}

}  // namespace
}  // namespace kiln::blas::testing
