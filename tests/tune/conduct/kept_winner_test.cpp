// What a search leaves in the store.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "store/local/local_store.hpp"
#include "tune/conduct/search_processes.hpp"
#include "tune/fake_tunable.hpp"

namespace kiln::tune::testing {
namespace {

DevicePtr any_cpu() { return value_or_throw(select_devices("cpu")).front(); }

/// Has a program for each configuration, and notes in a file which of them were compiled.
class CompiledTunable final : public FakeTunable {
 public:
  explicit CompiledTunable(std::filesystem::path notes) : notes_(std::move(notes)) {}

  Compile open_compiler(Resolver& resolver, const ContextPtr& context,
                        const Queue& queue) const override {
    return [this, &resolver, context, device = queue.device()](ConfigurationId id) {
      Request request;
      request.family = "source";
      request.source = value_or_throw(
          from_text(fmt::format("kernel void f(global int* a) {{ a[0] = {}; }}", id), "f.cl"));
      request.label = "f";
      Explanation explanation;
      resolver.resolve(request, context, device, {variant_of("f", NDRange{})}, &explanation);
      for (const auto& step : explanation.steps)
        if (step.layer == "compile") std::ofstream(notes_, std::ios::app) << id << '\n';
    };
  }
  std::unique_ptr<Bench> open(Resolver& resolver, const ContextPtr& context,
                              const Queue& queue) const override {
    struct Compiling final : FakeBench {
      explicit Compiling(Compile with) : compile(std::move(with)) {}
      Report prepare(ConfigurationId id) override {
        compile(id);
        return {Outcome::of_time(1), ""};
      }
      Compile compile;
    };
    return std::make_unique<Compiling>(open_compiler(resolver, context, queue));
  }

 private:
  std::filesystem::path notes_;
};

TEST(SearchProcesses, copy_the_winners_program_to_the_store_and_no_others) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-search-processes"));
  const auto notes = folder.path() / "notes";
  SearchTask task;
  task.tunable = std::make_shared<CompiledTunable>(notes);
  task.device.is_cpu = true;
  task.find_device = any_cpu;
  task.store.local = (folder.path() / "store").string();
  {
    SearchProcesses processes(task, 1, std::chrono::seconds(100));
    for (const ConfigurationId id : {1, 2})
      EXPECT_TRUE(processes.worker().prepare(id).outcome.ok());
    processes.keep(2);
    // One that no trial has compiled is compiled now.
    processes.keep(4);
  }
  EXPECT_EQ(value_or_throw(read_text(notes)), "1\n2\n4\n");
  const auto kept = value_or_throw(LocalStore(task.store.local).list());
  EXPECT_EQ(std::count_if(kept.begin(), kept.end(),
                          [](const auto& entry) { return entry.kind == Kind::artifact; }),
            2);
}

}  // namespace
}  // namespace kiln::tune::testing
