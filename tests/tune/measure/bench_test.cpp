// The one bench, over a subject that notes what is done with it.
#include "tune/measure/bench.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "base/os/file.hpp"
#include "kernel/request/shipped_file.hpp"
#include "kernel/scale_family.hpp"
#include "tune/support.hpp"

namespace kiln::tune {
namespace {

using ::testing::HasSubstr;

/// X = 0 to 39; what happens with a configuration is what its number says.
class NotingSubject final : public Subject {
 public:
  enum : ConfigurationId { unusable = 1, unbuilt = 2, too_much = 3, broken = 4, wrong = 5 };
  explicit NotingSubject(std::string& notes) : notes_(notes) {}

  const SearchSpace& space() const override { return space_; }
  Request request() const override { return {}; }
  std::unique_ptr<Form> make(ConfigurationId id) override {
    note("make {}; ", id);
    if (id == unusable) throw Unusable(Failure::wrong_result, "another shape");
    if (id == unbuilt) throw Error(Errc::build, "k.cl:1: warning: x\nk.cl:2: error: y\n^");
    if (id == too_much) throw Error(Errc::device, "clEnqueue: CL_OUT_OF_RESOURCES (-5)");
    if (id == broken) throw Error(Errc::device, "clFinish: CL_INVALID_COMMAND_QUEUE (-36)");
    return std::make_unique<Noted>(*this, id);
  }
  void reset(Reset which) override { notes_ += which == Reset::compared ? "reset; " : "again; "; }
  std::string difference() override { return last_ == wrong ? "number 3 is 4, expected 5" : ""; }

 private:
  class Noted final : public Form {
   public:
    Noted(NotingSubject& subject, ConfigurationId id) : subject_(subject), id_(id) {}
    void run_once() override {
      subject_.note("once {}; ", id_);
      subject_.last_ = id_;
    }
    double run(std::size_t launches) override {
      subject_.note("run {}; ", launches);
      return static_cast<double>(launches);
    }

   private:
    NotingSubject& subject_;
    ConfigurationId id_;
  };
  void note(std::string text, std::uint64_t number) {
    notes_ += text.replace(text.find("{}"), 2, std::to_string(number));
  }

  std::string& notes_;
  SearchSpace space_ = testing::space({"X=0..39"});
  ConfigurationId last_ = 0;
};

class BenchTest : public ::testing::Test {
 protected:
  std::string notes;
  Resolver resolver{nullptr};
  SubjectBench bench{std::make_unique<NotingSubject>(notes), resolver, nullptr};
};

TEST_F(BenchTest, compares_on_fresh_data_and_times_on_fresh_data) {
  EXPECT_TRUE(bench.prepare(7).outcome.ok());
  EXPECT_EQ(bench.run(7, 3), 3);
  EXPECT_EQ(notes, "make 7; reset; once 7; again; run 3; ");
}

TEST_F(BenchTest, warms_up_what_it_did_not_keep_ready) {
  for (ConfigurationId id = 10; id < 40; ++id) EXPECT_TRUE(bench.prepare(id).outcome.ok());
  notes.clear();
  EXPECT_EQ(bench.run(10, 2), 2);
  EXPECT_EQ(notes, "make 10; reset; once 10; again; run 2; ");
}

TEST_F(BenchTest, runs_only_what_was_found_right) {
  EXPECT_THROW(bench.run(7, 1), Error);
  EXPECT_EQ(bench.prepare(NotingSubject::wrong).outcome.failure, Failure::wrong_result);
  EXPECT_THROW(bench.run(NotingSubject::wrong, 1), Error);
  EXPECT_EQ(bench.prepare(NotingSubject::wrong).message, "number 3 is 4, expected 5");
}

TEST_F(BenchTest, says_what_kind_of_failure_an_error_is) {
  EXPECT_EQ(bench.prepare(NotingSubject::unusable).outcome.failure, Failure::wrong_result);
  const Report unbuilt = bench.prepare(NotingSubject::unbuilt);
  EXPECT_EQ(unbuilt.outcome.failure, Failure::build);
  EXPECT_EQ(unbuilt.message, "k.cl:2: error: y");
  EXPECT_EQ(bench.prepare(NotingSubject::too_much).outcome.failure, Failure::resources);
  EXPECT_EQ(bench.prepare(NotingSubject::broken).outcome.failure, Failure::launch);
  EXPECT_EQ(report_of(Error(Errc::unsupported, "too large")).outcome.failure, Failure::resources);
}

/// Of the family of the tests' kernels, which is only asked what is in use.
class ScaleSubject final : public Subject {
 public:
  const SearchSpace& space() const override { return space_; }
  Request request() const override {
    Request request = kiln::testing::scale_request(3);
    request.problem_size = 100;
    return request;
  }
  std::unique_ptr<Form> make(ConfigurationId) override { throw Error(Errc::internal, "not asked"); }
  void reset(Reset) override {}
  std::string difference() override { return ""; }

 private:
  SearchSpace space_ = testing::space({"unroll=1,2,4", "local=8,16"});
};

// A short search would else put something worse on record than what was in use before it.
TEST(BenchOnRecord, is_what_ships_where_the_store_has_nothing) {
  const auto device = kiln::testing::cpu_device();
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-shipped"));
  const kiln::Measurement fast{{{"unroll", 4}, {"local", 8}}, 100, 1, {}, "kiln tune", {}, 2};
  const ShippedFile file{DeviceFacts::of(*device), "", {{"test.scale", 1, "small", {{fast}}}}};
  value_or_throw(write_file(folder.path() / "a.jsonl", as_bytes(text_of(file))));
  ShippedRecords shipped(folder.path());
  const auto on_record = [&](ShippedRecords* records, bool has_own) {
    const auto store_folder = value_or_throw(TemporaryFolder::create("kiln-bench"));
    Resolver keeper(has_own ? open_local_store(store_folder.path().string()) : nullptr,
                    CompilePolicy::here, records);
    keeper.add(std::make_unique<kiln::testing::ScaleGenerator>());
    SubjectBench bench(std::make_unique<ScaleSubject>(), keeper, device);
    if (has_own)
      keeper.record(ScaleSubject().request(), *device,
                    {{{{"unroll", 1}, {"local", 16}}, 100, 1, {}, "here", {}, 1.5}});
    const auto found = bench.on_record();
    return found ? parameters_of(ScaleSubject().space(), *found) : kiln::Parameters{};
  };
  EXPECT_EQ(on_record(nullptr, false), kiln::Parameters{});
  EXPECT_EQ(on_record(&shipped, false), fast.parameters);
  EXPECT_EQ(on_record(&shipped, true).get("unroll", 0), 1) << "its own goes first";
}

TEST(DifferenceOf, finds_the_first_number_beyond_the_bound_and_what_is_no_number) {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const auto difference = [](std::vector<double> found, std::vector<double> expected) {
    return difference_of<double>(std::as_bytes(std::span(found)),
                                 std::as_bytes(std::span(expected)), 0.5);
  };
  EXPECT_EQ(difference({1, 2.4, nan, infinity}, {1, 2, nan, infinity}), "");
  EXPECT_THAT(difference({1, 2, 4}, {1, 2, 3}), HasSubstr("number 2 of the result is 4"));
  EXPECT_NE(difference({nan}, {1}), "");
  EXPECT_NE(difference({1}, {nan}), "");
  EXPECT_NE(difference({infinity}, {-infinity}), "");
  std::vector<double> many(3000, 1), off = many;
  off[2999] = 2;
  EXPECT_THAT(difference(off, many), HasSubstr("number 2999 "));
}

TEST(DataSets, are_as_many_as_exceed_the_caches_and_fit_memory) {
  EXPECT_EQ(data_sets(0), 4u);
  EXPECT_EQ(data_sets(std::uint64_t{64} << 20), 4u);
  EXPECT_EQ(data_sets(std::uint64_t{100} << 20), 2u);
  EXPECT_EQ(data_sets(std::uint64_t{1} << 40), 1u);
}

}  // namespace
}  // namespace kiln::tune
