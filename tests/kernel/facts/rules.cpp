#include "kernel/facts/kernels.hpp"

namespace kiln {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::judge;
using testing::kernel;
using testing::shown;
using ::testing::StartsWith;

TEST(SafetyRules, what_is_the_same_in_every_part_is_fine) {
  for (const std::string body :
       {"out[i] = in[i];", "out[get_global_id(1)] = get_local_id(0) + get_local_size(0);",
        "out[i] = get_work_dim() + get_enqueued_local_size(0) + get_local_linear_id();",
        "tile[get_local_id(0)] = in[i]; barrier(CLK_LOCAL_MEM_FENCE); out[i] = tile[0];",
        "out[i] = get_group_id(1) + get_num_groups(2) + get_global_size(1) + get_global_offset(2);",
        "out[i] = get_group_id((1)) + get_group_id(2u) + get_global_size(0x1);",
        "out[i] = get_sub_group_id() + get_sub_group_local_id() + get_num_sub_groups();",
        "out[i] = work_group_reduce_add(in[i]);",
        "event_t e = async_work_group_copy(tile, in, 4, 0); wait_group_events(1, &e); out[i] = "
        "*tile;",
        "atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_seq_cst, "
        "memory_scope_work_group);",
        "volatile int v = 1; volatile local float* t = tile; out[i] = v + t[0];",
        "static constant int c = 3; out[i] = c;",
        "int num_groups = 3, group_id = i; out[i] = group_id;",
        "out[i] = __builtin_astype(i, float);"})
    EXPECT_SPLITTABLE(kernel(body));
}

TEST(SafetyRules, reasons_that_quote_the_source_hold_no_control_byte) {
  const auto safety = judge(kernel("out[get_group_id(\"a\x1b[2J\")] = 1;"));
  ASSERT_FALSE(safety.reasons.empty());
  for (const auto& reason : safety.reasons) EXPECT_EQ(reason.find('\x1b'), std::string::npos);
}

TEST(SafetyRules, queries_of_the_cut_dimension_are_refused) {
  const std::pair<const char*, const char*> cases[] = {
      {"get_group_id", "whose value starts again on each device"},
      {"get_num_groups", "counts the groups of one device"},
      {"get_global_size", "the size of one device's part"},
      {"get_global_offset", "the offset of one device's part"}};
  for (const auto& [name, why] : cases) {
    const std::string call(name);
    EXPECT_REFUSED(kernel("out[i] = " + call + "(0);"), why);
    EXPECT_REFUSED(kernel("out[i] = " + call + "(n);"), why);
    EXPECT_REFUSED(kernel("out[i] = " + call + "(1-1);"), why);
    EXPECT_REFUSED(kernel("out[i] = " + call + " ((0));"), why);
    EXPECT_REFUSED(kernel("for (int d = 0; d < 3; d++) out[i] += " + call + "(d);"), why);
  }
}

TEST(SafetyRules, a_reason_names_the_line_and_the_call) {
  const auto safety = judge(kernel("\n\n  out[i] = get_group_id(0);"));
  EXPECT_THAT(safety.reasons, ElementsAre("line 6: calls get_group_id(0), whose value starts again "
                                          "on each device"));
}

TEST(SafetyRules, a_reason_in_an_included_file_names_the_file) {
  const auto safety = judge(
      "#line 1 \"main.cl\"\n#line 1 \"util.h\"\n\nint group(void) { return get_group_id(0); }\n"
      "#line 2 \"main.cl\"\nkernel void k(global int* o) { *o = group() + get_num_groups(0); }\n");
  EXPECT_THAT(safety.reasons,
              ::testing::UnorderedElementsAre(StartsWith("util.h line 2: calls get_group_id(0)"),
                                              StartsWith("line 2: calls get_num_groups(0)")));
}

TEST(SafetyRules, linear_ids_and_unknown_ways_to_ask_are_refused) {
  EXPECT_REFUSED(kernel("out[get_global_linear_id()] = 1;"), "counts over the whole range");
  EXPECT_REFUSED(kernel("__asm__(\"mov.u32 %0, %ctaid.x;\");"), "assembler");
  for (const std::string name : {"__builtin_amdgcn_workgroup_id_x", "__nvvm_read_ptx_sreg_ctaid_x",
                                 "_Z12get_group_idj", "_cl_get_global_size"}) {
    EXPECT_REFUSED(kernel("out[i] = " + name + "();"), "undeclared identifier '" + name);
    EXPECT_REFUSED("int " + name + "(void);\n" + kernel("out[i] = " + name + "();"),
                   "may tell work-groups");
  }
  EXPECT_REFUSED("int __builtin_strange(int);\n" + kernel("out[i] = __builtin_strange(i);"),
                 "reserved name");
  EXPECT_REFUSED("int strange(int);\n" + kernel("out[i] = strange(i);"), "does not define");
  EXPECT_REFUSED(kernel("out[i] = _group_id_x;"), "undeclared identifier");
}

TEST(SafetyRules, comments_strings_and_unreached_code_do_not_count) {
  EXPECT_SPLITTABLE(kernel("// get_group_id(0)\n /* atomic_inc(idx) */ out[i] = in[i];"));
  EXPECT_TRUE(judge(kernel("printf(\"get_group_id(0)\");")).splittable);
  EXPECT_SPLITTABLE(
      "void other(global int* p) { atomic_inc(p); *p = get_group_id(0); }\n"
      "kernel void o(global int* p) { other(p); }\n" +
      kernel("out[i] = 1;"));
  EXPECT_SPLITTABLE("#define GID get_group_id(0)\n" + kernel("out[i] = 1;"));
  EXPECT_SPLITTABLE("#if 0\n#define G get_group_id(0)\n#else\n#define G 1\n#endif\n" +
                    kernel("out[i] = G;"));
  EXPECT_SPLITTABLE(kernel("\n#ifdef USE_GROUPS\nout[i] = get_group_id(0);\n#endif\n"));
}

TEST(SafetyRules, functions_are_followed) {
  EXPECT_REFUSED("int a(void) { return get_group_id(0); }\nint b(void) { return a(); }\n" +
                     kernel("out[i] = b();"),
                 "line 1: calls get_group_id(0)");
  EXPECT_REFUSED(
      "int a(void);\n" + kernel("out[i] = a();") + "int a(void) { return get_group_id(0); }\n",
      "get_group_id(0)");
  EXPECT_REFUSED("kernel void h(global float* p) { *p = get_num_groups(0); }\n" + kernel("h(out);"),
                 "get_num_groups(0)");
}

TEST(SafetyRules, macros_are_followed_however_they_are_made) {
  EXPECT_REFUSED("#define A get_group_id(0)\n#define B A\n" + kernel("out[i] = B;"),
                 "calls get_group_id(0), whose value starts again on each device (by the macro B)");
  EXPECT_REFUSED("#define ID(d) get_group_id(d)\n" + kernel("out[i] = ID(0);"), "get_group_id(0)");
  EXPECT_SPLITTABLE("#define ID(d) get_group_id(d)\n" + kernel("out[i] = ID(1);"));
  EXPECT_REFUSED("#define F get_group_id\n" + kernel("out[i] = F(0);"), "get_group_id(0)");
  EXPECT_REFUSED(
      "#define CALL(f, ...) f(__VA_ARGS__)\n" + kernel("out[i] = CALL(get_group_id, 0);"),
      "get_group_id(0)");
  EXPECT_REFUSED("#define GET(x) get_##x##_id(0)\n" + kernel("out[i] = GET(group);"),
                 "get_group_id(0)");
  EXPECT_SPLITTABLE("#define GET(x) get_##x##_id(0)\n" + kernel("out[i] = GET(global);"));
  EXPECT_REFUSED("#define LONG \\\n get_\\\ngroup_id \\\n (0)\n" + kernel("out[i] = LONG;"),
                 "get_group_id(0)");
  EXPECT_REFUSED("#define BODY { out[i] = get_group_id(0); }\n" + kernel("BODY"),
                 "get_group_id(0)");
  EXPECT_REFUSED(
      "#define KERNEL(name) kernel void name(global int* p) { *p = get_group_id(0); }\n"
      "KERNEL(k)\n",
      "get_group_id(0)");
}

TEST(SafetyRules, macros_of_the_command_line_are_followed) {
  const std::string text = kernel("\n#if GROUPS\n out[i] = ID(0);\n#endif\n");
  EXPECT_FALSE(judge(text, {{"GROUPS", "1"}, {"ID", "get_group_id"}}).splittable);
  EXPECT_TRUE(judge(text, {{"GROUPS", "0"}, {"ID", "get_group_id"}}).splittable);
  EXPECT_TRUE(judge(text, {{"GROUPS", "1"}, {"ID", "get_global_id"}}).splittable);
  EXPECT_TRUE(judge(text).splittable);
  EXPECT_FALSE(judge(text, {{"", "x"}}).splittable);
}

TEST(SafetyRules, every_branch_that_may_be_compiled_counts) {
  for (const std::string condition :
       {"#if __OPENCL_VERSION__ >= 200\n", "#ifdef cl_khr_fp64\n", "#ifndef __POCL__\n",
        "#if defined(__X) && N > 1\n", "#if SOME(__X)\n"})
    EXPECT_REFUSED("#define N 2\n#define SOME(x) x\n" +
                       kernel("\n" + condition + "out[i] = get_group_id(0);\n#else\n;\n#endif\n"),
                   "get_group_id(0)");
  EXPECT_REFUSED(kernel("\n#ifdef __X\n;\n#else\nout[i] = get_group_id(0);\n#endif\n"),
                 "get_group_id(0)");
  EXPECT_SPLITTABLE(kernel("\n#if defined(__X) && 0\nout[i] = get_group_id(0);\n#endif\n"));
}

TEST(SafetyRules, a_macro_that_may_mean_several_things_means_them_all) {
  const auto choose = [](const std::string& a, const std::string& b, const std::string& use) {
    return "#ifdef __X\n#define M " + a + "\n#else\n#define M " + b + "\n#endif\n" + kernel(use);
  };
  EXPECT_REFUSED(choose("get_group_id(0)", "1", "out[i] = M;"), "get_group_id(0)");
  EXPECT_REFUSED(choose("get_group_id", "get_global_id", "out[i] = M(0);"), "get_group_id");
  EXPECT_REFUSED(choose("get_global_id", "get_group_id", "out[i] = M(0);"), "get_group_id");
  EXPECT_REFUSED(choose("0", "1", "out[i] = get_group_id(M);"), "get_group_id(0)");
  EXPECT_REFUSED(choose("volatile", "", "M global float* p = out; p[i] = 1;"), "volatile");
  EXPECT_REFUSED(choose("atomic_inc", "dec", "M(idx);"), "atomic_inc");
  EXPECT_REFUSED("void other(void) {}\nvoid helper(void) { get_group_id(0); }\n" +
                     choose("helper", "other", "M();"),
                 "get_group_id(0)");
  EXPECT_SPLITTABLE(choose("double", "float", "M x = in[i]; out[i] = (M)x;"));
}

TEST(SafetyRules, pasting_with_what_only_the_compiler_knows_goes_both_ways) {
  EXPECT_REFUSED(
      "#ifdef __X\n#define P group\n#else\n#define P global\n#endif\n"
      "#define CAT(a) get_##a##_id\n#define ID(a) CAT(a)\n" +
          kernel("out[i] = ID(P)(0);"),
      "get_group_id(0)");
}

TEST(SafetyRules, branches_that_tear_brackets_are_read_one_by_one) {
  const auto torn = [](const std::string& first) {
    return "int unused(void) { return get_group_id(0); }\n" +
           kernel("\n#ifdef __X\n{ " + first + "\n#else\n{ int z;\n#endif\n out[i] = 1; }\n");
  };
  EXPECT_SPLITTABLE(torn(""));
  EXPECT_REFUSED(torn("n = get_group_id(0);"), "get_group_id(0)");
}

TEST(SafetyRules, atomics_on_global_memory_are_refused) {
  for (const std::string call :
       {"atomic_inc(idx);", "atom_add(idx, 1);", "atomic_add(&idx[i], 1);",
        "atomic_xchg(out, 1.0f);", "atomic_fetch_add((volatile global atomic_int*)idx, 1);",
        "global int* q = idx; atomic_dec(q);", "atomic_add(n ? idx : idx + 1, 1);",
        "local int* tileA; atomic_add(idx + tileA[0], 1);", "__sync_fetch_and_add(idx, 1);"}) {
    const auto safety = judge(kernel(call));
    EXPECT_FALSE(safety.splittable) << call;
    EXPECT_TRUE(safety.uses_atomics) << call;
  }
  EXPECT_REFUSED("kernel void k(global atomic_int* p) { }", "atomic_int");
  EXPECT_REFUSED("kernel void k(volatile global int* p) { p[0] = 1; }", "volatile");
}

TEST(SafetyRules, functions_with_another_name_for_the_linker_are_refused) {
  EXPECT_REFUSED("size_t f(uint d) __asm(\"_Z12get_group_idj\");\n" + kernel("out[i] = f(0);"),
                 "another name for the linker");
  EXPECT_REFUSED("size_t f(uint d) __attribute__((weakref(\"x\")));\n" + kernel("out[i] = f(0);"),
                 "weakref");
  EXPECT_SPLITTABLE("void never(void) { __asm__(\"\"); }\n" + kernel("out[i] = 1;"));
  EXPECT_SPLITTABLE(kernel("int alias = 1; out[i] = alias;"));
}

TEST(SafetyRules, pragmas_that_change_what_names_mean_are_refused_however_they_are_written) {
  const std::string body = kernel("out[i] = 1;");
  EXPECT_REFUSED("#pragma redefine_extname f get_group_id\n" + body, "redefine_extname");
  EXPECT_REFUSED("_Pragma(\"push_macro(\\\"Q\\\")\")\n" + body, "push_macro");
  EXPECT_REFUSED("#define P(x) _Pragma(x)\nP(\"pop_macro(\\\"Q\\\")\")\n" + body, "pop_macro");
  EXPECT_SPLITTABLE("_Pragma(\"OPENCL EXTENSION cl_khr_fp64 : enable\")\n" + body);
  EXPECT_SPLITTABLE("#define U _Pragma(\"unroll\")\n" +
                    kernel("U for (int j = 0; j < 4; ++j) out[i] = 1;"));
}

TEST(SafetyRules, where_a_buffer_lies_may_not_matter) {
  EXPECT_REFUSED(kernel("out[i] = (ulong)out & 127;"), "turns a pointer into a number");
  EXPECT_REFUSED(kernel("out[i] = in < out ? 1 : 2;"), "addresses of two buffers");
  EXPECT_REFUSED(kernel("out[i] = in - out;"), "addresses of two buffers");
  EXPECT_SPLITTABLE(kernel("global float* q = out + n; while (q > out) *--q = 1;"));
  EXPECT_SPLITTABLE(kernel("if (in && out && in != out) out[i] = 1;"));
}

TEST(SafetyRules, types_with_shared_contents_are_refused) {
  EXPECT_REFUSED("typedef volatile global int* flag;\nkernel void k(flag p) { while (!*p); }",
                 "volatile contents");
  EXPECT_REFUSED("struct S { volatile int f; };\nkernel void k(global struct S* p) { p->f = 1; }",
                 "volatile contents");
  EXPECT_REFUSED("typedef struct { atomic_int n; } S;\nkernel void k(global S* p) { }",
                 "atomic_int contents");
  EXPECT_SPLITTABLE("typedef volatile local int* flag;\n" + kernel("flag f = (flag)tile;"));
}

TEST(SafetyRules, typedefs_of_typedefs_are_seen_through_within_bounds) {
  EXPECT_REFUSED("typedef volatile global int* A; typedef A B; kernel void k(B p) { *p = 1; }",
                 "volatile");
  // It is the parameter itself that is volatile here, and every work-item has its own.
  EXPECT_SPLITTABLE("typedef global int* A; kernel void k(volatile A p) { *p = 1; }");
  std::string chain = "typedef volatile global int* T0;\n";
  for (int i = 1; i < 1000; ++i)
    chain += "typedef T" + std::to_string(i - 1) + " T" + std::to_string(i) + ";\n";
  EXPECT_REFUSED(chain + "kernel void k(T999 p) { *p = 1; }", "volatile");
  EXPECT_TRUE(judge(chain + "kernel void k(T999 p) { *p = 1; }").parameters.at(0).written);
}

TEST(SafetyRules, parameters_that_the_compiler_decides_are_refused) {
  EXPECT_REFUSED("kernel void k(\n#ifdef __X\nint n,\n#endif\nglobal int* p) { *p = 1; }",
                 "parameters depend on");
  EXPECT_REFUSED(
      "#ifdef __X\n#define E int n,\n#else\n#define E\n#endif\n"
      "kernel void k(E global int* p) { *p = 1; }",
      "parameters depend on");
  EXPECT_SPLITTABLE(
      "#ifdef __X\nkernel void k(global int* p) { p[get_global_id(0)] = 1; }\n#endif\n");
  EXPECT_SPLITTABLE(
      "#ifdef cl_khr_fp64\n#define T double\n#else\n#define T float\n#endif\n"
      "kernel void k(global T* p) { p[get_global_id(0)] = 1; }\n");
}

TEST(SafetyRules, atomics_on_local_memory_are_fine) {
  for (const std::string body :
       {"atomic_inc((local int*)tile);", "local int bins[16]; atomic_inc(&bins[i]);",
        "local int count; atomic_add(&count, 1);",
        "local int a[4]; local int* p = a; atomic_max(p, 1);", "atomic_xchg(tile, 1.0f);",
        "local atomic_int a; atomic_fetch_add(&a, 1);"}) {
    const auto safety = judge(kernel(body));
    EXPECT_TRUE(safety.splittable) << body << shown(safety);
    EXPECT_TRUE(safety.uses_atomics) << body;
  }
  EXPECT_SPLITTABLE("void f(volatile local uint* p) { atomic_inc(p); }\n" +
                    kernel("local uint c; f(&c);"));
  EXPECT_FALSE(
      judge("void f(uint* p) { atomic_inc(p); }\n" + kernel("local uint c; f(&c);")).splittable);
  EXPECT_FALSE(judge(kernel("int q; atomic_add(q, 1);")).splittable);
  EXPECT_REFUSED(
      "void f(atomic_int* p) { atomic_fetch_add(p, 1); }\n" + kernel("local atomic_int c; f(&c);"),
      "not clearly __local");
  for (const std::string inner :
       {"global int* c = idx;", "global int *a = idx + (1), *c = idx;",
        "global int *a = f(1), *c; c = idx;", "for (global int* c = idx;;) atomic_inc(c);"})
    EXPECT_REFUSED(kernel("local int c; { " + inner + " atomic_inc(c); }"), "not clearly __local");
}

TEST(SafetyRules, an_own_function_with_an_atomics_name_is_looked_at_itself) {
  EXPECT_SPLITTABLE("float atomic_add_f(float a) { return a + 1; }\n" +
                    kernel("out[i] = atomic_add_f(in[i]);"));
  EXPECT_REFUSED("void atomic_add_f(volatile global uint* p) { atomic_cmpxchg(p, 0, 1); }\n" +
                     kernel("atomic_add_f((volatile global uint*)out);"),
                 "atomic_cmpxchg");
}

TEST(SafetyRules, program_scope_state_is_refused_where_it_can_change) {
  EXPECT_REFUSED("global int counter;\n" + kernel("counter = i;"), "at program scope");
  EXPECT_REFUSED("int counter = 3;\n" + kernel("out[i] = counter;"), "at program scope");
  EXPECT_SPLITTABLE("global int counter;\n" + kernel("out[i] = 1;"));
  EXPECT_SPLITTABLE("constant float t[2] = {1, 2};\n" + kernel("out[i] = t[i & 1];"));
  EXPECT_REFUSED(kernel("static int calls; calls++;"), "static variable");
}

TEST(SafetyRules, pipes_queues_and_written_images_are_refused) {
  EXPECT_REFUSED("kernel void k(read_only pipe int p) { int v; read_pipe(p, &v); }", "pipe");
  EXPECT_REFUSED(kernel("enqueue_kernel(get_default_queue(), 0, ndrange_1D(4), ^{ });"),
                 "enqueues work");
  EXPECT_REFUSED("kernel void k(write_only image2d_t o) { write_imagef(o, (int2)(0,0), 1.0f); }",
                 "images are not merged");
  EXPECT_REFUSED("kernel void k(read_write image2d_t o) { }", "may write to the image o");
  EXPECT_SPLITTABLE(
      "kernel void k(read_only image2d_t a, global float4* out) {\n"
      "  out[get_global_id(0)] = read_imagef(a, (int2)(get_global_id(0), 0)); }");
}

TEST(SafetyRules, printf_is_allowed_and_mentioned) {
  const auto safety = judge(kernel("printf(\"%d\", i); out[i] = 1;"));
  EXPECT_TRUE(safety.splittable);
  EXPECT_TRUE(safety.suspicious);
  EXPECT_THAT(shown(safety), HasSubstr("order of its output"));
}

TEST(SafetyRules, what_was_not_seen_is_refused) {
  EXPECT_REFUSED("#if __X\n#include <other.h>\n#endif\n" + kernel("out[i] = 1;"), "<other.h>");
  EXPECT_SPLITTABLE("#if 0\n#include <other.h>\n#endif\n" + kernel("out[i] = 1;"));
  EXPECT_REFUSED("#define F(x) x\n" + kernel("F(out[i] = 1;"), "unterminated function-like macro");
  EXPECT_THAT(shown(judge(kernel("out[i] = 1; } }"))), HasSubstr("extraneous closing brace"));
  EXPECT_REFUSED(kernel("out[i] = n ?"
                        "?(1?"
                        "?) : 2;"),
                 "trigraph");
  EXPECT_REFUSED(kernel("printf(\"?"
                        "?/\");"),
                 "trigraph");
}

TEST(SafetyRules, a_built_in_that_the_program_redefines_is_refused) {
  EXPECT_REFUSED("#define get_group_id(x) 0\n" + kernel("out[i] = get_group_id(0);"),
                 "a macro named get_group_id");
  EXPECT_SPLITTABLE(kernel("int get_group_id = 3; out[get_group_id] = 1;"));  // a variable
}

TEST(SafetyRules, other_languages_are_refused) {
  EXPECT_REFUSED(
      "template<typename T> void f(T x) {}\n" + kernel("out[i] = static_cast<float>(1);"),
      "clang: ");
}

TEST(SafetyRules, a_kernel_that_is_absent_is_not_found) {
  const auto safety = judge("void k(void) {} kernel void other(void) {}");
  EXPECT_FALSE(safety.found);
  EXPECT_THAT(safety.reasons, ElementsAre("no kernel named k is in the source"));
  EXPECT_TRUE(judge(kernel(";")).found);
  EXPECT_THAT(judge("").parameters, IsEmpty());
}

TEST(SafetyRules, several_definitions_of_the_kernel_are_refused) {
  EXPECT_REFUSED(
      "#ifdef __X\n" + kernel("out[i] = 1;") + "#else\n" + kernel("out[i] = 2;") + "#endif\n",
      "several definitions");
  EXPECT_REFUSED(
      "#ifdef __X\nkernel void k(global int* p)\n#else\nkernel void k(global uint* p)\n"
      "#endif\n{ p[get_global_id(0)] = 1; }",
      "several definitions");
}

TEST(SafetyRules, local_memory_is_noticed) {
  EXPECT_TRUE(judge(kernel("")).uses_local_memory);
  EXPECT_TRUE(judge("kernel void k(global int* p) { __local int t[4]; }").uses_local_memory);
  EXPECT_FALSE(judge("kernel void k(global int* p) { p[0] = 1; }").uses_local_memory);
  EXPECT_FALSE(judge("kernel void k(global int* p) { p[0] = 1; }").uses_atomics);
}

}  // namespace
}  // namespace kiln
