#include "kernel/facts/kernels.hpp"

namespace kiln {
namespace {

using ::testing::HasSubstr;
using testing::judge;
using testing::kernel;
using testing::shown;
using testing::uses;

/// The uses of the kernel "k" with some statements as its body.
std::string uses_of(std::string_view body) { return uses(judge(kernel(body))); }

TEST(SafetyFlow, reads_and_writes_are_told_apart) {
  const std::pair<const char*, const char*> cases[] = {
      {"out[i] = in[i];", "out:w in:r idx:-"},
      {"out[i] += in[i];", "out:rw in:r idx:-"},
      {"out[i]++; --idx[i];", "out:rw in:- idx:rw"},
      {"++out[i]; (idx[i])--;", "out:rw in:- idx:rw"},
      {"*out = *in;", "out:w in:r idx:-"},
      {"*(out + i) = *(in + i);", "out:w in:r idx:-"},
      {"out[i] = n;", "out:w in:- idx:-"},
      {"(out[i]) = (in)[i];", "out:w in:r idx:-"},
      {"float x = in[idx[i]]; out[i] = x;", "out:w in:r idx:r"},
      {"if (in[i] > 0) out[i] = 1;", "out:w in:r idx:-"},
      {"out[i] = n > 0 ? in[i] : idx[i];", "out:w in:r idx:r"},
      {"out[i] = sizeof(in[i]) + sizeof in;", "out:w in:- idx:-"},
      {"float x = (out[i] = in[i]);", "out:w in:r idx:-"},
      {"out[i] = idx[i] = 3;", "out:w in:- idx:w"},
      {"for (int j = 0; j < n; j++) out[i] += in[j];", "out:rw in:r idx:-"},
      {"while (idx[i] > 0) out[i] = 1;", "out:w in:- idx:r"},
      {"do { out[i] = 1; } while (in[i]);", "out:w in:r idx:-"},
      {"switch (idx[i]) { case 1: out[i] = 1; break; default: out[i] = 2; }", "out:w in:- idx:r"},
      {"vstore4(vload4(i, in), i, out);", "out:w in:r idx:-"},
      {"vstore_half(vload_half(i, (global half*)in), i, (global half*)out);", "out:w in:r idx:-"},
      {"out[i] = fract(in[i], out + i);", "out:w in:r idx:-"},
      {"float c; out[i] = sincos(in[i], &c) + c;", "out:w in:r idx:-"},
      {"async_work_group_copy(tile, in, n, 0);", "out:- in:r idx:-"},
      {"async_work_group_copy(out, tile, n, 0);", "out:w in:- idx:-"},
      {"prefetch(in, n); out[i] = 1;", "out:w in:- idx:-"},
      {"out[i] = as_float(idx[i]) + convert_float(idx[i]) + max(in[i], 0.0f);", "out:w in:r idx:r"},
      {"if (out != 0 && in == out) return;", "out:- in:- idx:-"},
      {"__attribute__((opencl_unroll_hint(2))) for (;;) out[i] = 1;", "out:w in:- idx:-"},
      {"", "out:- in:- idx:-"},
  };
  for (const auto& [body, expected] : cases) EXPECT_EQ(uses_of(body), expected) << body;
}

TEST(SafetyFlow, aliases_are_followed) {
  const std::pair<const char*, const char*> cases[] = {
      {"global float* q = out; q[i] = in[i];", "out:w in:r idx:-"},
      {"global float* q; q = out + n; q[i] = 1;", "out:w in:- idx:-"},
      {"global float* q = &out[i]; *q = 1;", "out:w in:- idx:-"},
      {"global float *a = out, *b = a; b += n; *b++ = 1;", "out:w in:- idx:-"},
      {"global const float* q = n ? in : out; float x = q[i];", "out:r in:r idx:-"},
      {"global float4* q = (global float4*)out; q[i] = (float4)(in[i], 1, 2, 3);",
       "out:w in:r idx:-"},
      {"((global float4*)out)[i].x = 1;", "out:w in:- idx:-"},
      {"*(global float4*)(out + i) = 1;", "out:w in:- idx:-"},
      {"global float* r; global float* q; for (;;) { q = r; r = out; q[i] = 1; }",
       "out:w in:- idx:-"},
      {"global float* a[2]; a[0] = out; a[1][i] = 1;", "out:w in:- idx:-"},
      {"global float* a[2] = {out, 0}; a[0][i] = 1;", "out:w in:- idx:-"},
      {"float x[4]; float* q = x; q[1] = in[i]; out[i] = x[1];", "out:w in:r idx:-"},
      {"local float* q = tile + n; q[0] = in[i]; out[i] = *q;", "out:w in:r idx:-"},
  };
  for (const auto& [body, expected] : cases) EXPECT_EQ(uses_of(body), expected) << body;
}

TEST(SafetyFlow, functions_are_followed_with_their_arguments) {
  const std::string helpers =
      "float get(global const float* p, int j) { return p[j]; }\n"
      "void put(global float* p, int j, float v) { p[j] = v; }\n"
      "global float* shift(global float* p, int j) { return p + j; }\n"
      "void put2(global float* q, int j) { put(q, j, 1); }\n"
      "void fill(float* a) { a[0] = 1; }\n";
  const std::pair<const char*, const char*> cases[] = {
      {"put(out, i, get(in, i));", "out:w in:r idx:-"},
      {"put2(out, i);", "out:w in:- idx:-"},
      {"*shift(out, i) = 1;", "out:w in:- idx:-"},
      {"put2(shift(out, n), i);", "out:w in:- idx:-"},
      {"put(&out[i], 0, in[i]);", "out:w in:r idx:-"},
      {"float a[2]; fill(a); out[i] = a[0];", "out:w in:- idx:-"},
      {"put(n ? out : (global float*)idx, i, 1);", "out:w in:- idx:w"},
  };
  for (const auto& [body, expected] : cases)
    EXPECT_EQ(uses(judge(helpers + kernel(body))), expected) << body;
}

TEST(SafetyFlow, structures_vectors_and_arrays_of_arrays_are_objects_in_memory) {
  const std::string head =
      "struct P { float x; float v[4]; };\n"
      "kernel void k(global struct P* p, global const float4* f, global float (*m)[4]) {\n"
      "  int i = get_global_id(0);\n  ";
  const auto of = [&](const std::string& body) { return uses(judge(head + body + "\n}\n")); };
  EXPECT_EQ(of("p[i].x = f[i].y;"), "p:w f:r m:-");
  EXPECT_EQ(of("p->x += 1; (*p).x = 2;"), "p:rw f:- m:-");
  EXPECT_EQ(of("p[i].v[2] = f[i].s3;"), "p:w f:r m:-");
  EXPECT_EQ(of("global float* q = p[i].v; q[1] = 2;"), "p:w f:- m:-");
  EXPECT_EQ(of("float y = p[i].x; m[i][2] = y;"), "p:r f:- m:w");
  EXPECT_EQ(of("global float* row = m[i]; row[2] = 1;"), "p:- f:- m:w");
  EXPECT_EQ(of("struct P c = p[i]; c.x = 2; c.v[1] = 3; m[i][0] = c.x;"), "p:r f:- m:w");
}

TEST(SafetyFlow, the_same_index_is_recognised_by_its_text) {
  for (const std::string body :
       {"out[i] = out[i] * 2;", "out[i] += 1;", "float x = out[i]; out[i] = x;",
        "*(out + i) = out[i];", "out[i * n + 1] = out[i*n + 1 ];",
        "for (int j = i; j < n; j++) { float x = out[j]; out[j] = x; }",
        "vstore4(vload4(i, out), i, out);", "global float* q = out + i; *q = *q + 1;",
        "int j = i + 1; float x = out[j]; if (x > 0) out[j] = 0;"}) {
    const auto safety = judge(kernel(body));
    EXPECT_EQ(uses(safety), "out:rw in:- idx:-") << body << shown(safety);
  }
}

TEST(SafetyFlow, another_index_is_suspicious) {
  for (const std::string body :
       {"out[i] = out[i + 1];", "out[i] = out[0] + out[i];", "float x = out[n]; out[i] = x;",
        "int j = i; float x = out[j]; j = n; out[j] = x;",
        "int j = i; float x = out[j]; j++; out[j] = x;", "int j = i; j = out[j] + 1; out[j] = 1;",
        "int j = i; float x = out[j]; while (j < n) j++; out[j] = x;",
        "int j = i; float x = 0; a: out[j] = x; x = out[j]; j++; if (j < n) goto a;",
        "for (int j = 0; j < n; j++) { float x = out[j]; } for (int j = 0; j < n; j++) out[j] = i;",
        "int j = 0; while (j < n) { float x = out[j]; j++; out[j] = x; }",
        "int j = i; float x = out[j]; int* q = &j; *q = 0; out[j] = x;",
        "global float* q = out + 1; q[i] = out[i];", "vstore4(vload2(i, out).xyxy, i, out);",
        "(out + i)[n] = out[i << n];",
        "global float* q = out; float x = q[i]; q = out + n; q[i] = x;",
        "((global int*)out)[i] = out[i];"}) {
    const auto safety = judge(kernel(body));
    EXPECT_THAT(uses(safety), HasSubstr("out:rw*")) << body;
    EXPECT_TRUE(safety.splittable && safety.suspicious) << body << shown(safety);
  }
}

TEST(SafetyFlow, calls_with_other_arguments_are_other_indices) {
  const std::string helper = "void add(global float* p, int j) { p[j] += 1; }\n";
  EXPECT_EQ(uses(judge(helper + kernel("add(out, i);"))), "out:rw in:- idx:-");
  EXPECT_EQ(uses(judge(helper + kernel("add(out, i); add(out, i + 1);"))), "out:rw* in:- idx:-");
}

TEST(SafetyFlow, an_index_that_every_work_item_shares_is_suspicious) {
  for (const std::string body :
       {"out[0] = in[i];", "out[n] += 1;", "out[get_global_id(1)] = 1;",
        "out[get_local_id(0)] = 1;", "for (int j = 0; j < n; j++) out[j] = j;"})
    EXPECT_TRUE(judge(kernel(body)).suspicious) << body;
  for (const std::string body :
       {"out[i] = 1;", "if (i == 0) out[0] = 1;", "int j = 2 * i; out[j + n] = 1;",
        "if (get_global_id(0) != 0) return; out[0] = 1;", "out[idx[i]] = 1;",
        "for (int j = i; j < n; j += 64) out[j] = 1;"}) {
    const auto safety = judge(kernel(body));
    EXPECT_FALSE(safety.suspicious) << body << shown(safety);
  }
}

TEST(SafetyFlow, writes_that_depend_on_loaded_values_are_noticed) {
  for (const std::string body :
       {"out[idx[i]] = 1;",
        "int j = idx[i]; out[j] = 1;",
        "int j = idx[i], k2 = j + 1; out[k2] = 1;",
        "if (in[i] > 0) out[i] = 1;",
        "if (n) out[i] = 0; if (in[i] > 0) out[i] = 1;",
        "if (in[i] > 0) out[i] = 1; out[i] = 0;",
        "out[n] = 0; if (in[i] > 0) out[i] = 1;",
        "if (in[i] <= 0) return; out[i] = 1;",
        "while (idx[i]) out[i] = 1;",
        "for (int j = 0; j < idx[i]; j++) out[j] = 1;",
        "for (int j = 0; j < n; j++) { if (in[j] > 0) break; out[j] = 1; }",
        "for (int j = 0; j < n; j++) { out[j] = 1; if (in[j] > 0) break; }",
        "for (int j = 0; j < n; j++) { if (in[j] > 0) continue; out[j] = 1; }",
        "for (int j = 0; j < n; j++) { out[j] = 1; if (in[j] > 0) return; }",
        "int j = 0; if (in[i] > 0) j = 1; out[j] = 1;",
        "int j = in[i] > 0 ? 1 : 2; out[j] = 1;",
        "in[i] > 0 && (out[i] = 1);",
        "switch (idx[i]) { case 0: out[i] = 1; }",
        "int j = 0; for (int m = 0; m < idx[i]; m++) j++; out[j] = 1;",
        "tile[0] = in[i]; barrier(1); out[(int)tile[1]] = 1;",
        "int a[2]; int* q = a; *q = idx[i]; out[a[0]] = 1;",
        "float w; modf(in[i], &w); out[(int)w] = 1;",
        "global float* q = out + idx[i]; q[0] = 1;",
        "vstore4(1, idx[i], out);",
        "int j; goto a; a: out[i] = 1; j = idx[i];",
        "struct { int j; } s; s.j = idx[i]; out[s.j] = 1;",
        "union { int j; float f; } u; u.j = idx[i]; out[(int)u.f] = 1;",
        "int j = idx[i] ?: 3; out[j] = 1;",
        "int2 p; p.x = idx[i]; out[p.y] = 1;",
        "local int t[4]; local int* q = t; q[1] = idx[i]; out[t[0]] = 1;",
        "do { out[i] = 1; } while (in[i]);",
        "float x; x = in[i]; if (isnan(x)) out[i] = 1;",
        "local int c; out[atomic_inc(&c)] = 1;",
        "int j = 0; for (int m = 0; m < n; m++) { out[j] = 1; j = idx[m]; }",
        "async_work_group_copy(tile, in, n, 0); out[(int)tile[0]] = 1;",
        "async_work_group_copy(out, tile, idx[i], 0);",
        "for (int j = 0; j < n; j++) { switch (j) { case 0: if (in[j] > 0) break; out[j] = 1; } }"})
    EXPECT_TRUE(judge(kernel(body)).data_dependent_writes) << body;
}

TEST(SafetyFlow, writes_of_loaded_values_to_fixed_places_do_not_depend_on_data) {
  for (const std::string body :
       {"out[i] = in[idx[i]];", "float s = 0; for (int j = 0; j < n; j++) s += in[j]; out[i] = s;",
        "if (i < n) out[i] = in[i];", "if (i >= n) return; out[i] = in[i];",
        "float x = in[i]; if (x > 0) x = 0; out[i] = x;", "out[i] = in[i] > 0 ? 1 : 2;",
        "float m = in[0]; for (int j = 0; j < n; j++) { if (in[j] < m) continue; m = in[j]; } "
        "out[i] = m;",
        "tile[get_local_id(0)] = in[i]; barrier(1); for (int j = 0; j < 4; j++) out[i] = tile[j];",
        "for (int j = 0; j < n; j++) { if (in[j] > 0) break; } out[i] = 1;",
        "int2 p = (int2)(i, n); out[p.x] = in[p.y];", "out[i] = 0; if (in[i] > 0) out[i] = 1;",
        "if (n) { out[i] = 0; if (in[i] > 0) out[i] = 1; }"})
    EXPECT_FALSE(judge(kernel(body)).data_dependent_writes) << body;
}

TEST(SafetyFlow, dependence_goes_through_functions) {
  const std::string helpers =
      "int load(global const int* p, int j) { return p[j]; }\n"
      "int twice(int j) { return 2 * j; }\n"
      "void put(global float* p, int j) { p[j] = 1; }\n"
      "void maybe(global float* p, int j, float v) { if (v > 0) p[j] = 1; }\n"
      "void fetch(global const int* p, int* to) { *to = p[0]; }\n"
      "void two(int* p, int* q, global const int* v, global float* o) { *p = v[0]; o[*q] = 1; }\n"
      "struct V { int j; };\n"
      "struct V value(global const int* p) { struct V v; v.j = p[0]; return v; }\n";
  for (const std::string body :
       {"out[load(idx, i)] = 1;", "out[twice(idx[i])] = 1;", "put(out, idx[i]);",
        "if (in[i] > 0) put(out, i);", "maybe(out, i, in[i]);",
        "int j; fetch(idx, &j); out[j] = 1;", "put(out + idx[i], 0);",
        "int a; two(&a, &a, idx, out);", "out[value(idx).j] = 1;",
        "int a[2]; fetch(idx, a + 1); out[a[0]] = 1;"})
    EXPECT_TRUE(judge(helpers + kernel(body)).data_dependent_writes) << body;
  for (const std::string body :
       {"out[twice(i)] = load(idx, i);", "put(out, twice(i));", "maybe(out, i, n);"})
    EXPECT_FALSE(judge(helpers + kernel(body)).data_dependent_writes) << body;
}

TEST(SafetyFlow, what_cannot_be_followed_counts_as_read_and_written) {
  for (const std::string body :
       {"global float* q = (global float*)(ulong)n; q[i] = 1;", "out[i] = ({ int z = 1; z; });",
        "ulong a = (ulong)out;", "union { global float* p; ulong u; } x; x.p = out; n = x.u;",
        "global float* q = out; ulong a = *(ulong*)&q;", "global float* q; q[i] = 1;"}) {
    const auto safety = judge(kernel(body));
    EXPECT_THAT(uses(safety), HasSubstr("out:rw*")) << body << shown(safety);
    EXPECT_TRUE(safety.suspicious && safety.data_dependent_writes) << body << shown(safety);
  }
}

TEST(SafetyFlow, what_clang_rejects_is_refused_and_counts_as_read_and_written) {
  for (const std::string body :
       {"unknown(out);", "out[i] = 1 2;", "out[i] = @;", "switch (n) { out[i]", "float f = out;"}) {
    const auto safety = judge(kernel(body));
    EXPECT_TRUE(safety.found && !safety.splittable) << body;
    EXPECT_THAT(shown(safety), HasSubstr("clang: ")) << body;
    EXPECT_EQ(uses(safety), "out:rw* in:r idx:rw*") << body << shown(safety);
  }
}

TEST(SafetyFlow, types_and_scopes_are_the_languages) {
  EXPECT_EQ(uses_of("i[out] = 1;"), "out:w in:- idx:-");
  EXPECT_EQ(uses_of("typedef global float* G; G q = out; q[i] = 1;"), "out:w in:- idx:-");
  EXPECT_EQ(uses_of("global float* q = out; { float q[4]; q[0] = 1; } q[i] = 2;"),
            "out:w in:- idx:-");
  EXPECT_EQ(uses_of("global float** q = &out; (*q)[i] = in[i];"), "out:w in:r idx:-");
  EXPECT_EQ(uses_of("struct { global float* p; int n; } s; s.p = out; s.p[i] = in[i];"),
            "out:w in:r idx:-");
  EXPECT_EQ(uses(judge("struct C { global float* p; };\n"
                       "void put(struct C* c, int i) { c->p[i] = 1; }\n"
                       "void set(struct C* c, global float* p) { c->p = p; }\n" +
                       kernel("struct C c = {out}; put(&c, i);"))),
            "out:w in:- idx:-");
  // What a function puts into its caller's memory is not followed.
  EXPECT_THAT(uses(judge("struct C { global float* p; };\n"
                         "void set(struct C* c, global float* p) { c->p = p; }\n" +
                         kernel("struct C c; set(&c, out); c.p[i] = 1;"))),
              HasSubstr("out:rw*"));
}

TEST(SafetyFlow, what_is_const_stays_so_unless_a_cast_may_take_it_away) {
  const std::string broken = " unknown_type 1 2; ";
  EXPECT_EQ(uses_of("out[i] = in[i];" + broken), "out:rw* in:r idx:rw*");
  EXPECT_EQ(uses_of("*(global float*)in = 1;" + broken), "out:rw* in:rw* idx:rw*");
  EXPECT_EQ(uses_of("((global float*)in)[i] = 1;"), "out:- in:w idx:-");
  EXPECT_EQ(uses(judge("kernel void k(constant float* c, global float const* d) { 1 2; }")),
            "c:r d:r");
}

TEST(SafetyFlow, pointers_in_memory_are_not_followed) {
  const std::string head = "struct N { struct N* next; int v; };\n";
  EXPECT_TRUE(
      judge(head + "kernel void k(global struct N* p) { p->next->v = 1; }").data_dependent_writes);
  EXPECT_EQ(uses(judge("kernel void k(global float** p) { p[0][1] = 1; }")), "p:rw*");
  EXPECT_EQ(uses(judge(head + "kernel void k(global struct N* p, global int* o) {\n"
                              "  int i = get_global_id(0); o[i] = p[i].v + 1; }")),
            "p:r o:w");
}

TEST(SafetyFlow, a_macro_of_unknown_meaning_has_the_uses_of_all_its_meanings) {
  const std::string choose =
      "#ifdef __X\n#define PUT(p) p[i] = p[n]\n#else\n#define PUT(p) p[0] = 1\n#endif\n";
  const auto safety = judge(choose + kernel("PUT(out);"));
  EXPECT_TRUE(safety.splittable);
  EXPECT_THAT(shown(safety), HasSubstr("reads out and writes it"));
  EXPECT_THAT(shown(safety), HasSubstr("writes out at an index that does not depend"));
  EXPECT_EQ(uses(safety), "out:rw* in:- idx:-");
}

TEST(SafetyFlow, parameters_are_described_in_order) {
  const auto safety = judge(
      "typedef float real;\nkernel void k(global const real* a, constant int4* b, local uchar* c,\n"
      "  unsigned int n, read_only image2d_t m) { }");
  ASSERT_EQ(safety.parameters.size(), 5u);
  const auto& p = safety.parameters;
  EXPECT_TRUE(p[0].is_pointer && p[0].is_global && !p[0].is_local && !p[0].is_constant_space);
  EXPECT_EQ(p[0].element_type, "float");
  EXPECT_TRUE(p[1].is_constant_space && !p[1].is_global);
  EXPECT_EQ(p[1].element_type, "int4");
  EXPECT_TRUE(p[2].is_local && p[2].read && p[2].written);
  EXPECT_TRUE(!p[3].is_pointer && p[3].read && !p[3].written);
  EXPECT_EQ(p[3].name, "n");
  EXPECT_EQ(p[3].element_type, "unsigned int");
  EXPECT_FALSE(p[4].is_pointer || p[4].written);
}

}  // namespace
}  // namespace kiln
