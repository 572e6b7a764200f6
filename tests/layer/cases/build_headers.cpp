// Headers that a build reads from folders. The driver reads them, so a layer has to know that a
// header changed though neither the text nor the options did.
#include "cases.hpp"

namespace kiln::layer_cases {
namespace {

constexpr const char* including_source =
    "#include \"value.h\"\nkernel void included(global int* out) { out[0] = VALUE; }\n";

void run_included(Environment& e, cl_program program) {
  const Settled settled(program);
  const Kernel kernel = e.kernel(program, "included");
  if (kernel == nullptr) return;
  const Memory result = e.memory(sizeof(int));
  e.set(kernel, 0, result);
  e.launch(kernel, {1}, {1});
  e.read<int>("included", result, 1);
}

}  // namespace

LAYER_CASE(header_that_is_looked_for) {
  const Folder folder(e);
  const std::string text =
      "#if __has_include(\"looked_for.h\")\n#define THERE 1\n#else\n#define THERE 0\n#endif\n"
      "kernel void fill(global int* out, int value) { out[get_global_id(0)] = value + THERE; }\n";
  for (int start = 0; start < 2; ++start) {
    const Program program = e.program(text);
    e.build(program, folder.option().c_str());
    e.run_fill(program);
    folder.write("looked_for.h", "\n");
  }
}

LAYER_CASE(header_from_a_folder) {
  const Folder folder(e);
  folder.write("value.h", "#define VALUE 41\n");
  const Program program = e.built(including_source, folder.option().c_str());
  print_build(e, program, e.device);
  run_included(e, program);
}

LAYER_CASE(header_option_in_one_word) {
  const Folder folder(e);
  folder.write("value.h", "#define VALUE 42\n");
  const Program program = e.built(including_source, ("-I" + folder.path().string()).c_str());
  print_build(e, program, e.device);
  run_included(e, program);
}

LAYER_CASE(header_option_in_quotes) {
  const Folder folder(e);
  folder.write("value.h", "#define VALUE 43\n");
  e.built(including_source, ("-I\"" + folder.path().string() + "\"").c_str());
}

LAYER_CASE(header_changes_between_two_programs) {
  const Folder folder(e);
  folder.write("value.h", "#define VALUE 1\n");
  const Program first = e.built(including_source, folder.option().c_str());
  run_included(e, first);
  folder.write("value.h", "#define VALUE 2\n");
  const Program second = e.built(including_source, folder.option().c_str());
  run_included(e, second);
  run_included(e, first);
}

LAYER_CASE(header_changes_between_two_builds) {
  const Folder folder(e);
  folder.write("value.h", "#define VALUE 3\n");
  const Program program = e.built(including_source, folder.option().c_str());
  run_included(e, program);
  folder.write("value.h", "#define VALUE 4\n");
  e.build(program, folder.option().c_str());
  run_included(e, program);
}

LAYER_CASE(header_changes_and_changes_back) {
  const Folder folder(e);
  for (const char* value : {"5", "6", "5"}) {
    folder.write("value.h", std::string("#define VALUE ") + value + "\n");
    const Program program = e.built(including_source, folder.option().c_str());
    run_included(e, program);
  }
}

LAYER_CASE(header_of_a_header_changes) {
  const Folder folder(e);
  folder.write("value.h", "#include \"deep/constant.h\"\n#define VALUE CONSTANT\n");
  for (const char* value : {"7", "8"}) {
    folder.write("deep/constant.h", std::string("#define CONSTANT ") + value + "\n");
    const Program program = e.built(including_source, folder.option().c_str());
    run_included(e, program);
  }
}

LAYER_CASE(header_not_found) {
  const Program program = e.built(including_source);
  print_program(e, program);
}

LAYER_CASE(header_not_found_in_the_folder) {
  const Folder folder(e);
  e.built(including_source, folder.option().c_str());
}

LAYER_CASE(header_appears_between_two_builds) {
  const Folder folder(e);
  const Program program = e.built(including_source, folder.option().c_str());
  folder.write("value.h", "#define VALUE 9\n");
  e.build(program, folder.option().c_str());
  print_build(e, program, e.device);
  run_included(e, program);
}

LAYER_CASE(header_disappears_between_two_programs) {
  const Folder folder(e);
  folder.write("value.h", "#define VALUE 10\n");
  const Program first = e.built(including_source, folder.option().c_str());
  std::filesystem::remove(folder.path() / "value.h");
  const Program second = e.built(including_source, folder.option().c_str());
  run_included(e, first);
}

LAYER_CASE(header_in_the_first_of_two_folders_wins) {
  const Folder first(e), second(e);
  second.write("value.h", "#define VALUE 12\n");
  const std::string options = first.option() + " " + second.option();
  const Program before = e.built(including_source, options.c_str());
  run_included(e, before);
  // A file that was not there shadows the one that was read.
  first.write("value.h", "#define VALUE 11\n");
  const Program after = e.built(including_source, options.c_str());
  run_included(e, after);
}

LAYER_CASE(header_in_angle_brackets) {
  const Folder folder(e);
  folder.write("value.h", "#define VALUE 13\n");
  const Program program =
      e.built("#include <value.h>\nkernel void included(global int* out) { out[0] = VALUE; }\n",
              folder.option().c_str());
  run_included(e, program);
}

LAYER_CASE(header_named_by_a_macro) {
  const Folder folder(e);
  folder.write("value.h", "#define VALUE 14\n");
  const Program program =
      e.built("#include NAME\nkernel void included(global int* out) { out[0] = VALUE; }\n",
              (folder.option() + " -DNAME=<value.h>").c_str());
  run_included(e, program);
}

LONG_LAYER_CASE(header_with_an_error) {
  const Folder folder(e);
  folder.write("value.h", "#define VALUE 15\nint broken(\n");
  e.built(including_source, folder.option().c_str());
}

LAYER_CASE(header_with_a_warning) {
  const Folder folder(e);
  folder.write("value.h", "#define VALUE 16\n#warning \"said by the header\"\n");
  const Program program = e.built(including_source, folder.option().c_str());
  print_build(e, program, e.device);
  run_included(e, program);
}

LAYER_CASE(header_only_behind_a_condition) {
  const Folder folder(e);
  const Program program = e.built(
      "#ifdef USE\n#include \"value.h\"\n#else\n#define VALUE 17\n#endif\n"
      "kernel void included(global int* out) { out[0] = VALUE; }\n",
      folder.option().c_str());
  run_included(e, program);
  folder.write("value.h", "#define VALUE 18\n");
  e.build(program, (folder.option() + " -DUSE").c_str());
  run_included(e, program);
}

}  // namespace kiln::layer_cases
