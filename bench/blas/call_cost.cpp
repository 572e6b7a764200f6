// What a call costs apart from its kernels, and what the libraries weigh.
#include <fmt/format.h>

#include <cstdio>

#include "base/clock.hpp"
#include "blas/bars.hpp"
#include "blas/duel.hpp"
#include "rival/libraries.hpp"

namespace kiln::bench {
namespace {

using namespace kiln::blas;

fs::path library_in(const Context& context, const char* name) {
  return context.binaries.parent_path() / "lib" / name;
}

/// clblasSgemm as a program has it: from libclBLAS.so.2 of this build.
class ClblasSgemm {
 public:
  explicit ClblasSgemm(const fs::path& library) : library_({library.c_str()}) {
    if (!library_.present())
      throw std::runtime_error(fmt::format("{} is absent", library.string()));
    function_ = library_.function<Function>("clblasSgemm");
  }
  void operator()(const Call& call, cl_command_queue queue) const {
    const Operand &a = call[Slot::a], &b = call[Slot::b], &c = call[Slot::c];
    const int status = function_(
        static_cast<int>(call.order), static_cast<int>(call.trans_a),
        static_cast<int>(call.trans_b), call.m, call.n, call.k,
        static_cast<cl_float>(call.alpha.real()), a.memory, a.offset,
        static_cast<std::size_t>(a.stride), b.memory, b.offset, static_cast<std::size_t>(b.stride),
        static_cast<cl_float>(call.beta.real()), c.memory, c.offset,
        static_cast<std::size_t>(c.stride), 1, &queue, 0, nullptr, nullptr);
    if (status != 0) throw std::runtime_error(fmt::format("clblasSgemm gives {}", status));
  }

 private:
  using Function = int(int, int, int, std::size_t, std::size_t, std::size_t, cl_float, cl_mem,
                       std::size_t, std::size_t, cl_mem, std::size_t, std::size_t, cl_float, cl_mem,
                       std::size_t, std::size_t, cl_uint, cl_command_queue*, cl_uint,
                       const cl_event*, cl_event*);
  rival::SharedLibrary library_;
  Function* function_ = nullptr;
};

/// Microseconds that the host spends in a call; that its work ends is waited for, and not counted.
Sample host_time(std::function<void()> call, cl_command_queue queue) {
  return [call = std::move(call), queue]() -> tl::expected<double, std::string> {
    const auto start = now_ns();
    call();
    const auto end = now_ns();
    check_cl(::clFinish(queue), "clFinish");
    return static_cast<double>(end - start) * 1e-3;
  };
}

constexpr std::size_t small_side = 64;
constexpr int many_pairs = 2000;

Outcome beyond_the_enqueues(const Context& context) {
  const ClblasSgemm sgemm(library_in(context, "libclBLAS.so.2"));
  rival::Machine machine("cpu");
  rival::Problem problem(machine, measured_call(Routine::gemm, Precision::s, small_side));
  const cl_command_queue queue = problem.queue();
  const Execution execution{{&queue, 1}};
  const auto sequence = machine.library().build(problem.call(), execution);
  sequence->run(problem.call(), execution);
  check_cl(::clFinish(queue), "clFinish");
  const auto pairs = interleave(host_time([&] { sgemm(problem.call(), queue); }, queue),
                                host_time(
                                    [&] {
                                      sequence->enqueue_only({&queue, 1});
                                    },
                                    queue),
                                many_pairs, 100);
  if (!pairs) return not_measured(pairs.error());
  Figure figure = difference(*pairs, "us");
  figure.detail += fmt::format(", {} kernel{}", sequence->steps().size(),
                               sequence->steps().size() == 1 ? "" : "s");
  return figure;
}

Outcome against_clblast(const Context& context) {
  const auto& rival = rival::Clblast::get();
  if (!rival.present()) return not_measured("libclblast.so.1 is absent");
  const ClblasSgemm sgemm(library_in(context, "libclBLAS.so.2"));
  rival::Machine machine("cpu");
  rival::Problem problem(machine, measured_call(Routine::gemm, Precision::s, small_side));
  const cl_command_queue queue = problem.queue();
  const auto pairs =
      interleave(host_time([&] { rival.run(problem.call(), queue); }, queue),
                 host_time([&] { sgemm(problem.call(), queue); }, queue), many_pairs, 100);
  if (!pairs) return not_measured(pairs.error());
  return ratio(*pairs, "us");
}

Outcome size_of_libraries(const Context& context) {
  std::uintmax_t bytes = 0;
  for (const char* name : {"libclBLAS.so.2", "libkiln.so"}) {
    std::error_code error;
    const auto size = fs::file_size(fs::canonical(library_in(context, name), error), error);
    if (error) return not_measured(fmt::format("{} is absent", name));
    bytes += size;
  }
  return Figure{static_cast<double>(bytes) * 1e-6, fmt::format("{} bytes", bytes)};
}

Outcome exported_symbols(const Context& context) {
  const auto library = library_in(context, "libclBLAS.so.2");
  if (!fs::exists(library)) return not_measured("libclBLAS.so.2 is absent");
  std::FILE* pipe =
      ::popen(fmt::format("nm -D --defined-only '{}'", library.string()).c_str(), "r");
  if (pipe == nullptr) return not_measured("nm cannot be started");
  double lines = 0;
  for (int letter = 0; (letter = std::fgetc(pipe)) != EOF;) lines += letter == '\n';
  if (::pclose(pipe) != 0) return not_measured("nm failed");
  return Figure{lines, "nm -D --defined-only"};
}

}  // namespace

std::vector<Bar> call_cost_bars() {
  return {{"blas/host-time",
           "a warm clblasSgemm, n = 64, beyond the raw enqueues of its kernels: the host's time",
           Holds::at_most, 3, "us more", beyond_the_enqueues},
          {"blas/host-time-clblast",
           "a warm clblasSgemm, n = 64, against CLBlast's: the host's time of the whole call",
           Holds::at_least, 1, "x faster", against_clblast},
          {"blas/library-size", "libclBLAS.so.2 and libkiln.so", Holds::at_most, 8, "MB",
           size_of_libraries},
          {"blas/library-symbols", "symbols that libclBLAS.so.2 exports", Holds::at_most, 180,
           "symbols", exported_symbols}};
}

}  // namespace kiln::bench
