// What is used of records of other sizes, drivers, classes and devices.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "kernel/request/stored_record.hpp"
#include "kernel/scale_family.hpp"
#include "store/local/local_store.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;
constexpr auto any_related = [](const Measurement&) { return true; };
using Verdict = TuningRecord::Choice::Verdict;

/// `gain`: how many times as fast as the built-in Parameters.
Measurement related_measurement(std::int64_t unroll, std::int64_t size, double gain) {
  return {
      {{"unroll", unroll}, {"local", 8}}, size, 2, Measurement::Of::kiln, "a search", {}, 2 * gain};
}

TEST(RecordChoice, a_size_too_far_away_says_nothing) {
  TuningRecord record;
  record.add(related_measurement(1, 1000, 2));
  EXPECT_EQ(record.choose(4000, any_related, {4, 4}).verdict, Verdict::use);
  EXPECT_EQ(record.choose(250, any_related, {4, 4}).verdict, Verdict::use);
  const auto far = record.choose(4001, any_related, {4, 4});
  EXPECT_EQ(far.verdict, Verdict::too_far);
  EXPECT_EQ(far.best->size, 1000);
  EXPECT_EQ(record.choose(249, any_related, {4, 4}).verdict, Verdict::too_far);
  EXPECT_EQ(record.choose(0, any_related, {4, 4}).verdict, Verdict::use)
      << "a size that is not known is near";
  EXPECT_EQ(TuningRecord().choose(1, any_related, {4, 4}).verdict, Verdict::nothing);
}

TEST(RecordChoice, what_was_slower_than_the_built_in_is_never_used) {
  TuningRecord record;
  record.add(related_measurement(1, 1000, 0.99));
  record.add(related_measurement(2, 4000, 3));
  EXPECT_EQ(record.choose(900, any_related, {8, 8}).verdict, Verdict::built_in_faster)
      << "nor is a farther one in its place";
  EXPECT_EQ(record.choose(3000, any_related, {8, 8}).best->parameters.get("unroll", 0), 2);
  record.add(related_measurement(4, 1000, 1.2));
  EXPECT_EQ(record.choose(900, any_related, {8, 8}).best->parameters.get("unroll", 0), 4);
}

TEST(RecordChoice, of_one_size_the_larger_gain_counts_not_the_time_of_another_day) {
  TuningRecord record;
  record.add(related_measurement(1, 100, 1.5));
  Measurement later = related_measurement(2, 100, 1.1);
  later.milliseconds /= 10;
  later.standard_milliseconds /= 10;
  record.add(later);
  EXPECT_EQ(record.choose(100, any_related, {4, 4}).best->parameters.get("unroll", 0), 1);
}

TEST(RecordChoice, records_without_the_built_in_time_are_used_as_before) {
  TuningRecord record;
  record.add(related_measurement(1, 100, 0));
  EXPECT_EQ(record.choose(100, any_related, {4, 4}).verdict, Verdict::use);
}

TEST(RelatedRecords, names_the_model_and_the_units) {
  const std::string identity = "PoCL|3.0|a CPU|HSTR: x|3.1|64|8 units";
  EXPECT_EQ(model_of(identity), "a CPU");
  EXPECT_EQ(units_of(identity), "8 units");
  EXPECT_EQ(model_of("nothing"), "nothing");
  EXPECT_EQ(units_of("nothing"), "");
}

RC_GTEST_PROP(RelatedRecordsBytes, come_back_and_every_cut_is_refused, ()) {
  RelatedRecords records;
  const auto count = *rc::gen::inRange(0, 5);
  for (int i = 0; i < count; ++i)
    records.push_back({*rc::gen::arbitrary<std::int64_t>(), *rc::gen::arbitrary<std::string>(),
                       related_measurement(i, i + 1, 1.5)});
  const Bytes bytes = encode(records);
  const auto again = decode_related_records(bytes);
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == records);
  const auto cut = *rc::gen::inRange<std::size_t>(0, bytes.size());
  RC_ASSERT(!decode_related_records(ByteView(bytes).first(cut)).has_value());
}

/// The class "small" may use what "tiny" has.
class LikeGenerator : public ScaleGenerator {
 public:
  using ScaleGenerator::ScaleGenerator;
  std::vector<std::string> classes_like(const std::string& name) const override {
    return name == "small" ? std::vector<std::string>{"tiny"} : std::vector<std::string>{};
  }
  Reach reach() const override { return {4, 4}; }
};

class StandIns : public StoreFixture {
 protected:
  StandIns() { request_.problem_size = 100; }
  RecordSubject subject(const std::string& device, std::int64_t version = 1) const {
    return {"test.scale", version, "small", device};
  }
  /// The device with another driver or other units.
  std::string identity_with(const std::string& driver, const std::string& units) const {
    return fmt::format("PoCL|{0}|{1}|{0}|{0}|64|{2}", driver, device_->name, units);
  }
  std::string own_units() const { return units_of(device_->speed_identity()); }
  void put(const RecordSubject& subject, const Measurement& measurement) const {
    LocalStore store(store_folder());
    ASSERT_TRUE(add_to_related(store, subject, {measurement}));
  }
  ChosenParameters chosen() const {
    auto made = resolver();
    made->add(std::make_unique<LikeGenerator>());
    return made->choose(request_, *device_);
  }
  Request request_ = scale_request(3);
};

TEST_F(StandIns, come_from_the_same_device_with_another_driver) {
  put(subject(identity_with("older", own_units())), related_measurement(4, 100, 1.5));
  const auto found = chosen();
  EXPECT_EQ(found.parameters.get("unroll", 0), 4);
  EXPECT_EQ(found.origin, "store record");
  EXPECT_THAT(found.from, HasSubstr("another driver"));
  EXPECT_THAT(found.from, HasSubstr("1.50 x the built-in there"));
}

TEST_F(StandIns, must_have_been_clearly_faster_than_the_built_in) {
  put(subject(identity_with("older", own_units())), related_measurement(4, 100, 1.04));
  EXPECT_EQ(chosen().origin, "default");
}

TEST_F(StandIns, must_be_of_a_size_within_reach) {
  put(subject(identity_with("older", own_units())), related_measurement(4, 1000, 2));
  EXPECT_EQ(chosen().origin, "default");
}

TEST_F(StandIns, must_be_accepted_by_the_generator) {
  put(subject(identity_with("older", own_units())), related_measurement(3, 100, 2));
  EXPECT_EQ(chosen().origin, "default");
}

TEST_F(StandIns, of_the_same_kernels_go_before_those_of_other_versions) {
  put(subject(identity_with("a", own_units()), 7), related_measurement(4, 100, 3));
  EXPECT_THAT(chosen().from, HasSubstr("kernels of another version"));
  put(subject(identity_with("b", own_units()), 1), related_measurement(1, 150, 2));
  EXPECT_EQ(chosen().parameters.get("unroll", 0), 1);
}

TEST_F(StandIns, of_a_class_like_it_go_before_those_of_other_units) {
  put(subject(identity_with("older", "1000 units")), related_measurement(4, 100, 2));
  EXPECT_THAT(chosen().from, HasSubstr("1000 units"));
  auto made = resolver();
  made->add(std::make_unique<LikeGenerator>());
  Request like = request_;
  like.problem_class = "tiny";
  made->record(like, *device_, {related_measurement(1, 100, 2)});
  const auto found = chosen();
  EXPECT_EQ(found.parameters.get("unroll", 0), 1);
  EXPECT_THAT(found.from, HasSubstr("tiny"));
}

TEST_F(StandIns, own_records_go_before_all) {
  put(subject(identity_with("older", own_units())), related_measurement(4, 100, 9));
  auto made = resolver();
  made->add(std::make_unique<LikeGenerator>());
  made->record(request_, *device_, {related_measurement(1, 100, 1.01)});
  EXPECT_EQ(chosen().parameters.get("unroll", 0), 1);
}

TEST_F(StandIns, a_built_in_that_was_faster_here_is_kept_and_says_why) {
  put(subject(identity_with("older", own_units())), related_measurement(4, 100, 9));
  auto made = resolver();
  made->add(std::make_unique<LikeGenerator>());
  made->record(request_, *device_, {related_measurement(1, 100, 0.9)});
  const auto found = chosen();
  EXPECT_EQ(found.parameters, ScaleGenerator().defaults(request_));
  EXPECT_EQ(text_of(found), "local 16, unroll 2 (default: faster than the record, size 100)");
}

TEST_F(StandIns, records_of_this_device_serve_it_after_an_update_of_the_driver) {
  auto made = resolver();
  made->add(std::make_unique<LikeGenerator>());
  made->record(request_, *device_, {related_measurement(1, 100, 2)});
  LocalStore store(store_folder());
  const auto known = related_records(store, subject(identity_with("newer", own_units())));
  ASSERT_EQ(known.size(), 1u);
  EXPECT_EQ(known[0].device, device_->speed_identity());
}

TEST(RelatedRecords, hold_the_latest_of_each_device_version_and_size_up_to_a_bound) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-related"));
  LocalStore store(folder.path().string());
  const RecordSubject subject{"f", 1, "c", "p|1|m|1|1|64|2 units"};
  ASSERT_TRUE(add_to_related(store, subject,
                             {related_measurement(1, 10, 2), related_measurement(2, 10, 2)}));
  auto all = related_records(store, subject);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].measurement.parameters.get("unroll", 0), 2);
  ASSERT_TRUE(add_to_related(store, subject, {related_measurement(1, 20, 0)}));
  EXPECT_EQ(related_records(store, subject).size(), 1u) << "never compared with the built-in";
  for (std::int64_t size = 1; size <= 100; ++size)
    ASSERT_TRUE(add_to_related(store, subject, {related_measurement(1, 1000 + size, 2)}));
  all = related_records(store, subject);
  EXPECT_EQ(all.size(), most_related);
  EXPECT_EQ(all.back().measurement.size, 1100);
}

}  // namespace
}  // namespace kiln::testing
