// Programs built and used from several threads at once. Threads write no transcript: what they saw
// is printed when all have ended, in the order of their numbers.
#include <atomic>
#include <cstdlib>
#include <thread>

#include "cases.hpp"

namespace kiln::layer_cases {
namespace {

/// Many more than there are cores, and more than workers of the helper; 64 with KILN_LONG.
int many_threads() { return std::getenv("KILN_LONG") == nullptr ? 16 : 64; }

/// What one thread saw: the first status that was not success, and the first two results.
struct Seen {
  cl_int status = CL_SUCCESS;
  cl_int first = -1, second = -1;

  bool ok(cl_int answer) {
    if (status == CL_SUCCESS) status = answer;
    return answer == CL_SUCCESS;
  }
};

Program create(Seen& seen, cl_context context, const std::string& text) {
  const char* string = text.c_str();
  cl_int status = 1;
  Program program = ::clCreateProgramWithSource(context, 1, &string, nullptr, &status);
  seen.ok(status);
  return program;
}

/// Runs `fill` of the program on a queue of its own.
void run(Seen& seen, cl_context context, cl_device_id device, cl_program program, cl_int value) {
  cl_int status = 1;
  const Queue queue = ::clCreateCommandQueue(context, device, 0, &status);
  if (!seen.ok(status)) return;
  const Kernel kernel = ::clCreateKernel(program, "fill", &status);
  if (!seen.ok(status)) return;
  const Memory result = ::clCreateBuffer(context, CL_MEM_READ_WRITE, 32, nullptr, &status);
  if (!seen.ok(status)) return;
  seen.ok(::clSetKernelArg(kernel, 0, sizeof(cl_mem), result.address()));
  seen.ok(::clSetKernelArg(kernel, 1, sizeof value, &value));
  const std::size_t global = 8, local = 4;
  seen.ok(
      ::clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr));
  cl_int read[8] = {};
  seen.ok(::clEnqueueReadBuffer(queue, result, CL_TRUE, 0, sizeof read, read, 0, nullptr, nullptr));
  seen.first = read[0];
  seen.second = read[1];
}

/// Starts all threads at once, waits for them, prints what they saw.
template <class Body>
void on_threads(Environment& e, int count, const Body& body) {
  std::vector<Seen> seen(static_cast<std::size_t>(count));
  std::atomic<int> waiting{count};
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      for (--waiting; waiting > 0;) std::this_thread::yield();
      body(seen[static_cast<std::size_t>(i)], i);
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < seen.size(); ++i)
    e.out.line("thread %zu: %s, %d %d", i, status_name(seen[i].status).c_str(), seen[i].first,
               seen[i].second);
}

/// A text of its own for each number; `fill` adds 1000 times the number.
std::string numbered(int number) {
  return "#define NUMBER " + std::to_string(number) +
         "\nkernel void fill(global int* out, int value) {\n"
         "  out[get_global_id(0)] = 1000 * NUMBER + value + (int)get_global_id(0);\n}\n";
}

void same_text(Environment& e, int count) {
  on_threads(e, count, [&](Seen& seen, int i) {
    const Program program = create(seen, e.context, fill_source);
    if (seen.ok(::clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr)))
      run(seen, e.context, e.device, program, i);
  });
  // The count of the context is not written: PoCL 3.1 releases a queue after its last event.
}

void different_texts(Environment& e, int count, int texts) {
  on_threads(e, count, [&](Seen& seen, int i) {
    const Program program = create(seen, e.context, numbered(i % texts));
    if (seen.ok(::clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr)))
      run(seen, e.context, e.device, program, i);
  });
}

}  // namespace

LONG_LAYER_CASE(threads_2_build_the_same_text) { same_text(e, 2); }

LONG_LAYER_CASE(threads_8_build_the_same_text) { same_text(e, 8); }

LAYER_CASE(threads_many_build_the_same_text) { same_text(e, many_threads()); }

LONG_LAYER_CASE(threads_2_build_different_texts) { different_texts(e, 2, 2); }

LONG_LAYER_CASE(threads_8_build_different_texts) { different_texts(e, 8, 8); }

LAYER_CASE(threads_many_build_eight_texts) { different_texts(e, many_threads(), 8); }

LAYER_CASE(threads_8_build_in_contexts_of_their_own) {
  on_threads(e, 8, [&](Seen& seen, int i) {
    cl_int status = 1;
    const Context context = ::clCreateContext(nullptr, 1, &e.device, nullptr, nullptr, &status);
    if (!seen.ok(status)) return;
    const Program program = create(seen, context, fill_source);
    if (seen.ok(::clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr)))
      run(seen, context, e.device, program, i);
  });
}

LAYER_CASE(threads_8_create_kernels_of_one_program) {
  const Program program = e.built(fill_source);
  on_threads(e, 8, [&](Seen& seen, int i) { run(seen, e.context, e.device, program, i); });
  settle(program, 1);
  print_count(e, "afterwards", program);
  e.build(program);
}

LAYER_CASE(threads_query_while_another_builds) {
  const Program program = e.program(fill_source);
  std::atomic<bool> is_done{false};
  const int rounds = std::getenv("KILN_LONG") == nullptr ? 4 : 30;
  on_threads(e, 4, [&](Seen& seen, int i) {
    for (int round = 0; i == 0 && round < rounds; ++round) {
      const std::string options = "-DROUND=" + std::to_string(round % 3);
      seen.ok(::clBuildProgram(program, 0, nullptr, options.c_str(), nullptr, nullptr));
    }
    if (i == 0) is_done = true;
    for (cl_int status = 0; i != 0 && !is_done;) {
      cl_uint count = 0;
      seen.ok(::clGetProgramBuildInfo(program, e.device, CL_PROGRAM_BUILD_STATUS, sizeof status,
                                      &status, nullptr));
      seen.ok(::clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, nullptr));
      seen.ok(
          ::clGetProgramInfo(program, CL_PROGRAM_REFERENCE_COUNT, sizeof count, &count, nullptr));
      if (count != 1) seen.first = static_cast<cl_int>(count);
    }
  });
  e.build(program);
}

LAYER_CASE(threads_8_query_one_program) {
  const Program program = e.built(fill_source, "-cl-kernel-arg-info");
  on_threads(e, 8, [&](Seen& seen, int) {
    for (int round = 0; round < 100; ++round) {
      char text[200] = {};
      std::size_t count = 0;
      seen.ok(::clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof text, text, nullptr));
      seen.ok(::clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, nullptr));
      seen.ok(::clGetProgramBuildInfo(program, e.device, CL_PROGRAM_BUILD_LOG, sizeof text, text,
                                      nullptr));
      seen.first = static_cast<cl_int>(count);
      seen.second = round;
    }
  });
}

LAYER_CASE(threads_4_build_failing_texts) {
  on_threads(e, 4, [&](Seen& seen, int i) {
    const Program program = create(seen, e.context, i % 2 == 0 ? wrong_source : fill_source);
    if (seen.ok(::clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr)))
      run(seen, e.context, e.device, program, i);
  });
}

LAYER_CASE(threads_build_while_others_use_kernels) {
  const Program shared = e.built(fill_source);
  on_threads(e, 4, [&](Seen& seen, int i) {
    for (int round = 0; round < 4; ++round) {
      if (i % 2 == 0) {
        run(seen, e.context, e.device, shared, i + round);
      } else {
        const Program own = create(seen, e.context, numbered(round));
        seen.ok(::clBuildProgram(own, 0, nullptr, nullptr, nullptr, nullptr));
        run(seen, e.context, e.device, own, i + round);
      }
    }
  });
}

LAYER_CASE(threads_release_what_another_built) {
  const Program program = e.built(fill_source);
  e.out.status("retain for each", CL_SUCCESS);
  for (int i = 0; i < 8; ++i) ::clRetainProgram(program);
  on_threads(e, 8, [&](Seen& seen, int i) {
    run(seen, e.context, e.device, program, i);
    seen.ok(::clReleaseProgram(program));
  });
  settle(program, 1);
  print_count(e, "afterwards", program);
}

LAYER_CASE(threads_build_in_a_thread_and_use_here) {
  Seen seen;
  Program program;
  std::thread([&] {
    program = create(seen, e.context, fill_source);
    seen.ok(::clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr));
  }).join();
  e.out.status("in the thread", seen.status);
  e.out.know(program, "program");
  e.run_fill(program);
  print_program(e, program);
}

LAYER_CASE(threads_8_read_binaries_of_one_program) {
  const Program program = e.built(fill_source);
  std::vector<std::vector<unsigned char>> binaries(8);
  on_threads(e, 8, [&](Seen& seen, int i) {
    std::size_t size = 0;
    seen.ok(::clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr));
    auto& binary = binaries[static_cast<std::size_t>(i)];
    binary.resize(size);
    unsigned char* place = binary.data();
    seen.ok(::clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof place, &place, nullptr));
  });
  // PoCL 3.1 writes into its cache while another thread packs it: the bytes may differ.
  for (const auto& binary : binaries) e.out.yes_no("a size", !binary.empty());
}

}  // namespace kiln::layer_cases
