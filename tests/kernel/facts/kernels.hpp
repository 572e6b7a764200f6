#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kernel/facts/read_facts.hpp"

namespace kiln::testing {

using Macros = std::vector<std::pair<std::string, std::string>>;

/// The judgement of the kernel "k" in a text.
inline KernelFacts judge(std::string_view text, const Macros& macros = {},
                         std::string options = "") {
  for (const auto& [name, value] : macros) options += " '-D" + name + "=" + value + "'";
  return value_or_throw(read_kernel_facts(text, options, {"k"})).front();
}

/// A kernel "k" on two buffers around some statements, with `i` its global id.
inline std::string kernel(std::string_view body) {
  return "kernel void k(global float* out, global const float* in, global int* idx,\n"
         "              local float* tile, int n) {\n  int i = get_global_id(0);\n  " +
         std::string(body) + "\n}\n";
}

inline std::string shown(const KernelFacts& safety) {
  std::string text;
  for (const auto& reason : safety.reasons) text += "reason: " + reason + "\n";
  for (const auto& suspicion : safety.suspicions) text += "suspicion: " + suspicion + "\n";
  return text;
}

/// "out:rw in:r idx:-": what happens to each followed pointer; * marks different indices.
inline std::string uses(const KernelFacts& safety) {
  std::string text;
  for (const ParameterUse& use : safety.parameters) {
    if (!use.is_pointer || use.is_local) continue;
    text += (text.empty() ? "" : " ") + use.name + ":" + (use.read ? "r" : "") +
            (use.written ? "w" : "") + (use.read || use.written ? "" : "-") +
            (use.read_and_written_at_different_index ? "*" : "");
  }
  return text;
}

}  // namespace kiln::testing

#define EXPECT_SPLITTABLE(text)                        \
  EXPECT_TRUE(::kiln::testing::judge(text).splittable) \
      << text << "\n"                                  \
      << ::kiln::testing::shown(::kiln::testing::judge(text))
#define EXPECT_REFUSED(text, why)                                                   \
  do {                                                                              \
    const auto judged = ::kiln::testing::judge(text);                               \
    EXPECT_FALSE(judged.splittable) << text;                                        \
    EXPECT_THAT(::kiln::testing::shown(judged), ::testing::HasSubstr(why)) << text; \
  } while (false)
