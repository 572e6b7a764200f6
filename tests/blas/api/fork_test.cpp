// fork() beside calls: the child is refused and does not wait for ever, the parent goes on.
#include "blas/api/product.hpp"
#include "forked_child.hpp"

namespace kiln::blas::testing {
namespace {

TEST(ForkAndBlas, a_child_is_refused_and_the_parent_goes_on) {
  using kiln::testing::after_fork;
  using kiln::testing::refusal_in_child;
  auto* const queue = Machine::get().queues()[0];
  const SmallProduct product;
  blas::run(product.call(1, 0), queue);
  EXPECT_EQ(product.c.now(), product.expected(1, 0));
  blas::Plan plan(product.call(1, 0), queue);
  EXPECT_EQ(refusal_in_child([&] { blas::run(product.call(1, 0), queue); }), after_fork);
  EXPECT_EQ(refusal_in_child([&] { blas::Plan(product.call(1, 0), queue); }), after_fork);
  EXPECT_EQ(refusal_in_child([&] { plan.run(product.call(1, 0)); }), after_fork);
  blas::run(product.call(2, 0), queue);
  EXPECT_EQ(product.c.now(), product.expected(2, 0));
}

}  // namespace
}  // namespace kiln::blas::testing
