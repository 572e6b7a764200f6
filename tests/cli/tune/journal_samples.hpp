#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// Journals of searches that were never made.
namespace kiln::testing {

/// A journal of these lines.
inline std::string journal_of(const std::string& identity, const std::vector<std::string>& lines) {
  const nlohmann::ordered_json head = {{"kiln tuning journal", 1},
                                       {"identity", identity},
                                       {"device", "a platform|1|a device|2|3|64 bits|8 units"},
                                       {"strategy", "forest"},
                                       {"seed", 1},
                                       {"space", "…"}};
  std::string text = head.dump() + "\n";
  for (const auto& line : lines) text += line + "\n";
  return text;
}

/// 100 evaluations of TS, WPT, PAD, VEC and FIX: fastest (1 ms) at 16, 4, True, 1; large tiles need
/// too much local memory, and one is wrong.
inline std::string searched(const std::string& identity = "blas.gemm 12 sgemm m 1024") {
  std::vector<std::string> lines;
  for (int i = 0; i < 100; ++i) {
    const int at = i * 37 % 100;
    const int ts = 4 << (at % 5), wpt = 1 << (at / 5 % 5);
    const bool pad = at / 25 % 2 == 1;
    const int vector = at / 50 + 1, fix = 9;
    nlohmann::ordered_json line = {
        {"id", at},
        {"configuration", {{"TS", ts}, {"WPT", wpt}, {"PAD", pad}, {"VEC", vector}, {"FIX", fix}}}};
    const int x = at % 5 - 2, y = at / 5 % 5 - 2;
    if (ts * wpt > 512) {
      line["failure"] = "resources";
      line["message"] = "needs more local memory than the device has";
    } else if (at == 50) {
      line["failure"] = "wrong_result";
      line["message"] = "number 3 of the result is 1, expected 2";
    } else {
      line["seconds"] =
          1e-3 * (1 + 0.5 * x * x + 0.3 * y * y + (pad ? 0 : 0.2) + (vector - 1) * 0.01);
    }
    line["at"] = 0.8 * (i + 1);
    lines.push_back(line.dump());
  }
  return journal_of(identity, lines);
}

}  // namespace kiln::testing
