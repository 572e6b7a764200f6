// The version, and what there is to run on: for each device what `kiln devices --json` prints.
// Shows kiln/version.hpp, kiln/json.hpp.
#include <cstdio>
#include <kiln/json.hpp>
#include <kiln/runtime.hpp>
#include <kiln/version.hpp>

int main() {
  try {
    const kiln::Runtime runtime({.store = "off"});
    for (const kiln::DeviceInfo& device : runtime.devices())
      std::printf("%s\n", kiln::json_of(device).c_str());
    std::printf("libkiln %.*s\n", static_cast<int>(kiln::version().size()), kiln::version().data());
  } catch (const kiln::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kiln::exit_code(error.code());
  }
}
