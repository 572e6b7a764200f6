#include "store/layer/single_flight.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <thread>

namespace kiln::testing {
namespace {

TEST(SingleFlightTemplate, one_makes_it_for_all_that_come_meanwhile) {
  SingleFlight<int, int> flight;
  std::promise<void> begun, may_end;
  std::atomic<int> made{0};
  std::jthread first([&] {
    flight.run(7, [&] {
      begun.set_value();
      may_end.get_future().wait();
      return ++made;
    });
  });
  begun.get_future().wait();
  auto second =
      std::async(std::launch::async, [&] { return flight.run(7, [&] { return ++made; }); });
  EXPECT_EQ(flight.run(8, [] { return 80; }), 80) << "another key waits for nothing";
  may_end.set_value();
  first.join();
  // The second came while the first was making, or after it, when it makes its own.
  EXPECT_EQ(second.get(), made);
}

TEST(SingleFlightTemplate, what_the_maker_throws_is_thrown_and_forgotten) {
  SingleFlight<int, int> flight;
  EXPECT_THROW(flight.run(1, []() -> int { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_EQ(flight.run(1, [] { return 5; }), 5);
}

}  // namespace
}  // namespace kiln::testing
