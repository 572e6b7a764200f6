#pragma once

#include <string>

namespace kiln::spec::testing {

/// A whole tuning problem: B = FACTOR A, N elements a work-item.
inline const std::string t1_problem = R"({
  "General": {"BenchmarkName": "scale", "OutputFormat": "JSON"},
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "N", "Type": "int", "Values": "[1, 2, 3, 4]", "Default": 2},
      {"Name": "GROUP", "Type": "uint", "Values": "[8, 16]", "Default": 8},
      {"Name": "MODE", "Type": "bool", "Values": "[False, True]", "Default": false}
    ],
    "Conditions": [{"Expression": "64 % (N * GROUP) == 0", "Parameters": ["N", "GROUP"]}]
  },
  "KernelSpecification": {
    "Language": "OpenCL", "KernelName": "scale", "KernelFile": "scale.cl",
    "CompilerOptions": ["-D FACTOR=3"], "ProblemSize": [64],
    "GlobalSizeType": "OpenCL",
    "GlobalSize": {"X": "ProblemSize[0] // N"},
    "LocalSize": {"X": "GROUP"},
    "Arguments": [
      {"Name": "a", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly",
       "Size": "ProblemSize[0]", "FillType": "Random", "FillValue": 5.0},
      {"Name": "b", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly",
       "Size": "max(N) * 16", "FillType": "Constant", "FillValue": -1.0},
      {"Name": "shift", "Type": "int32", "MemoryType": "Scalar", "FillValue": 4},
      {"Name": "tile", "Type": "float", "MemoryType": "Local", "Size": "GROUP"}
    ]
  }
})";

/// With MODE it is wrong; N 4 writes nothing at all.
inline const std::string t1_source = R"(
kernel void scale(global const float* a, global float* b, int shift, local float* tile) {
  for (int i = (int)get_global_id(0) * N; i < ((int)get_global_id(0) + 1) * N; ++i)
    if (N != 4) b[i] = FACTOR * a[i] + shift + (MODE ? 1 : 0);
}
)";

}  // namespace kiln::spec::testing
