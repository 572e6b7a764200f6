// Readers of task graphs on arbitrary bytes: refused in one line, or a sound graph that says the
// same once it was written and read again, in each format that can hold it.
#include "kiln/formats/task_graph.hpp"

#include <algorithm>
#include <cstdlib>

using namespace kiln;
using namespace kiln::task_graph;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

bool is_one_line(const std::string& text) {
  return !text.empty() && text.find('\n') == std::string::npos;
}

/// A list has edges by the tasks that they lead to, and no order next to data: such a graph is
/// compared once it was through.
File as_list_has_it(const File& file) {
  const auto once = write_list(file);
  return once ? *parse(*once, "fuzz") : file;
}

void require_survives(const File& file, Format format) {
  const auto written = write(file, format);
  if (!written) {
    require(is_one_line(written.error().message()));
    require(format != Format::json);  // it holds everything
    return;
  }
  const auto again = parse(*written, "fuzz");
  require(again.has_value() && again->format == format && again->warnings.empty());
  require(same(*again, file));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto file = parse(text, "fuzz");
  if (!file) {
    require(is_one_line(file.error().message()) && file.error().message().size() < 5000);
    return 0;
  }
  for (const std::string& warning : file->warnings) require(is_one_line(warning));
  require(check(*file).has_value());
  require_survives(*file, Format::json);
  require_survives(*file, Format::text);
  require_survives(as_list_has_it(*file), Format::list);
  return 0;
}
