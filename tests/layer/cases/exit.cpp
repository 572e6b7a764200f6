// Objects that are used and released when the process ends. The last calls come after the handlers
// and destructors of a layer have run, as with programs that keep OpenCL objects in global objects.
#include <cstdio>
#include <cstdlib>

#include "cases.hpp"

namespace kiln::layer_cases {
namespace {

/// What a case leaves behind for the end of the process.
struct Kept {
  Environment environment;
  Program program;
  Kernel kernel;
  Memory result;

  Kept() {
    Environment& e = environment;
    program = e.built(fill_source);
    kernel = e.kernel(program, "fill");
    result = e.memory(8 * sizeof(int));
    e.set(kernel, 0, result);
    e.set(kernel, 1, 7);
    e.launch(kernel, {8}, {4});
    e.read<int>("fill", result, 8);
  }

  /// Queries, a new program, a launch as before, and releases. The new program is not built: PoCL
  /// 3.1 crashes when the destructors of its compiler have run.
  void end(const char* when) {
    std::printf("exit %s\n", when);
    Environment& e = environment;
    print_program(e, program);
    print_build(e, program, e.device);
    settle(kernel, 1);
    print_kernel(e, kernel);
    print_work_group(e, kernel, e.device);
    const Program fresh = e.program(fill_source);
    print_build(e, fresh, e.device);
    e.set(kernel, 1, 8);
    e.launch(kernel, {8}, {4});
    e.read<int>("fill", result, 8);
    print_count(e, "at the end", program);
    e.out.status("release of the kernel", kernel.release());
    settle(program, 1);
    print_count(e, "without its kernel", program);
    e.out.status("release of the program", program.release());
  }
};

/// Set by the cases; plain pointers, since they must outlive all destructors.
Kept* for_early_handler = nullptr;
Kept* for_late_handler = nullptr;
Kept* for_destructor = nullptr;

void early_handler() {
  if (for_early_handler == nullptr) return;
  for_early_handler->end("handler registered before the first call of OpenCL");
  delete for_early_handler;
}

void late_handler() {
  Kept& kept = *for_late_handler;
  kept.end("handler registered after the first call of OpenCL");
  // Here all is still alive: a program is built and run as ever.
  Environment& e = kept.environment;
  const Program program = e.built(fill_source);
  e.run_fill(program, 9);
  print_program(e, program);
}

struct Global {
  ~Global() {
    if (for_destructor == nullptr) return;
    for_destructor->end("destructor of a global object");
    delete for_destructor;
  }
} global;

}  // namespace

void register_exit_handlers() { std::atexit(early_handler); }

LAYER_CASE(exit_handler_registered_early) { for_early_handler = new Kept; }

LAYER_CASE(exit_handler_registered_late) {
  for_late_handler = new Kept;
  std::atexit(late_handler);
}

LAYER_CASE(exit_destructor_of_a_global_object) { for_destructor = new Kept; }

}  // namespace kiln::layer_cases
