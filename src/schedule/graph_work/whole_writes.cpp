#include "schedule/graph_work/whole_writes.hpp"

#include "base/data/byte_fields.hpp"
#include "base/log.hpp"
#include "store/key/canonical.hpp"

namespace kiln::graph {
namespace {

constexpr std::uint32_t writes_schema = 1;

constexpr auto writes_fields = [](auto& to, auto& writes_all) {
  to.list("uses", writes_all, 1, [&](auto& whole) { to.field("whole", whole); });
};

}  // namespace

WholeWrites::Known& WholeWrites::known(const Work& work) {
  Known*& known = of_[&work];
  if (known != nullptr) return *known;
  const Bytes identity = work.writes_identity();
  const auto [found, is_new] = all_.try_emplace(identity);
  known = &found->second;
  if (!is_new || resolver_.store() == nullptr) return *known;
  const auto lookup = resolver_.store()->get(Kind::record, key_of(identity), identity);
  if (!lookup.entry || lookup.entry->metadata.schema != writes_schema) return *known;
  const auto stored =
      read_by<std::vector<bool>>(writes_fields, lookup.entry->content, "whole writes");
  if (stored && stored->size() == work.uses().size()) *known = {true, *stored};
  return *known;
}

bool WholeWrites::hold(const Work& work, std::size_t use) {
  switch (work.writes(use)) {
    case Work::Writes::whole:
      return true;
    case Work::Writes::same: {
      const Known& shown = known(work);
      return shown.is_known && shown.writes_all[use];
    }
    case Work::Writes::unknown:
      break;
  }
  return false;
}

bool WholeWrites::lacks(const Work& work) {
  bool may_be_shown = false;
  for (std::size_t use = 0; use < work.uses().size(); ++use) {
    const Access access = work.uses()[use].access;
    // Run twice, it would change twice what it reads and writes.
    if (access == Access::inout) return false;
    may_be_shown |= access == Access::out && work.writes(use) == Work::Writes::same;
  }
  return may_be_shown && !known(work).is_known;
}

void WholeWrites::learn(const Work& work, const std::vector<bool>& writes_all) {
  known(work) = {true, writes_all};
  if (resolver_.store() == nullptr) return;
  const Bytes identity = work.writes_identity();
  const auto kept = resolver_.store()->put(Kind::record, key_of(identity), identity,
                                           bytes_by(writes_fields, writes_all),
                                           {writes_schema, work.name(), "", 0});
  if (!kept) log(LogLevel::info, "what a kernel writes is not kept: " + kept.error().message());
}

}  // namespace kiln::graph
