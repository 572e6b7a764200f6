// Which Parameters a device gets of the records that come with Kiln.
#include "kernel/resolver/shipped_records.hpp"

#include <gmock/gmock.h>

#include "kernel/request/shipped_file.hpp"
#include "kernel/scale_family.hpp"

namespace kiln::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// The class "small" may use what "tiny" has.
class ShippedGenerator : public ScaleGenerator {
 public:
  std::vector<std::string> classes_like(const std::string& name) const override {
    return name == "small" ? std::vector<std::string>{"tiny"} : std::vector<std::string>{};
  }
  Reach reach() const override { return {4, 4}; }
};

class MountedUnroll : public ParameterSource {
 public:
  std::string name() const override { return "a database"; }
  TuningRecord find(const Request&, const Device&) const override {
    return {{{{{"unroll", 1}, {"local", 64}}, 100, 1, Measurement::Of::others, "there", {}}}};
  }
};

/// Devices that are not here: facts of the tests' device, changed.
class Shipped : public StoreFixture {
 protected:
  Shipped() {
    request_.problem_size = 100;
    std::filesystem::create_directories(tuned());
    set_log_sink([this](LogLevel, std::string_view text) { logged_.emplace_back(text); });
    unknown_.name = "cpu-new-arch-Some Processor";
    unknown_.pocl = true;
    unknown_.pocl_device_string = "cpu-x86_64-pc-linux-gnu-new-arch";
    unknown_.vendor = "a vendor";
    unknown_.compute_units = 8;
    unknown_.native_floats = 16;
  }
  ~Shipped() override { set_log_sink({}); }
  std::filesystem::path tuned() const { return folder_.path() / "tuned"; }

  /// A file of a device with one record; `unroll` tells in a test which one was taken.
  void ship(const std::string& name, const DeviceFacts& device, std::int64_t unroll,
            double gain = 2, const std::string& problem_class = "small",
            std::int64_t version = 1) const {
    const Measurement one{{{"unroll", unroll}, {"local", 8}},
                          100,
                          2,
                          Measurement::Of::kiln,
                          "kiln tune",
                          {},
                          2 * gain};
    const auto text =
        text_of(ShippedFile{device, "by hand", {{"test.scale", version, problem_class, {{one}}}}});
    value_or_throw(write_file(tuned() / (name + ".jsonl"), as_bytes(text)));
  }
  /// What a device that is like the unknown one but for a change.
  DeviceFacts facts_with(const std::function<void(DeviceFacts&)>& change = {}) const {
    DeviceFacts facts = DeviceFacts::of(unknown_);
    if (change) change(facts);
    return facts;
  }
  std::unique_ptr<Resolver> with_shipped(std::unique_ptr<Layer> store = nullptr) {
    shipped_ = std::make_unique<ShippedRecords>(tuned());
    auto made = std::make_unique<Resolver>(std::move(store), CompilePolicy::here, shipped_.get());
    made->add(std::make_unique<ShippedGenerator>());
    return made;
  }
  ChosenParameters chosen() { return with_shipped()->choose(request_, unknown_); }
  std::int64_t unroll() { return chosen().parameters.get("unroll", 0); }

  Request request_ = scale_request(3);
  Device unknown_ = *device_;
  std::unique_ptr<ShippedRecords> shipped_;
  std::vector<std::string> logged_;
};

TEST_F(Shipped, of_this_device_are_used_whatever_its_driver) {
  ship("same", facts_with(), 4, 1.03);
  const auto found = chosen();
  EXPECT_EQ(found.parameters.get("unroll", 0), 4);
  EXPECT_EQ(found.origin, "shipped record");
  EXPECT_EQ(found.from,
            "for new-arch-Some Processor, 8 units, size 100, 1.03 x the built-in there");
  unknown_.driver_version = "another";
  unknown_.name = "pthread-new-arch-Some Processor";
  unknown_.pocl_device_string = "pthread-x86_64-pc-linux-gnu-new-arch";
  EXPECT_EQ(unroll(), 4) << "PoCL's word for its driver has changed since";
}

TEST_F(Shipped, of_the_nearest_device_start_one_that_is_not_known) {
  ship("a-units", facts_with([](auto& d) { d.compute_units = 64; }), 1);
  ship("b-model", facts_with([](auto& d) { d.model = "new-arch-Another"; }), 4);
  ship("c-vendor", facts_with([](auto& d) { d.vendor = d.model = "another"; }), 4);
  const auto found = chosen();
  EXPECT_EQ(found.parameters.get("unroll", 0), 1) << "6 of 6, 10 and 40";
  EXPECT_THAT(found.from, HasSubstr("64 units, the nearest to this device"));
  unknown_.compute_units = 1;
  EXPECT_EQ(unroll(), 1) << "12 by its units; of the other model 10 and 6";
  std::filesystem::remove(tuned() / "a-units.jsonl");
  EXPECT_EQ(unroll(), 4);
}

TEST_F(Shipped, of_this_device_go_before_those_of_others_and_the_class_before_those_like_it) {
  ship("a-near", facts_with([](auto& d) { d.compute_units = 9; }), 4);
  ship("b-same", facts_with(), 1, 2, "tiny");
  auto found = chosen();
  EXPECT_EQ(found.parameters.get("unroll", 0), 1);
  EXPECT_THAT(found.from, HasSubstr("tiny"));
  EXPECT_THAT(found.from, Not(HasSubstr("nearest")));
}

TEST_F(Shipped, say_nothing_to_other_types_of_device_and_widths_of_vectors) {
  ship("gpu", facts_with([](auto& d) { d.type = "GPU"; }), 4);
  ship("narrow", facts_with([](auto& d) { d.native_floats = 8; }), 4);
  EXPECT_EQ(chosen().origin, "default");
  unknown_.native_floats = 8;
  EXPECT_EQ(unroll(), 4);
  unknown_.native_floats = 16;
  unknown_.type = Device::Type::gpu;
  EXPECT_EQ(unroll(), 4);
}

TEST_F(Shipped, that_this_device_cannot_run_are_passed_over) {
  ship("a-same", facts_with(), 4);
  ship("b-near", facts_with([](auto& d) { d.compute_units = 16; }), 1);
  request_ = scale_request(3, {{"most unroll", std::int64_t{2}}});
  request_.problem_size = 100;
  EXPECT_EQ(unroll(), 1) << "the nearest that the family's own check takes";
  EXPECT_EQ(chosen().origin, "shipped record");
}

TEST_F(Shipped, count_where_they_were_faster_by_more_the_less_is_known) {
  ship("same", facts_with(), 4, 1.01);
  EXPECT_EQ(chosen().origin, "default") << "of this device 1.02 times is the least";
  ship("same", facts_with(), 4, 1.03, "small", 99);
  EXPECT_EQ(chosen().origin, "default") << "with kernels of another version 1.05 times";
  ship("same", facts_with(), 4, 1.06, "small", 99);
  EXPECT_THAT(chosen().from, HasSubstr("with kernels of another version"));
  std::filesystem::remove(tuned() / "same.jsonl");
  ship("near", facts_with([](auto& d) { d.compute_units = 16; }), 4, 1.04);
  EXPECT_EQ(chosen().origin, "default") << "of another device 1.05 times";
}

TEST_F(Shipped, that_are_no_faster_keep_the_built_in_against_farther_devices) {
  ship("a-same", facts_with(), 4, 1.0);
  ship("b-near", facts_with([](auto& d) { d.compute_units = 16; }), 4, 3);
  EXPECT_EQ(chosen().origin, "default");
}

TEST_F(Shipped, of_sizes_out_of_reach_are_not_used) {
  ship("same", facts_with(), 4);
  request_.problem_size = 401;
  EXPECT_EQ(chosen().origin, "default");
  request_.problem_size = 400;
  EXPECT_EQ(chosen().origin, "shipped record");
}

TEST_F(Shipped, come_after_the_stores_records_and_mounted_sources) {
  ship("same", facts_with(), 4);
  auto made = with_shipped(open_local_store(store_folder()));
  made->mount(std::make_unique<MountedUnroll>());
  EXPECT_EQ(made->choose(request_, unknown_).origin, "a database");
  made = with_shipped(open_local_store(store_folder()));
  EXPECT_EQ(made->choose(request_, unknown_).origin, "shipped record");
  made->record(request_, unknown_,
               {{{{"unroll", 1}, {"local", 8}}, 100, 1, Measurement::Of::kiln, "here", {}, 1.01}});
  EXPECT_EQ(made->choose(request_, unknown_).origin, "store record");
  const auto own = with_shipped(open_local_store(store_folder()))->choose(request_, unknown_);
  EXPECT_EQ(own.parameters.get("unroll", 0), 1);
}

TEST_F(Shipped, stay_unused_where_the_users_record_says_that_the_built_in_are_faster) {
  ship("same", facts_with(), 4);
  auto made = with_shipped();
  made->record(request_, unknown_,
               {{{{"unroll", 4}, {"local", 8}}, 100, 1, Measurement::Of::kiln, "here", {}, 0.9}});
  EXPECT_EQ(made->choose(request_, unknown_).origin, "default");
}

TEST_F(Shipped, are_not_looked_at_where_the_store_has_a_record) {
  value_or_throw(write_file(tuned() / "bad.jsonl", as_bytes(std::string("{"))));
  auto made = with_shipped();
  made->record(
      request_, unknown_,
      request_.problem_class.empty() ? Parameters{} : Parameters{{"unroll", 1}, {"local", 8}});
  logged_.clear();
  EXPECT_EQ(made->choose(request_, unknown_).origin, "store record");
  EXPECT_THAT(logged_, ElementsAre()) << "the file was read";
}

TEST_F(Shipped, in_bad_files_are_told_of_once_and_the_good_ones_are_used) {
  value_or_throw(write_file(tuned() / "a.jsonl", as_bytes(std::string("{\n"))));
  ship("b", facts_with(), 4);
  auto text = value_or_throw(read_text(tuned() / "b.jsonl"));
  value_or_throw(write_file(tuned() / "c.jsonl", as_bytes(text + "nonsense\n")));
  value_or_throw(write_file(tuned() / "notes.txt", as_bytes(std::string("no records"))));
  auto made = with_shipped();
  logged_.clear();
  EXPECT_EQ(made->choose(request_, unknown_).parameters.get("unroll", 0), 4);
  request_.problem_class = "other";
  EXPECT_EQ(made->choose(request_, unknown_).origin, "default");
  ASSERT_EQ(logged_.size(), 2u);
  EXPECT_THAT(logged_[0], HasSubstr("a.jsonl: line 1: no JSON"));
  EXPECT_THAT(logged_[1], HasSubstr("c.jsonl: line 3: no JSON"));
}

TEST_F(Shipped, of_an_absent_or_empty_folder_are_none) {
  ShippedRecords none({}), absent(folder_.path() / "absent");
  const std::vector<std::string> classes{"small"};
  EXPECT_TRUE(none.find(facts_with(), "test.scale", classes).empty());
  EXPECT_TRUE(absent.find(facts_with(), "test.scale", classes).empty());
  EXPECT_TRUE(absent.files().empty());
  EXPECT_EQ(chosen().origin, "default");
  EXPECT_EQ(logged_.size(), 0u);
}

}  // namespace
}  // namespace kiln::testing
