#include "kernel/resolver/resolver.hpp"

#include <thread>

#include "kernel/support.hpp"
#include "store/local/local_store.hpp"

namespace kiln::testing {
namespace {

using ResolverTest = StoreFixture;

std::vector<KernelVariant> wanted(std::size_t n, std::size_t local) {
  return {variant_of("VectorAdd", range_1d(n, local))};
}

TEST_F(ResolverTest, compiles_once_and_then_every_process_starts_from_the_store) {
  const auto request = text_request(vector_add_text, "VectorAdd");
  {
    auto first = resolver();
    const auto context = Context::create({device_});
    Explanation explanation;
    Program& program = first->resolve(request, context, device_, wanted(1024, 64), &explanation);
    EXPECT_TRUE(step_of(explanation, "compile").answered);
    run_vector_add(context, program, 1024, 64);
  }
  auto second = resolver();
  const auto context = Context::create({device_});
  Explanation explanation;
  Program& program = second->resolve(request, context, device_, wanted(1024, 64), &explanation);
  EXPECT_TRUE(step_of(explanation, second->store()->name()).answered);
  EXPECT_FALSE(has_step(explanation, "compile")) << text_of(explanation);
  EXPECT_FALSE(has_step(explanation, "variant"));
  run_vector_add(context, program, 1024, 64);
}

TEST_F(ResolverTest, the_memory_layer_answers_the_second_request_of_a_context) {
  const auto request = text_request(vector_add_text, "VectorAdd");
  auto spine = resolver();
  const auto context = Context::create({device_});
  Program& first = spine->resolve(request, context, device_, wanted(64, 64));
  Explanation explanation;
  Program& again = spine->resolve(request, context, device_, {}, &explanation);
  EXPECT_EQ(&first, &again);
  EXPECT_TRUE(step_of(explanation, "memory").answered);
  EXPECT_EQ(explanation.steps.size(), 1u);
}

TEST_F(ResolverTest, a_new_local_size_joins_the_same_entry) {
  const auto request = text_request(vector_add_text, "VectorAdd");
  {
    auto spine = resolver();
    const auto context = Context::create({device_});
    Program& program = spine->resolve(request, context, device_, wanted(1024, 64));
    run_vector_add(context, program, 1024, 32);  // a variant that was not announced
  }
  auto spine = resolver();
  const auto context = Context::create({device_});
  Program& program = spine->resolve(request, context, device_);
  EXPECT_TRUE(program.missing(wanted(1024, 64)).empty());
  EXPECT_TRUE(program.missing(wanted(1024, 32)).empty());
  EXPECT_EQ(program.missing(wanted(1024, 16)).size(), 1u);
}

TEST_F(ResolverTest, the_archive_holds_neither_stubs_nor_paths_of_this_machine) {
  auto spine = resolver();
  const auto context = Context::create({device_});
  Program& program = spine->resolve(text_request(vector_add_text, "VectorAdd"), context, device_,
                                    wanted(1024, 64));
  const Bytes archive = program.archive();
  const auto parsed = value_or_throw(poclbin::parse(archive));
  ASSERT_EQ(parsed.kernels.size(), 1u);
  ASSERT_EQ(parsed.kernels[0].files.size(), 1u) << "only the asked variant, no generic stub";
  EXPECT_EQ(parsed.kernels[0].files[0].path, "/VectorAdd/64-1-1-goffs0-smallgrid/VectorAdd.so");
  EXPECT_TRUE(poclbin::check_object(parsed.kernels[0].files[0].content, "VectorAdd"));
  EXPECT_EQ(parsed.build_hash, poclbin::build_hash(program.key().digest.bytes));
  for (const char* leak : {"/tmp/", "/home/", "/root"})
    EXPECT_EQ(as_text(archive).find(leak), std::string_view::npos) << leak;
}

TEST_F(ResolverTest, unlaunched_kernels_of_a_file_cost_no_compile_but_still_run) {
  const std::string text = std::string(vector_add_text) +
                           "__kernel void Other(__global int* x) { x[get_global_id(0)] = 7; }\n";
  auto spine = resolver();
  const auto context = Context::create({device_});
  Program& program = spine->resolve(text_request(text, "pair"), context, device_, wanted(1024, 64));
  EXPECT_EQ(program.missing({variant_of("Other", range_1d(1024, 64))}).size(), 1u);
  Launch launch(context, program, "Other");
  std::vector<cl_int> x(128, 0);
  cl::Buffer buffer(context->cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, std::size_t{512},
                    x.data());
  launch.set_buffer(0, buffer);
  launch.set_range(range_1d(128, 64));
  Queue queue(context, device_);
  launch.enqueue(queue.cl()());
  queue.cl().enqueueReadBuffer(buffer, CL_TRUE, 0, 512, x.data());
  EXPECT_EQ(x, std::vector<cl_int>(128, 7));
}

TEST_F(ResolverTest, a_kernels_name_that_the_source_does_not_have_changes_nothing_in_the_store) {
  const std::string text = std::string(vector_add_text) +
                           "__kernel void Other(__global int* x) { x[get_global_id(0)] = 7; }\n";
  const auto resolve = [&](const std::string& kernel, std::size_t local) {
    auto spine = resolver();
    const auto context = Context::create({device_});
    auto request = text_request(text, "pair");
    request.label = kernel;
    Program& program =
        spine->resolve(request, context, device_, {variant_of(kernel, range_1d(1024, local))});
    const bool there = program.may_have(kernel);
    if (!there) {
      EXPECT_THROW(Launch(context, program, kernel), Error);
    }
    return there;
  };
  const auto entries = [&] {
    auto all = value_or_throw(LocalStore(store_folder()).list());
    std::erase_if(all, [](const EntryInfo& entry) { return entry.kind != Kind::artifact; });
    return all;
  };
  EXPECT_FALSE(resolve("Absent", 64));
  EXPECT_TRUE(entries().empty());
  EXPECT_TRUE(resolve("VectorAdd", 64));
  const auto before = entries();
  ASSERT_EQ(before.size(), 1u);
  EXPECT_EQ(before[0].metadata.label, "VectorAdd");
  EXPECT_FALSE(resolve("Absent", 32));
  EXPECT_EQ(entries().at(0).metadata, before[0].metadata);
  EXPECT_EQ(entries().at(0).size, before[0].size);
  // Another kernel of the text adds to the entry, whose name stays.
  EXPECT_TRUE(resolve("Other", 64));
  ASSERT_EQ(entries().size(), 1u);
  EXPECT_EQ(entries()[0].metadata.label, "VectorAdd");
  EXPECT_GT(entries()[0].size, before[0].size);
}

TEST_F(ResolverTest, source_options_parameters_and_entry_points_each_change_the_key) {
  const Request plain = text_request(vector_add_text, "VectorAdd");
  const auto key = [&](const Request& request, const Parameters& parameters) {
    return key_of(canonical_request(request, parameters, *device_)).hex();
  };
  Request options = plain, kernels = plain, facts = plain, version = plain, relabelled = plain;
  options.options = "-DN=2";
  kernels.kernels = {"VectorAdd"};
  facts.payload = Facts{{"unit", std::int64_t{1}}};
  version.version = 2;
  relabelled.label = "another label";
  std::set<std::string> keys{
      key(plain, {}),
      key(text_request("// changed\n" + std::string(vector_add_text), "V"), {}),
      key(options, {}),
      key(kernels, {}),
      key(facts, {}),
      key(version, {}),
      key(plain, {{"TS", 8}})};
  EXPECT_EQ(keys.size(), 7u);
  EXPECT_EQ(key(plain, {}), key(relabelled, {}));
}

TEST_F(ResolverTest, a_text_that_does_not_compile_shows_the_users_own_line) {
  auto spine = resolver();
  const auto context = Context::create({device_});
  try {
    spine->resolve(
        text_request("\n\n__kernel void broken(__global int* x) { x[0] = y; }\n", "mine"), context,
        device_);
    FAIL() << "it compiled";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::build);
    EXPECT_NE(error.message().find("mine.cl:3:"), std::string::npos) << error.message();
    EXPECT_NE(error.message().find("undeclared"), std::string::npos) << error.message();
  }
}

TEST_F(ResolverTest, threads_that_ask_for_one_key_share_one_making) {
  auto spine = resolver();
  const auto context = Context::create({device_});
  const auto request = text_request(vector_add_text, "VectorAdd");
  std::vector<Explanation> explanations(8);
  std::vector<Program*> programs(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      programs[i] = &spine->resolve(request, context, device_, wanted(64, 64), &explanations[i]);
    });
  for (auto& thread : threads) thread.join();
  std::size_t compiles = 0;
  for (const auto& explanation : explanations) compiles += has_step(explanation, "compile");
  EXPECT_EQ(compiles, 1u);
  for (const auto* program : programs) EXPECT_EQ(program, programs[0]);
}

TEST_F(ResolverTest, a_programs_arguments_are_known_however_it_was_made) {
  const auto request = text_request(vector_add_text, "VectorAdd");
  auto first = resolver(), again = resolver(), here = std::make_unique<Resolver>(nullptr);
  for (auto* spine : {&first, &again, &here}) {
    const auto context = Context::create({device_});
    const auto& kernel = (*spine)->resolve(request, context, device_).kernel("VectorAdd");
    EXPECT_TRUE(kernel.has_arguments);
    ASSERT_EQ(kernel.arguments.size(), 4u);
    EXPECT_EQ(kernel.arguments[0].type, "float*");
    EXPECT_EQ(kernel.arguments[0].address, cl_uint{CL_KERNEL_ARG_ADDRESS_GLOBAL});
    EXPECT_EQ(kernel.arguments[3].type, "int");
    EXPECT_EQ(kernel.arguments[3].name, "n");
  }
}

TEST_F(ResolverTest, without_a_store_it_builds_in_process) {
  Resolver spine(nullptr);
  const auto context = Context::create({device_});
  Explanation explanation;
  Program& program = spine.resolve(text_request(vector_add_text, "VectorAdd"), context, device_,
                                   wanted(256, 64), &explanation);
  EXPECT_TRUE(step_of(explanation, "compile").answered);
  run_vector_add(context, program, 256, 64);
}

TEST_F(ResolverTest, building_in_the_background_runs_at_once_and_keeps_the_artifact) {
  const auto request = text_request(vector_add_text, "VectorAdd");
  {
    auto spine = resolver(CompilePolicy::background);
    const auto context = Context::create({device_});
    Program& program = spine->resolve(request, context, device_, wanted(256, 64));
    run_vector_add(context, program, 256, 64);
    spine->finish();
  }
  auto spine = resolver();
  const auto context = Context::create({device_});
  Explanation explanation;
  Program& program = spine->resolve(request, context, device_, wanted(256, 64), &explanation);
  EXPECT_FALSE(has_step(explanation, "compile")) << text_of(explanation);
  run_vector_add(context, program, 256, 64);
}

TEST_F(ResolverTest, an_entry_of_another_device_is_not_handed_to_the_driver) {
  const auto request = text_request(vector_add_text, "VectorAdd");
  const Bytes canonical = canonical_request(request, {}, *device_);
  auto spine = resolver();
  Artifact foreign;
  foreign.form = Artifact::Form::driver_binary;
  foreign.binary = Bytes(100, std::byte{7});
  value_or_throw(spine->store()->put(Kind::artifact, key_of(canonical), canonical, encode(foreign),
                                     {artifact_schema, "foreign", "", 0}));
  const auto context = Context::create({device_});
  Explanation explanation;
  Program& program = spine->resolve(request, context, device_, wanted(256, 64), &explanation);
  EXPECT_FALSE(step_of(explanation, spine->store()->name()).answered);
  EXPECT_TRUE(step_of(explanation, "compile").answered);
  run_vector_add(context, program, 256, 64);
}

TEST_F(ResolverTest, an_adopted_context_is_used_and_keeps_its_own_programs) {
  const cl::Context foreign(device_->handle);
  const cl::CommandQueue queue(foreign, device_->handle);
  auto spine = resolver();
  const auto context = Context::adopt(foreign());
  const Queue adopted = Queue::adopt(queue(), context);
  Program& program = spine->resolve(text_request(vector_add_text, "VectorAdd"), context,
                                    adopted.device(), wanted(256, 64));
  EXPECT_EQ(program.cl().getInfo<CL_PROGRAM_CONTEXT>()(), foreign());
  run_vector_add(context, program, 256, 64);
}

TEST_F(ResolverTest, a_sub_device_uses_its_parents_artifact) {
  if (device_->compute_units < 2) GTEST_SKIP() << "one compute unit: no sub-devices";
  const auto request = text_request(vector_add_text, "VectorAdd");
  auto spine = resolver();
  const auto whole = Context::create({device_});
  spine->resolve(request, whole, device_, wanted(256, 64));
  const auto parts = value_or_throw(partition_equally(device_, 2));
  const auto context = Context::create({parts[1]});
  Explanation explanation;
  Program& program = spine->resolve(request, context, parts[1], wanted(256, 64), &explanation);
  EXPECT_FALSE(has_step(explanation, "compile")) << text_of(explanation);
  run_vector_add(context, program, 256, 64);
}

}  // namespace
}  // namespace kiln::testing
