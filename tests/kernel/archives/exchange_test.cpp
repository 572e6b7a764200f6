// Archives out of the store and into it.
#include "kernel/archives/exchange.hpp"

#include <gmock/gmock.h>

#include "kernel/archives/archive_build.hpp"
#include "kernel/support.hpp"

namespace kiln::testing {
namespace {

using ::testing::HasSubstr;
using Exchange = StoreFixture;

Request add_request() { return text_request(vector_add_text, "VectorAdd"); }

Bytes built_archive(const std::string& text = vector_add_text) {
  ArchiveBuild build;
  build.source = value_or_throw(from_text(text, "VectorAdd.cl"));
  build.local_sizes = {{64, 1, 1}};
  build.label = "VectorAdd";
  return value_or_throw(build_archive(*cpu_device(), build)).bytes;
}

TEST_F(Exchange, an_imported_archive_starts_the_program_and_no_compiler_does) {
  const auto device = device_;
  const auto imported =
      value_or_throw(import_archive(*resolver(), add_request(), device, built_archive()));
  EXPECT_FALSE(imported.renewed);
  EXPECT_EQ(imported.kernels, std::vector<std::string>{"VectorAdd"});
  EXPECT_EQ(imported.variants, 1u);

  const auto fresh = resolver();
  const auto context = Context::create({device});
  Explanation explanation;
  Program& program = fresh->resolve(add_request(), context, device,
                                    {variant_of("VectorAdd", range_1d(1024, 32))}, &explanation);
  EXPECT_TRUE(step_of(explanation, "local store").answered) << text_of(explanation);
  EXPECT_FALSE(has_step(explanation, "compile")) << text_of(explanation);
  EXPECT_FALSE(has_step(explanation, "variant")) << text_of(explanation);
  run_vector_add(context, program, 1024, 64);
  run_vector_add(context, program, 1024, 32);
}

/// Only what a local size of 64 needs.
Bytes archive_of_one_size() {
  const Bytes built = built_archive();
  auto archive = value_or_throw(poclbin::parse(built));
  for (auto& kernel : archive.kernels)
    std::erase_if(kernel.files, [](const poclbin::File& file) {
      return file.path.find("/0-0-0/") != std::string_view::npos;
    });
  return poclbin::write(archive);
}

TEST_F(Exchange, an_archive_that_cannot_start_what_is_wanted_is_a_miss_with_its_reason) {
  value_or_throw(import_archive(*resolver(), add_request(), device_, archive_of_one_size()));
  const auto context = Context::create({device_});
  Explanation explanation;
  Program& program = resolver()->resolve(
      add_request(), context, device_, {variant_of("VectorAdd", range_1d(1024, 32))}, &explanation);
  EXPECT_FALSE(step_of(explanation, "local store").answered);
  EXPECT_THAT(step_of(explanation, "local store").reason,
              HasSubstr("no variant 32-1-1-goffs0-smallgrid of VectorAdd"));
  EXPECT_TRUE(step_of(explanation, "compile").answered) << text_of(explanation);
  run_vector_add(context, program, 1024, 32);
}

TEST_F(Exchange, a_launch_that_an_archive_cannot_start_is_an_error) {
  value_or_throw(import_archive(*resolver(), add_request(), device_, archive_of_one_size()));
  const auto context = Context::create({device_});
  const auto fresh = resolver();
  Program& program = fresh->resolve(add_request(), context, device_);
  EXPECT_THROW(program.prepare(variant_of("VectorAdd", range_1d(1024, 32))), Error);
  EXPECT_THROW(run_vector_add(context, program, 1024, 32), Error);
  run_vector_add(context, program, 1024, 64);
}

TEST_F(Exchange, bitcode_that_is_none_is_refused_before_the_driver_sees_it) {
  const Bytes built = archive_of_one_size();
  auto archive = value_or_throw(poclbin::parse(built));
  archive.root = {{{"/program.bc", as_bytes("no bitcode")}}};
  const auto imported =
      import_archive(*resolver(), add_request(), device_, poclbin::write(archive));
  ASSERT_FALSE(imported);
  EXPECT_EQ(imported.error().message(), "/program.bc: no LLVM bitcode");
}

TEST_F(Exchange, what_is_exported_comes_back_as_it_was) {
  const auto first = resolver();
  EXPECT_THAT(export_archive(*first, add_request(), *device_).error().message(),
              HasSubstr("the store has no archive of VectorAdd"));
  const auto context = Context::create({device_});
  first->resolve(add_request(), context, device_, {variant_of("VectorAdd", range_1d(64, 64))});
  const Bytes exported = value_or_throw(export_archive(*first, add_request(), *device_));
  const auto imported =
      value_or_throw(import_archive(*resolver(), add_request(), device_, exported));
  EXPECT_FALSE(imported.renewed) << "the same contents are the same program";
  EXPECT_EQ(value_or_throw(export_archive(*resolver(), add_request(), *device_)), exported);
}

TEST_F(Exchange, other_contents_get_another_build_hash) {
  const auto context = Context::create({device_});
  const auto first = resolver();
  first->resolve(add_request(), context, device_, {variant_of("VectorAdd", range_1d(64, 64))});
  const Bytes own = value_or_throw(export_archive(*first, add_request(), *device_));
  // Under the very hash that the driver knows: code that computes something else.
  const Bytes other = built_archive(
      "__kernel void VectorAdd(__global const float* a, __global const float* b,\n"
      "                        __global float* c, int n) {\n"
      "  int i = get_global_id(0);\n  if (i < n) c[i] = 42;\n}\n");
  const auto parsed = value_or_throw(poclbin::parse(other));
  const Bytes disguised =
      poclbin::rewrite(parsed, value_or_throw(poclbin::parse(own)).build_hash, nullptr);
  const auto imported = value_or_throw(import_archive(*first, add_request(), device_, disguised));
  EXPECT_TRUE(imported.renewed);
  EXPECT_NE(imported.build_hash, value_or_throw(poclbin::parse(own)).build_hash);

  // In this very process, in which the first program is loaded: the second one's code runs.
  const auto fresh_context = Context::create({device_});
  Program& program = resolver()->resolve(add_request(), fresh_context, device_);
  std::vector<float> numbers(64, 1.0f);
  const auto buffer = [&] {
    return cl::Buffer(fresh_context->cl(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                      64 * sizeof(float), numbers.data());
  };
  const auto a = buffer(), b = buffer(), c = buffer();
  Launch launch(fresh_context, program, "VectorAdd");
  launch.set_buffer(0, a);
  launch.set_buffer(1, b);
  launch.set_buffer(2, c);
  launch.set_scalar(3, cl_int{64});
  launch.set_range(range_1d(64, 64));
  Queue queue(fresh_context, device_);
  launch.enqueue(queue.cl()());
  queue.cl().enqueueReadBuffer(c, CL_TRUE, 0, 64 * sizeof(float), numbers.data());
  EXPECT_EQ(numbers[7], 42.0f);
}

TEST_F(Exchange, what_is_not_for_this_program_or_device_is_refused) {
  const auto store = resolver();
  const auto message = [&](const Request& request, ByteView bytes) {
    const auto imported = import_archive(*store, request, device_, bytes);
    return imported ? "no error" : imported.error().message();
  };
  const Bytes good = built_archive();
  EXPECT_THAT(message(add_request(), ByteView(good).first(good.size() - 1)), HasSubstr("byte"));
  auto foreign = value_or_throw(poclbin::parse(good));
  foreign.device_id ^= 1;
  EXPECT_THAT(message(add_request(), poclbin::write(foreign)), HasSubstr("is for device"));
  auto request = add_request();
  request.kernels = {"VectorSub"};
  EXPECT_THAT(message(request, good), HasSubstr("no kernel 'VectorSub'"));
  auto broken = value_or_throw(poclbin::parse(good));
  for (auto& file : broken.kernels[0].files) file.content = as_bytes("no code at all");
  EXPECT_THAT(message(add_request(), poclbin::write(broken)), HasSubstr("VectorAdd.so"));
  EXPECT_FALSE(export_archive(*store, add_request(), *device_)) << "a refused import left an entry";
  Resolver without(nullptr);
  EXPECT_THAT(import_archive(without, add_request(), device_, good).error().message(),
              HasSubstr("the store is off"));
}

}  // namespace
}  // namespace kiln::testing
