#include <algorithm>

#include "spec/reader.hpp"

namespace kiln::spec {
namespace {

struct Placed {
  std::uint32_t position;
  std::uint32_t line;
  std::string attribute;  ///< "inputBuffers[0]"
};

/// By position; of equal ones the file's first comes first and counts as the owner.
std::vector<Placed> all_arguments(const Spec& spec) {
  std::vector<Placed> placed;
  const auto add = [&](const auto& argument, const Formula& formula) {
    placed.push_back({argument.position, argument.line,
                      formula.attribute.substr(0, formula.attribute.rfind('.'))});
  };
  for (const auto& buffer : spec.buffers) add(buffer, buffer.size);
  for (const auto& var : spec.var_arguments) add(var, var.value);
  for (const auto& local : spec.local_arguments) add(local, local.size);
  std::stable_sort(placed.begin(), placed.end(),
                   [](const Placed& a, const Placed& b) { return a.position < b.position; });
  return placed;
}

}  // namespace

// A gap is an error though the original loads such files: the launch then fails with an argument
// that was never set, and the driver cannot say which line of which file is to blame.
void check_positions(const Spec& spec, Reader& reader) {
  const auto placed = all_arguments(spec);
  const auto report = [&](Message::Severity severity, const Placed& at, std::string text) {
    reader.add({severity, reader.file(), at.line, 0, at.attribute + ".pos", std::move(text)});
  };
  if (placed.empty()) {
    reader.warning(0, "", "the specification lists no kernel arguments");
    return;
  }
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const auto& here = placed[i];
    if (i > 0 && here.position == placed[i - 1].position) {
      report(Message::Severity::error, here,
             "found position " + std::to_string(here.position) + ", which " +
                 placed[i - 1].attribute + " has too, expected each position once");
    } else if (here.position > next) {
      report(Message::Severity::error, here,
             "found position " + std::to_string(here.position) + ", expected " +
                 std::to_string(next) + " first: no argument has that position");
    }
    next = here.position + 1;
  }
}

}  // namespace kiln::spec
