// Compiles what another program has called, before it is started again:
//   KILN_RECORD=calls.jsonl ./vector_add && ./prebuild_calls calls.jsonl
// Shows kiln/prebuild.hpp.
#include <cstdio>
#include <kiln/prebuild.hpp>
#include <kiln/runtime.hpp>

int main(int argc, char** argv) {
  try {
    const kiln::Runtime runtime;
    const kiln::PrebuildResult result = kiln::prebuild(runtime, argc > 1 ? argv[1] : "calls.jsonl");
    for (const kiln::PrebuiltCall& call : result.calls)
      std::printf("%s %s: %s\n", call.kind.c_str(), call.name.c_str(),
                  call.failure ? call.failure->what() : "ready");
    runtime.finish();
    std::printf("%zu programs\n", result.keys.size());
  } catch (const kiln::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kiln::exit_code(error.code());
  }
}
