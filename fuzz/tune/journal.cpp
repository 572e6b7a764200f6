// Journals of searches on arbitrary bytes: as reports read them, and as a search that goes on does.
// Either is one line of error, or what the other finds, too.
#include "tune/search/journal.hpp"

#include <cstdlib>
#include <string>

#include "base/os/file.hpp"
#include "kernel/request/stored_record.hpp"
#include "tune/report/run.hpp"

using namespace kiln;
using namespace kiln::tune;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

template <class T>
void require_one_line(const Expected<T>& result) {
  require(result.has_value() || result.error().message().find('\n') == std::string::npos);
}

/// The space that the corpus's journals are of.
const SearchSpace& space() {
  static const SearchSpace made = value_or_throw(SearchSpace::build(
      {value_or_throw(parse_parameter("TS=8,16,32")), value_or_throw(parse_parameter("M=a,b"))},
      {}));
  return made;
}

void check(const TuningRun& run) {
  require(!run.evaluations.empty());
  for (const auto& evaluation : run.evaluations) {
    require(evaluation.positions.size() == run.parameters.size());
    for (std::size_t p = 0; p < run.parameters.size(); ++p) (void)run.value(evaluation, p);
    require(!evaluation.outcome.ok() || evaluation.outcome.time > 0);
  }
  require(run.ranked().size() <= run.evaluations.size());
  (void)run.reasons();
  (void)model_of(run.device);
  (void)t4_of(run);
  (void)json_of(std::vector{run});
  require_one_line(csv_of({run}));
}

void check_resumed(ByteView bytes) {
  static const auto folder = value_or_throw(TemporaryFolder::create("kiln-fuzz-journal"));
  const auto path = folder.path() / "j";
  value_or_throw(write_file(path, bytes));
  const Journal::Subject subject{"a kernel", "a device", "forest", 7, Journal::text_of(space())};
  const auto journal = Journal::open(path, subject, space(), Journal::Existing::resume);
  require_one_line(journal);
  if (!journal) return;
  for (const JournalEntry& entry : journal->entries()) {
    require(entry.id < space().size());
    require(!entry.report.outcome.ok() || entry.report.outcome.time > 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteView bytes(reinterpret_cast<const std::byte*>(data), size);
  const auto run = read_run(bytes, "j");
  require_one_line(run);
  if (run) check(*run);
  check_resumed(bytes);
  return 0;
}
