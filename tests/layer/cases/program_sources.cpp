// How the text of a program is given: strings, lengths, and what is refused.
#include <cstring>

#include "cases.hpp"

namespace kiln::layer_cases {
namespace {

struct Piece {
  const char* text;
  std::size_t length;
};

Program from_pieces(Environment& e, const std::vector<Piece>& pieces, bool with_lengths) {
  std::vector<const char*> strings;
  std::vector<std::size_t> lengths;
  for (const Piece& piece : pieces) {
    strings.push_back(piece.text);
    lengths.push_back(piece.length);
  }
  cl_int status = 1;
  Program created =
      ::clCreateProgramWithSource(e.context, static_cast<cl_uint>(pieces.size()), strings.data(),
                                  with_lengths ? lengths.data() : nullptr, &status);
  e.out.status("program from source", status);
  e.out.know(created, "program");
  return created;
}

void print_source(Environment& e, cl_program program) {
  e.out.answer("CL_PROGRAM_SOURCE", Form::text,
               [&](std::size_t size, void* value, std::size_t* told) {
                 return ::clGetProgramInfo(program, CL_PROGRAM_SOURCE, size, value, told);
               });
}

/// Everything that a text that may or may not compile can answer.
void try_text(Environment& e, const Program& program) {
  print_source(e, program);
  e.build(program);
  print_source(e, program);
  print_build(e, program, e.device);
  print_program(e, program);
}

}  // namespace

LAYER_CASE(source_one_string_with_its_length) {
  const Program program = from_pieces(e, {{fill_source, std::strlen(fill_source)}}, true);
  print_source(e, program);
  e.build(program);
  e.run_fill(program);
}

LAYER_CASE(source_one_string_without_lengths) {
  const Program program = from_pieces(e, {{fill_source, 0}}, false);
  print_source(e, program);
  e.build(program);
  e.run_fill(program);
}

LAYER_CASE(source_length_zero_is_up_to_nul) {
  const Program program = from_pieces(e, {{fill_source, 0}}, true);
  print_source(e, program);
  e.build(program);
  e.run_fill(program);
}

LAYER_CASE(source_of_three_strings_split_within_a_word) {
  const std::string text = fill_source;
  const std::string first = text.substr(0, 9), second = text.substr(9, 31), third = text.substr(40);
  const Program program =
      from_pieces(e, {{first.c_str(), 0}, {second.c_str(), 0}, {third.c_str(), 0}}, false);
  print_source(e, program);
  e.build(program);
  e.run_fill(program);
}

LAYER_CASE(source_of_strings_some_with_lengths) {
  const std::string text = fill_source;
  const std::string second = text.substr(9, 31);
  const Program program = from_pieces(
      e, {{text.c_str(), 9}, {second.c_str(), 0}, {text.c_str() + 40, text.size() - 40}}, true);
  print_source(e, program);
  e.build(program);
  e.run_fill(program);
}

LAYER_CASE(source_of_one_string_a_character) {
  std::vector<std::string> letters;
  for (const char* c = fill_source; *c != 0; ++c) letters.emplace_back(1, *c);
  std::vector<Piece> pieces;
  for (const std::string& letter : letters) pieces.push_back({letter.c_str(), 1});
  const Program program = from_pieces(e, pieces, true);
  print_source(e, program);
  e.build(program);
  e.run_fill(program);
}

LAYER_CASE(source_with_empty_strings_between) {
  const Program program = from_pieces(e, {{"", 0}, {fill_source, 0}, {"", 0}}, false);
  print_source(e, program);
  e.build(program);
  e.run_fill(program);
}

LAYER_CASE(source_length_cuts_the_text) {
  const std::string text = std::string(fill_source) + "this is no program";
  const Program program = from_pieces(e, {{text.c_str(), std::strlen(fill_source)}}, true);
  print_source(e, program);
  e.build(program);
  e.run_fill(program);
}

LAYER_CASE(source_length_cuts_within_the_kernel) {
  try_text(e, from_pieces(e, {{fill_source, 60}}, true));
}

LAYER_CASE(source_nul_within_the_length) {
  const std::string text = std::string(fill_source) + '\0' + "kernel void after_nul() {}\n";
  try_text(e, from_pieces(e, {{text.data(), text.size()}}, true));
}

LAYER_CASE(source_nul_as_the_last_of_the_length) {
  const Program program = from_pieces(e, {{fill_source, std::strlen(fill_source) + 1}}, true);
  try_text(e, program);
  e.run_fill(program);
}

LAYER_CASE(source_empty) { try_text(e, from_pieces(e, {{"", 0}}, false)); }

LAYER_CASE(source_of_blanks) { try_text(e, from_pieces(e, {{" \n\t\n", 0}}, false)); }

LAYER_CASE(source_of_a_comment) {
  try_text(e, from_pieces(e, {{"// no kernel, no last line end", 0}}, false));
}

LAYER_CASE(source_without_kernels) {
  try_text(e, from_pieces(e, {{"int twice(int x) { return 2 * x; }\n", 0}}, false));
}

LAYER_CASE(source_null_strings) {
  cl_int status = 1;
  // No list of strings at all: PoCL 3.1 crashes.
  const char* none[] = {nullptr};
  cl_program program = ::clCreateProgramWithSource(e.context, 1, none, nullptr, &status);
  e.out.status("the only string NULL", status);
  e.out.yes_no("program NULL", program == nullptr);
  const char* second[] = {fill_source, nullptr};
  program = ::clCreateProgramWithSource(e.context, 2, second, nullptr, &status);
  e.out.status("second string NULL", status);
  const std::size_t lengths[] = {0, 0};
  program = ::clCreateProgramWithSource(e.context, 2, second, lengths, &status);
  e.out.status("second string NULL, with lengths", status);
}

LAYER_CASE(source_of_no_strings) {
  cl_int status = 1;
  const char* string = fill_source;
  cl_program program = ::clCreateProgramWithSource(e.context, 0, &string, nullptr, &status);
  e.out.status("0 strings", status);
  e.out.yes_no("program NULL", program == nullptr);
  program = ::clCreateProgramWithSource(e.context, 0, nullptr, nullptr, &status);
  e.out.status("0 strings, NULL", status);
}

LAYER_CASE(source_in_no_context) {
  cl_int status = 1;
  const char* string = fill_source;
  const cl_program program = ::clCreateProgramWithSource(nullptr, 1, &string, nullptr, &status);
  e.out.status("no context", status);
  e.out.yes_no("program NULL", program == nullptr);
}

LAYER_CASE(source_without_a_place_for_the_status) {
  const char* string = fill_source;
  Program program = ::clCreateProgramWithSource(e.context, 1, &string, nullptr, nullptr);
  e.out.yes_no("program", program != nullptr);
  e.build(program);
  e.run_fill(program);
  program = Program(::clCreateProgramWithSource(e.context, 0, nullptr, nullptr, nullptr));
  e.out.yes_no("program of nothing", program != nullptr);
}

LAYER_CASE(source_overwritten_after_creation) {
  std::string text = fill_source;
  const Program program = e.program(text);
  text.assign(text.size(), '#');
  e.build(program);
  print_source(e, program);
  e.run_fill(program);
}

LAYER_CASE(source_with_carriage_returns) {
  const Program program = from_pieces(e,
                                      {{"kernel void fill(global int* out, int value) {\r\n"
                                        "  out[get_global_id(0)] = value + \\\r\n"
                                        "    (int)get_global_id(0);\r\n}\r\n",
                                        0}},
                                      false);
  try_text(e, program);
  e.run_fill(program);
}

LAYER_CASE(source_with_utf8_in_comments) {
  const Program program = e.program("// Größe in µm, ∑ über alle\n" + std::string(fill_source));
  print_source(e, program);
  e.build(program);
  e.run_fill(program);
}

LAYER_CASE(source_of_100_kilobytes) {
  std::string text = fill_source;
  for (int i = 0; i < 1400; ++i)
    text += "// line " + std::to_string(i) + " of a long comment that says nothing, only long\n";
  const Program program = e.program(text);
  std::size_t size = 0;
  e.out.status("size", ::clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, nullptr, &size));
  e.out.yes_no("one more than the text", size == text.size() + 1);
  std::string back(size, '?');
  e.out.status("text", ::clGetProgramInfo(program, CL_PROGRAM_SOURCE, size, back.data(), nullptr));
  e.out.yes_no("equal", back == text + '\0');
  e.build(program);
  e.run_fill(program);
}

LAYER_CASE(source_with_line_directives) {
  const Program program = e.built(
      "#line 4711\nconstant int a = __LINE__;\n"
      "kernel void lines(global int* out) { out[0] = a; out[1] = __LINE__; }\n");
  const Kernel lines = e.kernel(program, "lines");
  const Memory result = e.memory(2 * sizeof(int));
  e.set(lines, 0, result);
  e.launch(lines, {1}, {1});
  e.read<int>("lines", result, 2);
}

LAYER_CASE(source_predefined_macros) {
  const Program program = e.built(
      "kernel void macros(global int* out) {\n"
      "  out[0] = __OPENCL_VERSION__; out[1] = __OPENCL_C_VERSION__; out[2] = CL_VERSION_1_2;\n"
      "  out[3] = __ENDIAN_LITTLE__;\n"
      "#ifdef __IMAGE_SUPPORT__\n  out[4] = 1;\n#else\n  out[4] = 0;\n#endif\n"
      "#ifdef __FAST_RELAXED_MATH__\n  out[5] = 1;\n#else\n  out[5] = 0;\n#endif\n"
      "#ifdef __EMBEDDED_PROFILE__\n  out[6] = 1;\n#else\n  out[6] = 0;\n#endif\n"
      "#ifdef cl_khr_fp64\n  out[7] = 1;\n#else\n  out[7] = 0;\n#endif\n}\n");
  const Kernel macros = e.kernel(program, "macros");
  const Memory result = e.memory(8 * sizeof(int));
  e.set(macros, 0, result);
  e.launch(macros, {1}, {1});
  e.read<int>("macros", result, 8);
}

LAYER_CASE(source_equal_texts_in_one_context) {
  const Program first = e.built(fill_source), second = e.built(fill_source);
  e.out.yes_no("two handles", first != second);
  e.run_fill(first, 3);
  e.run_fill(second, 4);
  print_program(e, first);
  print_program(e, second);
  e.out.status("log of the second", ::clGetProgramBuildInfo(second, e.device, CL_PROGRAM_BUILD_LOG,
                                                            0, nullptr, nullptr));
}

LAYER_CASE(source_equal_texts_of_which_one_is_released) {
  Program first = e.built(fill_source);
  const Program second = e.built(fill_source);
  e.out.status("release", first.release());
  e.run_fill(second);
  const Program third = e.program(fill_source);
  print_build(e, third, e.device);
}

LAYER_CASE(source_equal_texts_in_two_contexts) {
  const Context other = e.new_context();
  const Queue queue = e.new_queue(other);
  const Program first = e.built(fill_source);
  const Program second = e.program(fill_source, other);
  e.build(second);
  e.run_fill(first, 3);
  e.run_fill(second, 4, other, queue);
  print_program(e, second);
}

LAYER_CASE(source_texts_that_differ_in_a_comment) {
  const std::string text = fill_source;
  const Program first = e.built(text), second = e.built(text + "// other\n");
  print_program(e, second);
  e.run_fill(second);
  e.run_fill(first);
}

LAYER_CASE(source_texts_that_differ_in_one_digit) {
  const auto text = [](const char* digit) {
    return std::string("kernel void digit(global int* out) { out[0] = 10") + digit + "; }\n";
  };
  for (const char* digit : {"1", "2", "1"}) {
    const Program program = e.built(text(digit));
    const Kernel kernel = e.kernel(program, "digit");
    const Memory result = e.memory(sizeof(int));
    e.set(kernel, 0, result);
    e.launch(kernel, {1}, {1});
    e.read<int>("digit", result, 1);
  }
}

}  // namespace kiln::layer_cases
