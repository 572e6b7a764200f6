// What is on record of a kernel's Parameters, and which of it is used.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kernel/request/parameters.hpp"
#include "kernel/scale_family.hpp"

namespace kiln::testing {
namespace {

Measurement taken(std::int64_t unroll, std::int64_t size, double milliseconds,
                  Measurement::Of of = Measurement::Of::kiln) {
  return {{{"unroll", unroll}, {"local", 8}}, size, milliseconds, of, "somewhere", {}};
}
constexpr auto every = [](const Measurement&) { return true; };
std::int64_t best_unroll(const TuningRecord& record, std::int64_t size) {
  const Measurement* best = record.best(size, every);
  return best == nullptr ? 0 : best->parameters.get("unroll", 0);
}

TEST(TuningRecord, the_nearest_size_counts_and_of_one_size_the_least_time) {
  TuningRecord record;
  record.add(taken(1, 100, 5));
  record.add(taken(2, 100, 4));
  record.add(taken(3, 1000, 90));
  record.add(taken(4, 100, 6));
  EXPECT_EQ(best_unroll(record, 90), 2);
  EXPECT_EQ(best_unroll(record, 250), 2);  // 2.5 times as large as 100, a quarter of 1000
  EXPECT_EQ(best_unroll(record, 400), 3);
  EXPECT_EQ(best_unroll(record, 1 << 20), 3);
}

TEST(TuningRecord, kilns_own_measurements_win_whatever_others_took) {
  TuningRecord record;
  record.add(taken(1, 100, 5));
  record.add(taken(2, 100, 0.001, Measurement::Of::others));
  EXPECT_EQ(best_unroll(record, 100), 1);
}

TEST(TuningRecord, what_others_have_not_timed_is_not_used) {
  TuningRecord record;
  record.add(taken(2, 100, 0, Measurement::Of::others));
  record.add(taken(3, 100, std::numeric_limits<double>::quiet_NaN(), Measurement::Of::others));
  EXPECT_EQ(record.best(100, every), nullptr);
  record.add(taken(4, 700, 3, Measurement::Of::others));
  EXPECT_EQ(best_unroll(record, 100), 4);
}

TEST(TuningRecord, of_measurements_without_a_time_the_latest_counts) {
  TuningRecord record;
  record.add(taken(1, 0, 0));
  record.add(taken(2, 0, 0));
  EXPECT_EQ(best_unroll(record, 100), 2);
}

TEST(TuningRecord, what_is_not_usable_is_passed_over) {
  TuningRecord record;
  record.add(taken(1, 100, 1));
  record.add(taken(2, 100, 2));
  const auto even = [](const Measurement& m) { return m.parameters.get("unroll", 0) % 2 == 0; };
  EXPECT_EQ(record.best(100, even)->milliseconds, 2);
}

TEST(TuningRecord, measuring_again_replaces_and_the_oldest_goes_first) {
  TuningRecord record;
  record.add(taken(1, 100, 5));
  record.add(taken(1, 100, 7));
  ASSERT_EQ(record.history.size(), 1u);
  EXPECT_EQ(record.history[0].milliseconds, 7);
  for (std::int64_t size = 1; size <= 2 * std::int64_t{TuningRecord::most_measurements}; ++size)
    record.add(taken(2, size, 1));
  EXPECT_EQ(record.history.size(), TuningRecord::most_measurements);
  EXPECT_EQ(record.history.back().size, 2 * std::int64_t{TuningRecord::most_measurements});
}

RC_GTEST_PROP(TuningRecordBytes, come_back_and_every_cut_is_refused, ()) {
  TuningRecord record;
  const auto count = *rc::gen::inRange(0, 5);
  for (int i = 0; i < count; ++i) {
    Measurement one = taken(*rc::gen::arbitrary<std::int64_t>(), i + 1, 0.5 * i);
    one.of = i % 2 == 0 ? Measurement::Of::kiln : Measurement::Of::others;
    one.from = *rc::gen::arbitrary<std::string>();
    one.original.set(*rc::gen::arbitrary<std::string>(), i);
    record.add(one);
  }
  const Bytes bytes = encode(record);
  const auto again = decode_tuning_record(bytes);
  RC_ASSERT(again.has_value());
  RC_ASSERT(again->history == record.history);
  const auto cut = *rc::gen::inRange<std::size_t>(0, bytes.size());
  RC_ASSERT(!decode_tuning_record(ByteView(bytes).first(cut)).has_value());
}

/// A source with one record for every class.
class OneSource : public ParameterSource {
 public:
  explicit OneSource(Measurement measurement) : measurement_(std::move(measurement)) {}
  std::string name() const override { return "test source"; }
  TuningRecord find(const Request&, const Device&) const override { return {{measurement_}}; }

 private:
  Measurement measurement_;
};

class ChosenParametersTest : public StoreFixture {
 protected:
  std::unique_ptr<Resolver> spine(const Measurement& mounted) const {
    auto made = resolver();
    made->add(std::make_unique<ScaleGenerator>());
    made->mount(std::make_unique<OneSource>(mounted));
    return made;
  }
  const Request request_ = scale_request(3);
};

TEST_F(ChosenParametersTest, say_where_they_are_from) {
  const auto foreign = taken(4, 100, 1, Measurement::Of::others);
  auto made = spine(foreign);
  const auto mounted = made->choose(request_, *device_);
  EXPECT_EQ(mounted.parameters, foreign.parameters);
  EXPECT_EQ(text_of(mounted), "local 8, unroll 4 (test source: somewhere)");
  made->record(request_, *device_, {taken(2, 100, 50)});
  EXPECT_EQ(text_of(made->choose(request_, *device_)),
            "local 8, unroll 2 (store record: somewhere)");
  const auto context = Context::create({device_});
  Explanation explanation;
  made->resolve(request_, made->choose(request_, *device_), context, device_, {}, &explanation);
  EXPECT_EQ(text_of(explanation.parameters), "local 8, unroll 2 (store record: somewhere)");
  EXPECT_NE(text_of(explanation).find("unroll 2 (store record"), std::string::npos);
}

TEST_F(ChosenParametersTest, of_a_source_must_be_accepted_and_timed) {
  const auto defaults = ScaleGenerator().defaults(request_);
  EXPECT_EQ(spine(taken(3, 100, 1, Measurement::Of::others))->choose(request_, *device_).origin,
            "default");
  const auto untimed = spine(taken(4, 100, 0, Measurement::Of::others));
  EXPECT_EQ(untimed->choose(request_, *device_).origin, "default");
  EXPECT_EQ(untimed->choose(request_, *device_).parameters, defaults);
}

TEST_F(ChosenParametersTest, history_is_kept_and_the_size_chooses) {
  const auto other = taken(1, 7, 1, Measurement::Of::others);
  spine(other)->record(request_, *device_, {taken(4, 1000, 8), other});
  auto later = spine(other);
  later->record(request_, *device_, {taken(2, 10, 3)});
  auto last = spine(other);
  EXPECT_EQ(last->tuning_record(request_, *device_).history.size(), 3u);
  Request sized = request_;
  sized.problem_size = 2000;
  EXPECT_EQ(last->choose(sized, *device_).parameters.get("unroll", 0), 4);
  sized.problem_size = 20;
  EXPECT_EQ(last->choose(sized, *device_).parameters.get("unroll", 0), 2);
}

}  // namespace
}  // namespace kiln::testing
