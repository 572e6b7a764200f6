#include "spec/start_kernels.hpp"

#include <fmt/format.h>

#include "base/os/file.hpp"

namespace kiln::bench {

StartKernel saxpy_kernel() {
  return {"saxpy", R"(
kernel void saxpy(float a, global const float* x, global float* y, int n) {
  const int i = get_global_id(0);
  if (i < n) y[i] += a * x[i];
}
)"};
}

StartKernel large_kernel() {
  std::string text =
      "kernel void large(float a, global const float* x, global float* y, int n) {\n"
      "  const int i = get_global_id(0);\n"
      "  if (i >= n) return;\n"
      "  float v = x[i];\n";
  for (int s = 0; s < 400; ++s) text += fmt::format("  v = fma(v, a, sin(v * {}.25f));\n", s);
  return {"large", text + "  y[i] = v;\n}\n"};
}

fs::path write_start_spec(const StartKernel& kernel, int items, const fs::path& folder) {
  value_or_throw(write_file(folder / (kernel.name + ".cl"), as_bytes(kernel.text)));
  const fs::path spec = folder / (kernel.name + ".json");
  const std::string text = fmt::format(
      R"({{"name": "{0}", "src": "{0}.cl", "workDimension": 1, "partition": 10,
  "globalWorkSize": "[{1}]", "localWorkSize": "[{2}]",
  "inputBuffers": [{{"pos": 1, "type": "float", "size": "{1}", "break": 1}}],
  "ioBuffers": [{{"pos": 2, "type": "float", "size": "{1}", "break": 1}}],
  "varArguments": [{{"pos": 0, "type": "float", "value": 2}},
                   {{"pos": 3, "type": "int", "value": {1}}}]}}
)",
      kernel.name, items, kStartLocal);
  value_or_throw(write_file(spec, as_bytes(text)));
  return spec;
}

}  // namespace kiln::bench
