#include "python/bars.hpp"

#include <nlohmann/json.hpp>

#include "base/os/process.hpp"
#include "spec/sandbox.hpp"

namespace kiln::bench {
namespace {

#ifndef KILN_INTERPRETER
#define KILN_INTERPRETER ""
#endif

/// One measure of bench/python/measure.py, which prints its figure as JSON.
Outcome measured(const Context& context, const char* name) {
  if (!*KILN_INTERPRETER) return not_measured("the Python package was not built");
  const Sandbox box;
  ProcessRequest request;
  request.program = KILN_INTERPRETER;
  request.arguments = {context.source / "bench/python/measure.py", name, context.binaries.string()};
  request.environment = box.environment();
  request.environment.emplace_back("HOME", box.path());
  request.environment.emplace_back("KILN_STORE", box.store());
  request.environment.emplace_back("PYTHONPATH", context.binaries.parent_path() / "python");
  // Both sides have their bytecode, as packages that are installed have.
  request.environment.emplace_back("PYTHONPYCACHEPREFIX", box.path() / "bytecode");
  request.environment.emplace_back("PYTHONDONTWRITEBYTECODE", "");
  request.environment.emplace_back("PYOP2_DEVICE", "cpu");
  request.environment.emplace_back("OMP_NUM_THREADS", "1");
  const auto result = value_or_throw(run_process(request));
  if (result.exit_code != 0 || result.signal != 0)
    return not_measured(
        result.errors.substr(result.errors.find_last_of('\n', result.errors.size() - 2) + 1));
  const auto figure = nlohmann::json::parse(result.output);
  return Figure{figure.at("value").get<double>(), figure.at("detail").get<std::string>()};
}

}  // namespace

std::vector<Bar> python_bars() {
  std::vector<Bar> bars;
  const auto add = [&](const char* name, const char* text, Holds holds, double limit,
                       const char* unit) {
    bars.push_back({std::string("python/") + name, text, holds, limit, unit,
                    [name](const Context& c) { return measured(c, name); }});
  };
  add("import", "import kiln above import numpy", Holds::at_most, 60, "ms more");
  add("par-loop-8", "a prepared par_loop, its 8 arguments made anew, until it is queued",
      Holds::at_most, 15, "us");
  add("par-loop-1", "the same with 1 argument", Holds::at_most, 5, "us");
  add("data-ro", "Dat.data_ro with nothing queued", Holds::at_most, 1, "us");
  add("call", "a prepared call of a kernel above the same in C++", Holds::at_most, 3, "us more");
  add("threads", "calls by 8 threads on one Runtime over the same in C++", Holds::at_most, 1.1,
      "x");
  add("airfoil", "a step of airfoil, 45,000 cells, over that of the C++ program", Holds::at_most,
      1.05, "x");
  add("process", "a process that runs a kernel by pyopencl, all caches warm, over one by kiln",
      Holds::at_least, 3, "x");
  add("memory-loops", "memory after 100,000 loops with fresh Dats over that after 20,000",
      Holds::at_most, 1.05, "x");
  add("memory-runtimes", "memory after 10,000 Runtimes over that after 2,000", Holds::at_most, 1.05,
      "x");
  return bars;
}

}  // namespace kiln::bench
