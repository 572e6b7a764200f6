// The reader of call records on arbitrary bytes: one line of error, or calls that can be written
// and read again.
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "kernel/calls/recorded_call.hpp"

using namespace kiln;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const RecordedCalls& calls) {
  require(!calls.calls.empty());
  double shares = 0;
  for (const auto& call : calls.calls) {
    require(call.share >= 0 && call.share <= 1.0 + 1e-9);
    require(std::isfinite(call.estimated_ns) && call.estimated_ns >= 0);
    shares += call.share;
    const auto line = recorded_line(identity_line(call), call);
    require(!line.empty() && line.back() == '\n' && line.find('\n') == line.size() - 1);
    const auto again = parse_calls(line, "again");
    require(again.has_value() && again->calls.size() == 1);
    require(identity_line(again->calls.front()) == identity_line(call));
    require(again->calls.front().count == call.count);
  }
  require(shares <= 1.0 + 1e-6);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto calls = parse_calls({reinterpret_cast<const char*>(data), size}, "calls.jsonl");
  if (!calls)
    require(calls.error().message().find('\n') == std::string::npos);
  else
    check(*calls);
  return 0;
}
