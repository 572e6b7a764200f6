// Options of a build: their forms, what is refused, and headers that they lead to.
#include "cases.hpp"

namespace kiln::layer_cases {
namespace {

constexpr const char* macro_source =
    "#ifndef A\n#define A -1\n#endif\n"
    "#ifndef B\n#define B -1\n#endif\n"
    "kernel void macros(global int* out) { out[0] = A; out[1] = B; }\n";

/// What the kernel `macros` of the program writes: two numbers.
void run_macros(Environment& e, cl_program program) {
  const Settled settled(program);
  const Kernel kernel = e.kernel(program, "macros");
  if (kernel == nullptr) return;
  const Memory result = e.memory(2 * sizeof(int));
  e.set(kernel, 0, result);
  e.launch(kernel, {1}, {1});
  e.read<int>("macros", result, 2);
}

void try_options(Environment& e, const char* options, const char* text = macro_source) {
  e.out.text("options", options == nullptr ? "(NULL)" : options);
  const Program program = e.program(text);
  if (e.build(program, options) == CL_SUCCESS) run_macros(e, program);
  print_build(e, program, e.device);
}

}  // namespace

LONG_LAYER_CASE(options_null) { try_options(e, nullptr); }

LAYER_CASE(options_empty) { try_options(e, ""); }

LAYER_CASE(options_of_blanks) { try_options(e, "   "); }

LAYER_CASE(options_null_and_empty_in_turn) {
  const Program program = e.built(macro_source, nullptr);
  print_build(e, program, e.device);
  e.build(program, "");
  print_build(e, program, e.device);
  e.build(program, nullptr);
  print_build(e, program, e.device);
}

LAYER_CASE(options_with_blanks_doubled) { try_options(e, "  -D A=5   -w  -D   B=6 "); }

LAYER_CASE(options_with_other_white_space) {
  try_options(e, "-D A=5\t-D B=6");
  try_options(e, "-D A=5\n-D B=6");
}

LONG_LAYER_CASE(options_define_in_one_word) { try_options(e, "-DA=5 -DB=6"); }

LAYER_CASE(options_define_in_two_words) { try_options(e, "-D A=5 -D B=6"); }

LONG_LAYER_CASE(options_define_without_a_value) { try_options(e, "-D A -DB"); }

LAYER_CASE(options_define_an_expression) { try_options(e, "-DA=(1+2) -DB=A*A"); }

LAYER_CASE(options_define_an_empty_value) {
  try_options(e, "-DA= -DB=2", "kernel void macros(global int* out) { out[0] = A 8; out[1] = B; }");
}

LONG_LAYER_CASE(options_define_twice) { try_options(e, "-DA=1 -DA=2"); }

LAYER_CASE(options_undefine) {
  try_options(e, "-DA=1 -UA");
  try_options(e, "-DA=1 -U A");
}

LONG_LAYER_CASE(options_define_in_two_orders) {
  try_options(e, "-DA=1 -DB=2");
  try_options(e, "-DB=2 -DA=1");
}

LAYER_CASE(options_define_with_commas) {
  try_options(e, "-DLIST=3,4 -DB=2",
              "constant int list[] = {LIST};\n"
              "kernel void macros(global int* out) { out[0] = list[1]; out[1] = B; }");
}

LAYER_CASE(options_define_with_quotes) { try_options(e, "-DA=\"5\" -DB='6'"); }

LONG_LAYER_CASE(options_define_a_name_used_by_the_text) { try_options(e, "-Dmacros=renamed"); }

LONG_LAYER_CASE(options_without_warnings) {
  const Program program = e.built(warned_source, "-w");
  print_build(e, program, e.device);
}

LAYER_CASE(options_warnings_are_errors) {
  const Program program = e.built(warned_source, "-Werror");
  print_program(e, program);
}

LONG_LAYER_CASE(options_warnings_are_errors_without_warnings) { try_options(e, "-Werror"); }

LAYER_CASE(options_standards) {
  for (const char* standard : {"-cl-std=CL1.1", "-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL3.0"})
    try_options(e, standard,
                "kernel void macros(global int* out) {\n"
                "  out[0] = __OPENCL_C_VERSION__; out[1] = __OPENCL_VERSION__;\n}\n");
}

LAYER_CASE(options_standard_that_does_not_exist) {
  try_options(e, "-cl-std=CL9.9");
  try_options(e, "-cl-std=");
}

LONG_LAYER_CASE(options_of_mathematics) {
  for (const char* options :
       {"-cl-fast-relaxed-math", "-cl-mad-enable", "-cl-unsafe-math-optimizations",
        "-cl-finite-math-only", "-cl-no-signed-zeros", "-cl-denorms-are-zero",
        "-cl-single-precision-constant", "-cl-fp32-correctly-rounded-divide-sqrt"})
    try_options(e, options,
                "kernel void macros(global int* out) {\n"
                "#ifdef __FAST_RELAXED_MATH__\n  out[0] = 1;\n#else\n  out[0] = 0;\n#endif\n"
                "  out[1] = as_int(1.0f / 3.0f);\n}\n");
}

LONG_LAYER_CASE(options_without_optimisation) { try_options(e, "-cl-opt-disable"); }

LAYER_CASE(options_no_uniform_work_group_size) { try_options(e, "-cl-uniform-work-group-size"); }

LONG_LAYER_CASE(options_debug) { try_options(e, "-g"); }

LAYER_CASE(options_of_the_linker_in_a_build) {
  try_options(e, "-create-library");
  try_options(e, "-create-library -enable-link-options");
}

LAYER_CASE(options_argument_names) {
  const Program without = e.built(fill_source);
  const Kernel first = e.kernel(without, "fill");
  print_arguments(e, first, 3);
  const Program with = e.built(fill_source, "-cl-kernel-arg-info");
  print_build(e, with, e.device);
  const Kernel second = e.kernel(with, "fill");
  print_arguments(e, second, 3);
  e.run_fill(with);
}

// "-D" or "-I" as the last word: PoCL 3.1 crashes.
LAYER_CASE(options_refused) {
  for (const char* options : {"-no-such-option", "-cl-no-such-option", "word", "-DA=1 word", "-",
                              "--", "-cl-std", "-x", "-o out", "-c", "-DA=1 -no-such-option -DB=2"})
    try_options(e, options);
}

LAYER_CASE(options_that_bring_argument_names) {
  for (const char* options : {static_cast<const char*>(nullptr), "", " ", "-w", "-DA=1"}) {
    e.out.text("options", options == nullptr ? "(NULL)" : options);
    const Program program = e.built(fill_source, options);
    const Kernel kernel = e.kernel(program, "fill");
    print_arguments(e, kernel, 1);
  }
}

LAYER_CASE(options_refused_after_a_build_and_put_right) {
  const Program program = e.built(macro_source, "-DA=1");
  e.build(program, "-no-such-option");
  print_build(e, program, e.device);
  e.build(program, "-DA=2");
  print_build(e, program, e.device);
  run_macros(e, program);
}

LONG_LAYER_CASE(options_very_long) {
  std::string options;
  for (int i = 0; i < 300; ++i)
    options += "-D NAME_" + std::to_string(i) + "=" + std::to_string(i) + " ";
  options += "-D A=NAME_7 -D B=NAME_299";
  try_options(e, options.c_str());
}

LAYER_CASE(options_overwritten_after_the_build) {
  std::string options = "-DA=5 -DB=6";
  const Program program = e.built(macro_source, options.c_str());
  options.assign(options.size(), '#');
  print_build(e, program, e.device);
  run_macros(e, program);
}

LAYER_CASE(options_same_text_other_options_at_once) {
  const Program first = e.built(macro_source, "-DA=1"), second = e.built(macro_source, "-DA=2");
  run_macros(e, second);
  run_macros(e, first);
}

}  // namespace kiln::layer_cases
