// Any bytes as a search on record: refused with one line, or a search that can be written, read
// again as the same, and shown.

#include "tune/records/kept_run.hpp"

#include <cstdlib>

using namespace kiln;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto kept =
      tune::read_kept_run(as_text(ByteView(reinterpret_cast<const std::byte*>(data), size)));
  if (!kept) {
    require(kept.error().message().find('\n') == std::string::npos);
    return 0;
  }
  for (const auto& evaluation : kept->run.evaluations) (void)kept->run.text(evaluation);
  const std::string json = tune::kept_json_of(*kept);
  const auto again = tune::read_kept_run(json);
  require(again.has_value());
  require(tune::kept_json_of(*again) == json);
  const auto less = tune::bounded(kept->run, 2);
  require(less.evaluations.size() <= 2);
  return 0;
}
