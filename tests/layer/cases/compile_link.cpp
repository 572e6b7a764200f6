// clCompileProgram and clLinkProgram, which take programs that a build may have replaced.
#include <cstring>

#include "cases.hpp"

namespace kiln::layer_cases {
namespace {

struct Header {
  const char* name;
  cl_program program;
};

cl_int compile(Environment& e, cl_program program, const std::vector<Header>& headers = {},
               const char* options = nullptr) {
  std::vector<cl_program> programs;
  std::vector<const char*> names;
  for (const Header& header : headers) {
    programs.push_back(header.program);
    names.push_back(header.name);
  }
  const cl_int status =
      ::clCompileProgram(program, 0, nullptr, options, static_cast<cl_uint>(headers.size()),
                         headers.empty() ? nullptr : programs.data(),
                         headers.empty() ? nullptr : names.data(), nullptr, nullptr);
  e.out.status("compile", status);
  return status;
}

Program compiled(Environment& e, const std::string& text, const char* options = nullptr) {
  Program program = e.program(text);
  if (compile(e, program, {}, options) != CL_SUCCESS) print_build(e, program, e.device);
  return program;
}

Program link(Environment& e, const std::vector<cl_program>& programs,
             const char* options = nullptr) {
  cl_int status = 1;
  Program linked =
      ::clLinkProgram(e.context, 0, nullptr, options, static_cast<cl_uint>(programs.size()),
                      programs.data(), nullptr, nullptr, &status);
  e.out.status("link", status);
  e.out.know(linked, "linked program");
  e.out.yes_no("a program", linked != nullptr);
  return linked;
}

void print_all(Environment& e, cl_program program) {
  print_program(e, program);
  print_build(e, program, e.device);
}

constexpr const char* caller_source =
    "int twice(int x);\n"
    "kernel void fill(global int* out, int value) {\n"
    "  out[get_global_id(0)] = twice(value + (int)get_global_id(0));\n}\n";
constexpr const char* callee_source = "int twice(int x) { return 2 * x; }\n";
constexpr const char* including_source =
    "#include \"inc/a.h\"\n"
    "kernel void fill(global int* out, int value) {\n"
    "  out[get_global_id(0)] = value + OFFSET;\n}\n";

}  // namespace

LONG_LAYER_CASE(compile_and_link_one) {
  const Program object = compiled(e, fill_source);
  print_all(e, object);
  const Program linked = link(e, {object});
  print_all(e, linked);
  e.run_fill(linked);
}

LAYER_CASE(compile_and_link_two) {
  const Program caller = compiled(e, caller_source), callee = compiled(e, callee_source);
  const Program linked = link(e, {caller, callee});
  print_all(e, linked);
  e.run_fill(linked);
}

LAYER_CASE(compile_and_link_in_the_other_order) {
  const Program caller = compiled(e, caller_source), callee = compiled(e, callee_source);
  const Program linked = link(e, {callee, caller});
  e.run_fill(linked);
}

LAYER_CASE(compile_with_options) {
  const Program object = compiled(e, fill_source, "-cl-kernel-arg-info -DUNUSED=1");
  print_all(e, object);
  const Program linked = link(e, {object}, "");
  const Kernel kernel = e.kernel(linked, "fill");
  print_arguments(e, kernel, 2);
  print_kernel(e, kernel);
}

LAYER_CASE(compile_with_embedded_headers) {
  const Program header = e.program("#define OFFSET 50\n");
  const Program program = e.program(including_source);
  compile(e, program, {{"inc/a.h", header}});
  print_all(e, program);
  print_all(e, header);
  const Program linked = link(e, {program});
  e.run_fill(linked);
}

LONG_LAYER_CASE(compile_with_nested_embedded_headers) {
  const Program outer = e.program("#include \"deep/er/b.h\"\n#define OFFSET (BASE + 1)\n");
  const Program inner = e.program("#define BASE 60\n");
  const Program program = e.program(including_source);
  compile(e, program, {{"inc/a.h", outer}, {"deep/er/b.h", inner}});
  print_build(e, program, e.device);
  const Program linked = link(e, {program});
  e.run_fill(linked);
}

LAYER_CASE(compile_again_with_another_header) {
  const Program program = e.program(including_source);
  for (const char* text : {"#define OFFSET 1\n", "#define OFFSET 2\n"}) {
    const Program header = e.program(text);
    compile(e, program, {{"inc/a.h", header}});
    const Program linked = link(e, {program});
    e.run_fill(linked);
  }
}

LAYER_CASE(compile_with_a_header_that_was_built) {
  const Program header = e.built("#define OFFSET 70\nkernel void other(void) {}\n");
  const Program program = e.program(including_source);
  compile(e, program, {{"inc/a.h", header}});
  print_build(e, program, e.device);
  const Program linked = link(e, {program});
  print_program(e, linked);
  e.run_fill(linked);
}

LAYER_CASE(compile_with_a_header_whose_name_is_wrong) {
  const Program header = e.program("#define OFFSET 50\n");
  const Program program = e.program(including_source);
  compile(e, program, {{"inc/b.h", header}});
  print_all(e, program);
}

LAYER_CASE(compile_with_wrong_lists_of_headers) {
  const Program program = e.program(fill_source), header = e.program("#define OFFSET 50\n");
  const char* name = "a.h";
  const cl_program headers[] = {header};
  const auto compile_with = [&](const char* what, cl_uint count, const cl_program* list,
                                const char** names) {
    e.out.status(what, ::clCompileProgram(program, 0, nullptr, nullptr, count, list, names, nullptr,
                                          nullptr));
  };
  // A count without the one list or the other: PoCL 3.1 crashes.
  compile_with("no count", 0, headers, &name);
  compile_with("one", 1, headers, &name);
  print_build(e, program, e.device);
}

LAYER_CASE(compile_error) {
  const Program program = compiled(e, wrong_source);
  print_program(e, program);
  // A link of it: PoCL 3.1 fails an assertion.
}

LONG_LAYER_CASE(compile_with_warnings) {
  const Program program = compiled(e, warned_source);
  print_all(e, program);
}

LAYER_CASE(compile_with_refused_options) {
  const Program program = compiled(e, fill_source, "-no-such-option");
  print_program(e, program);
}

LAYER_CASE(compile_null_and_wrong_devices) {
  const Program program = e.program(fill_source);
  e.out.status("no program", ::clCompileProgram(nullptr, 0, nullptr, nullptr, 0, nullptr, nullptr,
                                                nullptr, nullptr));
  e.out.status("a count of devices alone", ::clCompileProgram(program, 1, nullptr, nullptr, 0,
                                                              nullptr, nullptr, nullptr, nullptr));
  e.out.status("data without a function",
               ::clCompileProgram(program, 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, &e));
}

LONG_LAYER_CASE(compile_callback) {
  static int calls = 0;
  static cl_program told = nullptr;
  calls = 0;
  const auto note = [](cl_program program, void* data) {
    ++calls;
    told = program;
    *static_cast<int*>(data) += 1;
  };
  int data = 0;
  const Program program = e.program(fill_source);
  e.out.status("compile",
               ::clCompileProgram(program, 0, nullptr, nullptr, 0, nullptr, nullptr, note, &data));
  e.out.line("%d calls, data %d, %s", calls, data, e.out.name_of(told).c_str());
  const Program wrong = e.program(wrong_source);
  e.out.status("compile",
               ::clCompileProgram(wrong, 0, nullptr, nullptr, 0, nullptr, nullptr, note, &data));
  e.out.line("%d calls, data %d, %s", calls, data, e.out.name_of(told).c_str());
  cl_int status = 1;
  const cl_program objects[] = {program};
  const Program linked =
      ::clLinkProgram(e.context, 0, nullptr, nullptr, 1, objects, note, &data, &status);
  e.out.status("link", status);
  e.out.line("%d calls, data %d, with the linked program: %s", calls, data,
             told == linked ? "yes" : "no");
}

LAYER_CASE(compile_after_a_build) {
  const Program program = e.built(fill_source);
  compile(e, program);
  print_all(e, program);
  const Kernel none = e.kernel(program, "fill");
  const Program linked = link(e, {program});
  e.run_fill(linked);
}

LAYER_CASE(compile_after_a_build_with_a_kernel_alive) {
  const Program program = e.built(fill_source);
  const Kernel kernel = e.kernel(program, "fill");
  compile(e, program);
  print_all(e, program);
}

LAYER_CASE(compile_after_a_compile_and_a_build_with_a_kernel_alive) {
  const Program program = compiled(e, fill_source);
  e.build(program);
  const Kernel kernel = e.kernel(program, "fill");
  compile(e, program);
  print_build(e, program, e.device);
}

LAYER_CASE(compile_with_headers_on_disk_that_change_later) {
  const Folder folder(e);
  folder.write("inc/a.h", "#define OFFSET 81\n");
  const Program program = compiled(e, including_source, folder.option().c_str());
  folder.write("inc/a.h", "#error changed\n");
  print_build(e, program, e.device);
  const Program linked = link(e, {program});
  e.run_fill(linked);
}

LAYER_CASE(built_program_after_calls_with_wrong_arguments) {
  const Program program = e.built(fill_source);
  e.out.status("build for a count of devices alone",
               ::clBuildProgram(program, 1, nullptr, nullptr, nullptr, nullptr));
  e.out.status("build with data without a function",
               ::clBuildProgram(program, 0, nullptr, nullptr, nullptr, &e));
  e.out.status(
      "compile for a count of devices alone",
      ::clCompileProgram(program, 1, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr));
  print_build(e, program, e.device);
  e.run_fill(program);
}

LAYER_CASE(compile_after_a_failed_build) {
  const Program program = e.built(caller_source);
  compile(e, program);
  const Program callee = compiled(e, callee_source);
  const Program linked = link(e, {program, callee});
  e.run_fill(linked);
}

LAYER_CASE(build_after_a_compile) {
  const Program program = compiled(e, fill_source);
  e.build(program);
  print_all(e, program);
  e.run_fill(program);
}

LAYER_CASE(build_and_compile_in_turn) {
  const Program program = e.program(fill_source);
  for (int i = 0; i < 2; ++i) {
    e.build(program);
    e.run_fill(program);
    compile(e, program);
    print_build(e, program, e.device);
  }
}

LAYER_CASE(link_of_a_built_program) {
  const Program program = e.built(fill_source);
  const Program linked = link(e, {program});
  print_build(e, program, e.device);
}

LONG_LAYER_CASE(link_of_a_built_and_a_compiled_program) {
  const Program built = e.built(callee_source), object = compiled(e, caller_source);
  const Program linked = link(e, {object, built});
}

LAYER_CASE(link_of_an_unbuilt_program) {
  const Program program = e.program(fill_source);
  const Program linked = link(e, {program});
}

LAYER_CASE(link_with_a_missing_function) {
  const Program object = compiled(e, caller_source);
  const Program linked = link(e, {object});
  if (linked != nullptr) print_all(e, linked);
}

LONG_LAYER_CASE(link_with_a_function_twice) {
  const Program caller = compiled(e, caller_source), one = compiled(e, callee_source),
                two = compiled(e, "int twice(int x) { return x + x; }\n");
  const Program linked = link(e, {caller, one, two});
  if (linked != nullptr) print_all(e, linked);
}

LAYER_CASE(link_a_library) {
  const Program object = compiled(e, callee_source), caller = compiled(e, caller_source);
  const Program library = link(e, {object}, "-create-library");
  print_all(e, library);
  const Kernel none = e.kernel(library, "fill");
  const Program linked = link(e, {caller, library});
  print_all(e, linked);
  e.run_fill(linked);
}

LAYER_CASE(link_with_refused_options) {
  const Program object = compiled(e, fill_source);
  const Program linked = link(e, {object}, "-no-such-option");
}

LAYER_CASE(link_with_options_of_a_build) {
  const Program object = compiled(e, fill_source);
  for (const char* options : {"-cl-fast-relaxed-math", "-cl-denorms-are-zero", "-DA=1"}) {
    const Program linked = link(e, {object}, options);
    if (linked != nullptr) print_build(e, linked, e.device);
  }
}

LAYER_CASE(link_of_nothing) {
  cl_int status = 1;
  Program linked =
      ::clLinkProgram(e.context, 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, &status);
  e.out.status("no programs", status);
  const Program object = compiled(e, fill_source);
  const cl_program objects[] = {object};
  linked =
      Program(::clLinkProgram(nullptr, 0, nullptr, nullptr, 1, objects, nullptr, nullptr, &status));
  e.out.status("no context", status);
  linked = Program(
      ::clLinkProgram(e.context, 0, nullptr, nullptr, 1, nullptr, nullptr, nullptr, &status));
  e.out.status("no list", status);
  linked = Program(
      ::clLinkProgram(e.context, 1, nullptr, nullptr, 1, objects, nullptr, nullptr, &status));
  e.out.status("a count of devices alone", status);
}

LAYER_CASE(linked_program_outlives_its_objects) {
  Program object = compiled(e, fill_source);
  const Program linked = link(e, {object});
  e.out.status("release", object.release());
  print_all(e, linked);
  e.run_fill(linked);
}

LAYER_CASE(linked_program_is_built_and_compiled) {
  const Program object = compiled(e, fill_source);
  const Program linked = link(e, {object});
  e.build(linked);
  print_build(e, linked, e.device);
  compile(e, linked);
  print_build(e, linked, e.device);
}

LAYER_CASE(linked_program_and_counts) {
  const Program object = compiled(e, fill_source);
  print_count(e, "compiled", object);
  print_count(e, "with an object", e.context);
  const Program linked = link(e, {object});
  print_count(e, "after the link", object);
  print_count(e, "linked", linked);
  print_count(e, "with a linked program", e.context);
}

LAYER_CASE(linked_program_by_its_binary) {
  const Program object = compiled(e, fill_source);
  const auto of_object = binary_of(e, object);
  const Program linked = link(e, {object});
  const auto of_linked = binary_of(e, linked);
  const Program made = from_binary(e, of_linked, e.context);
  e.build(made);
  e.run_fill(made);
}

LONG_LAYER_CASE(compile_with_headers_on_disk) {
  const Folder folder(e);
  folder.write("inc/a.h", "#define OFFSET 80\n");
  const Program program = compiled(e, including_source, folder.option().c_str());
  Program linked = link(e, {program});
  e.run_fill(linked);
  folder.write("inc/a.h", "#define OFFSET 90\n");
  const Program second = compiled(e, including_source, folder.option().c_str());
  linked = link(e, {second});
  e.run_fill(linked);
}

}  // namespace kiln::layer_cases
