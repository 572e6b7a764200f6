// Programs belong to a context and a device, and go with the context.
#include <thread>

#include "kernel/support.hpp"

namespace kiln::testing {
namespace {

using ProgramLifetime = StoreFixture;

TEST_F(ProgramLifetime, two_contexts_do_not_share_programs) {
  auto spine = resolver();
  const auto request = text_request(vector_add_text, "VectorAdd");
  const auto one = Context::create({device_}), other = Context::create({device_});
  Program& first = spine->resolve(request, one, device_);
  EXPECT_EQ(spine->find(first.key(), *one, *device_), &first);
  EXPECT_EQ(spine->find(first.key(), *other, *device_), nullptr);
  Program& second = spine->resolve(request, other, device_);
  EXPECT_EQ(first.key(), second.key());
  EXPECT_EQ(first.cl().getInfo<CL_PROGRAM_CONTEXT>()(), one->cl()());
  EXPECT_EQ(second.cl().getInfo<CL_PROGRAM_CONTEXT>()(), other->cl()());
}

TEST_F(ProgramLifetime, contexts_that_ask_at_the_same_time_get_programs_of_their_own) {
  auto spine = resolver();
  const auto request = text_request(vector_add_text, "VectorAdd");
  std::vector<ContextPtr> contexts;
  for (int i = 0; i < 8; ++i) contexts.push_back(Context::create({device_}));
  std::vector<Program*> programs(contexts.size());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < contexts.size(); ++i)
      threads.emplace_back(
          [&, i] { programs[i] = &spine->resolve(request, contexts[i], device_); });
  }
  for (std::size_t i = 0; i < contexts.size(); ++i)
    EXPECT_EQ(programs[i]->cl().getInfo<CL_PROGRAM_CONTEXT>()(), contexts[i]->cl()()) << i;
}

TEST_F(ProgramLifetime, a_program_goes_with_its_context) {
  auto spine = resolver();
  auto context = Context::create({device_});
  const cl::Program handle =
      spine->resolve(text_request(vector_add_text, "VectorAdd"), context, device_).cl();
  const auto held = handle.getInfo<CL_PROGRAM_REFERENCE_COUNT>();
  context.reset();
  EXPECT_LT(handle.getInfo<CL_PROGRAM_REFERENCE_COUNT>(), held);
}

TEST_F(ProgramLifetime, a_launch_keeps_the_context_that_its_program_lives_in) {
  auto spine = resolver();
  auto context = Context::create({device_});
  const std::weak_ptr<Context> watched = context;
  {
    Launch launch(context, spine->resolve(text_request(vector_add_text, "V"), context, device_),
                  "VectorAdd");
    context.reset();
    EXPECT_FALSE(watched.expired());
    EXPECT_EQ(launch.info().name, "VectorAdd");
  }
  EXPECT_TRUE(watched.expired());
}

TEST_F(ProgramLifetime, a_text_without_any_kernel_has_none_and_says_so) {
  auto spine = resolver();
  const auto context = Context::create({device_});
  try {
    Program& program = spine->resolve(text_request("int unused(int x) { return x; }\n", "empty"),
                                      context, device_);
    EXPECT_TRUE(program.kernels().empty());
    program.kernel("f");
    FAIL() << "it has a kernel";
  } catch (const Error& error) {
    EXPECT_FALSE(error.message().empty());
  }
}

}  // namespace
}  // namespace kiln::testing
