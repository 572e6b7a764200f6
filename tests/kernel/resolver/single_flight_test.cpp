// Many processes that want one program: one compiles it.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>

#include "kernel/apart/helper.hpp"
#include "kernel/support.hpp"
#include "store/layer/layers.hpp"
#include "store/local/local_store.hpp"
#include "store/local/system_store.hpp"

namespace kiln::testing {
namespace {

using SingleFlight = StoreFixture;

/// A compile helper that counts its runs and then does its work.
class CountingHelper {
 public:
  /// Of the trial of what the driver takes, once a store: it makes a program and starts it.
  static constexpr std::size_t for_trial = 2;

  explicit CountingHelper(const std::filesystem::path& folder)
      : count_(folder / "count"), path_(folder / "helper") {
    const auto real = find_compile_helper();
    value_or_throw(write_file(path_,
                              as_bytes("#!/bin/sh\necho run >> " + count_.string() + "\nexec " +
                                       real.string() + " \"$@\"\n"),
                              0755));
    variable_.emplace("KILN_COMPILE_HELPER", path_.string());
    alone_.emplace("KILN_COMPILE_SERVER", "off");  // a run for each job
  }
  std::size_t runs() const {
    const auto text = read_text(count_).value_or("");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

 private:
  std::filesystem::path count_, path_;
  std::optional<ScopedVariable> variable_, alone_;
};

TEST_F(SingleFlight, eight_processes_compile_three_programs_three_times) {
  const CountingHelper helper(folder_.path());
  constexpr int processes = 8, programs = 3;
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    // A new process each: OpenCL does not live through a fork.
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const std::string store = store_folder(), number = std::to_string(p);
      ::setenv("KILN_TEST_STORE", store.c_str(), 1);
      ::setenv("KILN_TEST_NUMBER", number.c_str(), 1);
      ::execl("/proc/self/exe", "test_kernel",
              "--gtest_filter=SingleFlightChild.DISABLED_resolves_all",
              "--gtest_also_run_disabled_tests", static_cast<char*>(nullptr));
      ::_exit(127);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  EXPECT_EQ(helper.runs(), programs + CountingHelper::for_trial);
}

/// A store in which another process finishes the program between our look-up and our right to it.
class LateStore final : public WrappedStore {
 public:
  LateStore(std::unique_ptr<Layer> store, std::function<void()> meanwhile)
      : WrappedStore(std::move(store)), meanwhile_(std::move(meanwhile)) {}
  Reservation reserve(const Key& key, std::chrono::milliseconds bound) override {
    meanwhile_();
    return WrappedStore::reserve(key, bound);
  }

 private:
  std::function<void()> meanwhile_;
};

/// Notes when it is read and written.
class NotingStore final : public WrappedStore {
 public:
  struct Notes {
    std::mutex mutex;
    std::vector<std::string> lines;
    void add(std::string line) {
      const std::lock_guard lock(mutex);
      lines.push_back(std::move(line));
    }
  };
  NotingStore(std::unique_ptr<Layer> store, Notes& notes)
      : WrappedStore(std::move(store)), notes_(notes) {}
  Lookup get(Kind kind, const Key& key, ByteView canonical) override {
    if (kind == Kind::artifact) notes_.add("read");
    return WrappedStore::get(kind, key, canonical);
  }
  Expected<void> update(Kind kind, const Key& key, ByteView canonical,
                        const Change& change) override {
    auto done = WrappedStore::update(kind, key, canonical, change);
    if (kind == Kind::artifact) notes_.add("written");
    return done;
  }

 private:
  Notes& notes_;
};

TEST_F(SingleFlight, a_second_context_reads_what_the_first_has_made_once_it_is_written) {
  const Request request = text_request(vector_add_text, "VectorAdd");
  const std::vector<KernelVariant> wanted{variant_of("VectorAdd", range_1d(256, 64))};
  NotingStore::Notes notes;
  {
    Resolver spine(std::make_unique<NotingStore>(open_local_store(store_folder()), notes));
    spine.resolve(request, Context::create({device_}), device_, wanted);
    Explanation explanation;
    spine.resolve(request, Context::create({device_}), device_, wanted, &explanation);
    EXPECT_FALSE(has_step(explanation, "compile")) << text_of(explanation);
  }
  ASSERT_GE(notes.lines.size(), 3u);
  EXPECT_EQ(notes.lines.end()[-2], "written");
  EXPECT_EQ(notes.lines.back(), "read");
}

TEST_F(SingleFlight, what_another_finished_before_the_right_was_had_is_not_made_again) {
  const auto context = Context::create({device_});
  const std::vector<KernelVariant> wanted{variant_of("VectorAdd", range_1d(256, 64))};
  const Request request = text_request(vector_add_text, "VectorAdd");
  const auto other = [&] {
    resolver()->resolve(request, Context::create({device_}), device_, wanted);
  };
  Resolver late(std::make_unique<LateStore>(open_local_store(store_folder()), other));
  Explanation explanation;
  late.resolve(request, context, device_, wanted, &explanation);
  EXPECT_FALSE(has_step(explanation, "compile")) << text_of(explanation);
  ASSERT_FALSE(explanation.steps.empty());
  EXPECT_TRUE(explanation.steps.back().answered);
  EXPECT_EQ(explanation.steps.back().reason, "another process has just made it");
}

// One of the processes above; by itself it has nothing to do.
TEST(SingleFlightChild, DISABLED_resolves_all) {
  const char* store = std::getenv("KILN_TEST_STORE");
  if (store == nullptr) GTEST_SKIP() << "started by another test only";
  const int number = std::atoi(std::getenv("KILN_TEST_NUMBER"));
  Resolver resolver(open_local_store(store));
  const auto device = cpu_device();
  const auto context = Context::create({device});
  for (int i = 0; i < 3; ++i) {
    std::string text = vector_add_text;
    text += "constant int which = " + std::to_string((i + number) % 3) + ";\n";
    Program& program = resolver.resolve(text_request(text, "VectorAdd"), context, device,
                                        {variant_of("VectorAdd", range_1d(256, 64))});
    run_vector_add(context, program, 256, 64);
  }
}

TEST_F(SingleFlight, a_system_store_spares_a_fresh_install_the_compiler) {
  const CountingHelper helper(folder_.path());
  const auto system = (folder_.path() / "system").string();
  const auto context = Context::create({device_});
  {
    Resolver packager(open_local_store(system));
    packager.resolve(text_request(vector_add_text, "VectorAdd"), context, device_,
                     {variant_of("VectorAdd", range_1d(256, 64))});
  }
  ASSERT_EQ(helper.runs(), 1 + CountingHelper::for_trial);
  std::vector<LayeredStore::Below> below;
  below.push_back({std::make_unique<SystemStore>(system), false, false});
  Resolver fresh(
      std::make_unique<LayeredStore>(open_local_store(store_folder()), std::move(below)));
  const auto other = Context::create({device_});
  Explanation explanation;
  Program& program = fresh.resolve(text_request(vector_add_text, "VectorAdd"), other, device_,
                                   {variant_of("VectorAdd", range_1d(256, 64))}, &explanation);
  run_vector_add(other, program, 256, 64);
  EXPECT_EQ(helper.runs(), 1 + CountingHelper::for_trial);
  EXPECT_FALSE(step_of(explanation, "local store").answered);
  EXPECT_TRUE(step_of(explanation, "system store").answered) << text_of(explanation);
}

}  // namespace
}  // namespace kiln::testing
