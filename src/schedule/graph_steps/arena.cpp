#include "schedule/graph_steps/arena.hpp"

#include <algorithm>
#include <utility>

namespace kiln::graph {

void Arena::join(Users& to, const Users& from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (std::size_t queue = 0; queue < from.size(); ++queue)
    to[queue] = std::max(to[queue], from[queue]);
}

std::optional<Arena::Block> Arena::take(std::size_t wanted, const Users& known, std::size_t roomy) {
  const std::size_t bytes = rounded(std::max<std::size_t>(wanted, 1));
  const auto makes_wait = [&](const Free& block) {
    for (std::size_t queue = 0; queue < block.users.size(); ++queue)
      if (block.users[queue] > (queue < known.size() ? known[queue] : 0)) return true;
    return false;
  };
  auto best = free_.end();
  bool best_waits = true;
  for (auto block = free_.begin(); block != free_.end(); ++block) {
    if (block->second.bytes < bytes) continue;
    const bool waits = makes_wait(block->second);
    if (best == free_.end() ||
        std::pair(waits, block->second.bytes) < std::pair(best_waits, best->second.bytes)) {
      best = block;
      best_waits = waits;
    }
  }
  const std::size_t most = std::min(limit_, roomy);
  if (best_waits && bytes <= most && end_ <= most - bytes) {
    const Block fresh{end_, bytes, {}};
    end_ += bytes;
    used_ += bytes;
    peak_ = std::max(peak_, used_);
    return fresh;
  }
  Block found;
  if (best != free_.end()) {
    found = {best->first, bytes, best->second.users};
    Free rest{best->second.bytes - bytes, std::move(best->second.users)};
    free_.erase(best);
    if (rest.bytes > 0) free_.emplace(found.offset + bytes, std::move(rest));
  } else {
    // A free block at the end needs only what it lacks.
    auto last = free_.empty() ? free_.end() : std::prev(free_.end());
    const bool grows = last != free_.end() && last->first + last->second.bytes == end_;
    const std::size_t offset = grows ? last->first : end_;
    if (bytes > limit_ || offset > limit_ - bytes) return std::nullopt;
    found = {offset, bytes, {}};
    if (grows) {
      found.after = std::move(last->second.users);
      free_.erase(last);
    }
    end_ = offset + bytes;
  }
  used_ += bytes;
  peak_ = std::max(peak_, used_);
  return found;
}

void Arena::free(std::size_t offset, std::size_t wanted, Users users) {
  const std::size_t bytes = rounded(std::max<std::size_t>(wanted, 1));
  used_ -= bytes;
  Free block{bytes, std::move(users)};
  auto next = free_.lower_bound(offset);
  if (next != free_.end() && offset + bytes == next->first) {
    block.bytes += next->second.bytes;
    join(block.users, next->second.users);
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second.bytes == offset) {
      before->second.bytes += block.bytes;
      join(before->second.users, block.users);
      return;
    }
  }
  free_.emplace_hint(next, offset, std::move(block));
}

}  // namespace kiln::graph
