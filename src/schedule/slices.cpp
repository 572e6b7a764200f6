#include "schedule/slices.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "schedule/co_run.hpp"

namespace kiln {
namespace {

/// A Job over memory of its own, in which outputs begin as given too.
class Trial {
 public:
  explicit Trial(const Job& job) : job_(job), memory_(job.arguments.size()) {
    for (std::size_t i = 0; i < job_.arguments.size(); ++i) {
      auto* buffer = std::get_if<BufferArgument>(&job_.arguments[i]);
      if (buffer == nullptr) continue;
      memory_[i] = HostArray(buffer->data.size());
      if (buffer->access != BufferArgument::Access::out)
        std::memcpy(memory_[i].data(), buffer->data.data(), buffer->data.size());
      else
        buffer->access = BufferArgument::Access::inout;
      buffer->data = memory_[i].span();
    }
  }

  /// Puts other values outside the range: the buffer's own, moved by some elements, so that an
  /// index among them stays an index; where all are equal, as in an output, a pattern.
  void poison(std::size_t argument, const ByteRange& keep) {
    auto bytes = memory_[argument].span();
    const HostArray before = [&] {
      HostArray copy(bytes.size());
      std::memcpy(copy.data(), bytes.data(), bytes.size());
      return copy;
    }();
    const auto& buffer = std::get<BufferArgument>(job_.arguments[argument]);
    const std::size_t shift = 7 * std::max<std::size_t>(buffer.element_bytes, 1) % bytes.size();
    const bool uniform =
        std::all_of(bytes.begin(), bytes.end(), [&](std::byte b) { return b == bytes.front(); });
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      if (at >= keep.begin && at < keep.end) continue;
      bytes[at] = uniform ? std::byte{0x5a} : before.data()[(at + shift) % bytes.size()];
    }
  }

  void run(Resolver& resolver, const Queue& queue, const Part& part) {
    before_.clear();
    for (const auto& memory : memory_)
      before_.emplace_back(memory.view().begin(), memory.view().end());
    CoRun run(resolver, {queue}, job_, {});
    run.run_part(part);
  }
  ByteView now(std::size_t argument) const { return memory_[argument].view(); }
  ByteView before(std::size_t argument) const { return before_[argument]; }
  const Job& job() const { return job_; }

 private:
  Job job_;
  std::vector<HostArray> memory_;
  std::vector<Bytes> before_;
};

bool equal(ByteView a, ByteView b) { return std::ranges::equal(a, b); }

/// Whether the poisoned trial did within the slice what the clean one did, and nothing outside.
bool agrees(const Trial& clean, const Trial& poisoned, std::size_t sliced, const ByteRange& range) {
  for (std::size_t i = 0; i < clean.job().arguments.size(); ++i) {
    const auto* buffer = std::get_if<BufferArgument>(&clean.job().arguments[i]);
    if (buffer == nullptr || buffer->access == BufferArgument::Access::in) continue;
    if (i != sliced) {
      if (!equal(clean.now(i), poisoned.now(i))) return false;
      continue;
    }
    const auto inside = [&](ByteView all) { return all.subspan(range.begin, range.size()); };
    const auto ahead = [&](ByteView all) { return all.first(range.begin); };
    const auto behind = [&](ByteView all) { return all.subspan(range.end); };
    if (!equal(inside(clean.now(i)), inside(poisoned.now(i))) ||
        !equal(ahead(poisoned.before(i)), ahead(poisoned.now(i))) ||
        !equal(behind(poisoned.before(i)), behind(poisoned.now(i))))
      return false;
  }
  return true;
}

bool needs_only_its_slice(Resolver& resolver, const Queue& queue, const Job& job,
                          std::size_t argument, const Part& part, const Trial& clean) {
  const auto range =
      slice_of(std::get<BufferArgument>(job.arguments[argument]), part, groups_of(job.range));
  if (!range) return false;
  Trial poisoned(job);
  poisoned.poison(argument, *range);
  poisoned.run(resolver, queue, part);
  return agrees(clean, poisoned, argument, *range);
}

}  // namespace

std::optional<ByteRange> slice_of(const BufferArgument& buffer, const Part& part,
                                  std::size_t groups) {
  const std::size_t size = buffer.data.size();
  // size * group / groups, exactly and without overflow: both are reduced first.
  const std::size_t common = std::gcd(size, groups);
  const auto at = [&](std::size_t group) -> std::optional<std::size_t> {
    const std::size_t step = groups / common;
    if (group % step != 0) return {};
    const std::size_t byte = size / common * (group / step);
    const std::size_t element = std::max<std::size_t>(buffer.element_bytes, 1);
    return byte % element == 0 ? std::optional(byte) : std::nullopt;
  };
  const auto begin = at(part.begin), end = at(part.end);
  if (!begin || !end) return {};
  return ByteRange{*begin, *end};
}

Slices prove_slices(Resolver& resolver, const Queue& queue, const Job& job,
                    const std::vector<Part>& parts) {
  Slices slices;
  slices.sliced.assign(job.arguments.size(), false);
  for (std::size_t i = 0; i < job.arguments.size(); ++i)
    if (const auto* buffer = std::get_if<BufferArgument>(&job.arguments[i]))
      slices.sliced[i] = buffer->may_slice;
  for (const auto& part : parts) {
    if (part.empty()) continue;
    Trial clean(job);
    clean.run(resolver, queue, part);
    for (std::size_t i = 0; i < slices.sliced.size(); ++i)
      if (slices.sliced[i])
        slices.sliced[i] = needs_only_its_slice(resolver, queue, job, i, part, clean);
    slices.cuts.insert({part.begin, part.end});
  }
  return slices;
}

}  // namespace kiln
