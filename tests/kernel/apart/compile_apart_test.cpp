// The compile helper: how it ends, whatever happens to it or to its parent. Files that are named
// pipes make a compile wait where the test wants it to.
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "base/os/process.hpp"
#include "kernel/apart/helper.hpp"
#include "kernel/support.hpp"

namespace kiln::testing {
namespace {

namespace fs = std::filesystem;

ApartRequest add_apart_request() {
  ApartRequest request;
  request.text = vector_add_text;
  request.label = "VectorAdd";
  request.build_hash = std::string("AB/") + std::string(37, 'C');
  request.variants = {variant_of("VectorAdd", range_1d(64, 64))};
  return request;
}

/// A program in the helper's place.
class FakeHelper {
 public:
  /// A body that leaves a wrong artifact of a job; as a server it is started elsewhere.
  static constexpr const char* garbage = "test ! -e job || echo garbage > artifact";

  explicit FakeHelper(const std::string& body)
      : folder_(value_or_throw(TemporaryFolder::create("kiln-helper"))),
        path_(folder_.path() / "helper") {
    value_or_throw(write_file(path_, as_bytes("#!/bin/sh\n" + body + "\n"), 0755));
    variable_.emplace("KILN_COMPILE_HELPER", path_.string());
  }

 private:
  TemporaryFolder folder_;
  fs::path path_;
  std::optional<ScopedVariable> variable_;
};

TEST(CompileApart, gives_an_archive_with_the_asked_hash_and_variant) {
  const Bytes archive = value_or_throw(compile_apart(*cpu_device(), add_apart_request()));
  const auto parsed = value_or_throw(poclbin::parse(archive));
  EXPECT_EQ(parsed.build_hash, add_apart_request().build_hash);
  ASSERT_EQ(parsed.kernels.size(), 1u);
  EXPECT_EQ(poclbin::variants(parsed.kernels[0]).size(), 1u);
}

TEST(CompileApart, is_killed_at_its_bound) {
  auto request = add_apart_request();
  request.limit = std::chrono::milliseconds(1);
  const auto result = compile_apart(*cpu_device(), request);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Errc::timeout);
  EXPECT_EQ(result.error().message(), "compiling VectorAdd took longer than 0.001 s");
}

TEST(CompileApart, a_text_that_does_not_compile_gives_the_log) {
  auto request = add_apart_request();
  request.text = "__kernel void f() { undeclared = 1; }";
  const auto result = compile_apart(*cpu_device(), request);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Errc::build);
  EXPECT_NE(result.error().message().find("undeclared"), std::string::npos);
}

TEST(CompileApart, an_absent_helper_is_an_error_and_no_crash) {
  const ScopedVariable absent("KILN_COMPILE_HELPER", "/nonexistent");
  EXPECT_FALSE(compile_apart(*cpu_device(), add_apart_request()));
}

TEST(CompileApart, a_compiler_that_dies_is_told_from_a_text_that_is_wrong) {
  const FakeHelper helper("kill -SEGV $$");
  const auto result = compile_apart(*cpu_device(), add_apart_request());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Errc::device);
  EXPECT_EQ(result.error().message(), "the driver's compiler died of SIGSEGV on VectorAdd");
}

TEST(CompileApart, a_compiler_that_dies_is_quoted) {
  const FakeHelper helper(
      "echo 'the loader: cannot enable' >&2; echo 'the stack' >&2; kill -ABRT $$");
  const auto result = compile_apart(*cpu_device(), add_apart_request());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message(),
            "the driver's compiler died of SIGABRT on VectorAdd: the loader: cannot enable the "
            "stack");
}

TEST(CompileApart, of_a_compiler_that_says_much_the_end_is_quoted) {
  const FakeHelper helper("seq 100000 >&2; printf '\\033[2Jend' >&2; kill -ABRT $$");
  const auto result = compile_apart(*cpu_device(), add_apart_request());
  ASSERT_FALSE(result);
  EXPECT_LT(result.error().message().size(), 1200u);
  EXPECT_TRUE(result.error().message().ends_with("100000 \\x1b[2Jend")) << result.error().message();
}

TEST(CompileApart, leaves_no_folder_behind) {
  const auto folder = value_or_throw(TemporaryFolder::create("kiln-apart"));
  const ScopedVariable place("TMPDIR", folder.path().string());
  EXPECT_TRUE(compile_apart(*cpu_device(), add_apart_request()));
  auto broken = add_apart_request();
  broken.text = "nonsense";
  EXPECT_FALSE(compile_apart(*cpu_device(), broken));
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

class ApartFallback : public StoreFixture {
 protected:
  /// Resolves and runs; the explanation's "compile" step that answered.
  std::string resolved_by() {
    auto spine = resolver();
    const auto context = Context::create({device_});
    Explanation explanation;
    Program& program = spine->resolve(text_request(vector_add_text, "VectorAdd"), context, device_,
                                      {variant_of("VectorAdd", range_1d(256, 64))}, &explanation);
    run_vector_add(context, program, 256, 64);
    std::string last = text_of(explanation);
    for (const auto& step : explanation.steps)
      if (step.layer == "compile" && step.answered) last = step.reason;
    return last;
  }
};

TEST_F(ApartFallback, builds_in_process_where_the_helper_is_absent) {
  const ScopedVariable absent("KILN_COMPILE_HELPER", "/nonexistent");
  EXPECT_EQ(resolved_by().find("in process: "), 0u) << resolved_by();
}

TEST_F(ApartFallback, builds_in_process_where_the_helper_fails) {
  for (const char* body : {"exit 3", "exit 0", FakeHelper::garbage, "exit 77"}) {
    const FakeHelper helper(body);
    EXPECT_EQ(resolved_by().find("in process: "), 0u) << body << ": " << resolved_by();
  }
  // And what it made was not kept.
  EXPECT_EQ(resolved_by().find("by the helper"), 0u);
}

TEST_F(ApartFallback, a_new_variant_that_cannot_be_made_is_left_to_the_driver) {
  auto spine = resolver();
  const auto context = Context::create({device_});
  Program& program = spine->resolve(text_request(vector_add_text, "VectorAdd"), context, device_,
                                    {variant_of("VectorAdd", range_1d(256, 64))});
  for (const char* body : {"exit 3", FakeHelper::garbage}) {
    const FakeHelper helper(body);
    run_vector_add(context, program, 256, body[1] == 'x' ? 32 : 16);
  }
}

TEST_F(ApartFallback, a_new_variant_that_kills_the_compiler_is_not_left_to_this_process) {
  auto spine = resolver();
  const auto context = Context::create({device_});
  Program& program = spine->resolve(text_request(vector_add_text, "VectorAdd"), context, device_,
                                    {variant_of("VectorAdd", range_1d(256, 64))});
  ASSERT_TRUE(spine->ways(*device_, Resolver::Additions::needed).additions);
  const FakeHelper helper("kill -SEGV $$");
  EXPECT_THROW(run_vector_add(context, program, 256, 32), Error);
  run_vector_add(context, program, 256, 64);
}

TEST(CompileHelper, started_by_hand_says_who_starts_it) {
  ProcessRequest alone;
  alone.program = find_compile_helper();
  const auto result = value_or_throw(run_process(alone));
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.output, "");
  EXPECT_EQ(result.errors, "kiln-compile: started by Kiln's library, with --job or --serve PATH\n");
}

TEST_F(ApartFallback, a_stored_archive_whose_new_variant_kills_the_compiler_is_made_anew) {
  const auto request = text_request(vector_add_text, "VectorAdd");
  resolver()->resolve(request, Context::create({device_}), device_,
                      {variant_of("VectorAdd", range_1d(256, 64))});
  ASSERT_TRUE(resolver()->ways(*device_, Resolver::Additions::needed).additions);
  // Once: what is asked for after it is the program, from its text.
  const ScopedVariable real("KILN_TEST_HELPER", find_compile_helper().string());
  const ScopedVariable mark("KILN_TEST_MARK", (folder_.path() / "mark").string());
  const FakeHelper helper(
      "grep -q __kernel job && exec \"$KILN_TEST_HELPER\" \"$@\"\n"
      "echo >> \"$KILN_TEST_MARK\"\nkill -SEGV $$");
  auto spine = resolver();
  const auto context = Context::create({device_});
  Explanation explanation;
  Program& program = spine->resolve(request, context, device_,
                                    {variant_of("VectorAdd", range_1d(256, 32))}, &explanation);
  EXPECT_TRUE(fs::exists(folder_.path() / "mark"));
  EXPECT_FALSE(step_of(explanation, "variant").answered);
  EXPECT_TRUE(step_of(explanation, "compile").answered) << text_of(explanation);
  run_vector_add(context, program, 256, 32);
}

TEST_F(ApartFallback, without_a_path_the_helper_compiles_even_where_nothing_is_kept) {
  for (const char* path : {"", "/nonexistent"}) {
    const ScopedVariable none("PATH", path);
    Resolver spine(nullptr);
    const auto context = Context::create({device_});
    Explanation explanation;
    const auto resolve = [&] {
      return &spine.resolve(text_request(vector_add_text, "VectorAdd"), context, device_,
                            {variant_of("VectorAdd", range_1d(256, 64))}, &explanation);
    };
    if (*path != '\0') {
      EXPECT_THROW(resolve(), Error) << "the helper finds no linker either";
      continue;
    }
    Program* program = resolve();
    EXPECT_EQ(step_of(explanation, "compile").reason.find("by the helper"), 0u);
    run_vector_add(context, *program, 256, 64);
    run_vector_add(context, *program, 256, 32);
  }
}

TEST_F(ApartFallback, without_a_path_and_a_helper_it_is_said_what_is_missing) {
  const ScopedVariable absent("KILN_COMPILE_HELPER", "/nonexistent");
  const ScopedVariable none("PATH", "");
  for (const auto policy : {CompilePolicy::apart, CompilePolicy::background, CompilePolicy::here}) {
    try {
      resolver(policy)->resolve(text_request(vector_add_text, "VectorAdd"),
                                Context::create({device_}), device_);
      FAIL() << "it was compiled";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::unsupported);
      EXPECT_EQ(error.message().find(
                    "VectorAdd cannot be compiled: PATH is not set, and PoCL's compiler looks"),
                0u)
          << error.message();
    }
  }
}

// The child compiles a text that includes a pipe, and kills itself as soon as the helper's compiler
// has opened it. Here the pipe tells when that reader is gone.
TEST(CompileApartDeathTest, the_helper_ends_when_its_parent_is_killed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // the child is this program, run anew
  constexpr const char* name = "KILN_TEST_PIPE";
  std::optional<TemporaryFolder> folder;
  std::optional<ScopedVariable> variable;
  if (std::getenv(name) == nullptr) {
    folder.emplace(value_or_throw(TemporaryFolder::create("kiln-pipe")));
    const auto pipe = folder->path() / "waits.h";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    variable.emplace(name, pipe.string());
  }
  const std::string pipe = std::getenv(name);
  EXPECT_EXIT(
      {
        const auto device = cpu_device();
        std::jthread compile([&] {
          auto request = add_apart_request();
          request.text = "#include \"" + pipe + "\"\n" + vector_add_text;
          (void)compile_apart(*device, request);
        });
        ::open(pipe.c_str(), O_WRONLY);  // returns once the helper reads
        ::kill(::getpid(), SIGKILL);
      },
      ::testing::KilledBySignal(SIGKILL), "");
  const int end = ::open(pipe.c_str(), O_WRONLY | O_NONBLOCK);
  if (end < 0) {
    EXPECT_EQ(errno, ENXIO) << "no reader is left";
    return;
  }
  pollfd watched{end, 0, 0};
  EXPECT_EQ(::poll(&watched, 1, 60'000), 1) << "the helper outlived its parent by a minute";
  EXPECT_TRUE(watched.revents & POLLERR);
  ::close(end);
}

}  // namespace
}  // namespace kiln::testing
