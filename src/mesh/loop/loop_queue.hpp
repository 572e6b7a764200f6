#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mesh/model/session.hpp"

namespace kiln::mesh {

class PreparedLoop;

/// The loops of a Mesh: those that were called before, ready to run again, and those that wait.
/// Loops wait until what they write is asked for; then they and what they depend on run, in
/// the order of the calls, and the others go on waiting. One thread.
class LoopQueue {
 public:
  LoopQueue();
  ~LoopQueue();
  LoopQueue(const LoopQueue&) = delete;
  LoopQueue& operator=(const LoopQueue&) = delete;

  /// The loop that was prepared for these, or nullptr. No allocation, no lock.
  PreparedLoop* find(const Kernel& kernel, const Iteration& over,
                     std::span<const Arg> arguments) const noexcept;
  /// Keeps one; where there are more than `most` then, those go that were called longest ago. (Of
  /// those that wait none goes: where all do, they run.)
  PreparedLoop& add(std::unique_ptr<PreparedLoop> loop, std::size_t most);

  /// Appends one; runs all where more than `most` wait.
  void push(PreparedLoop& loop, std::size_t most);

  /// As Session's functions of these names.
  using For = Session::For;
  /// `in_order`: with all that was called before the last one that is needed, so that loops run in
  /// the order of their calls: those of a Mesh in parts meet others' there.
  void run_for(const void* state, For what, bool in_order);
  void run_all();
  std::string users_of(const void* state) const;
  bool forget_loops(const void* state, bool in_order);
  /// Loops that were forgotten have no places any more.
  void clear_places() { gone_.clear(); }

  std::size_t waiting() const { return waiting_.size(); }

  const std::vector<std::unique_ptr<PreparedLoop>>& all() const { return loops_; }
  /// What loops did that were forgotten since, those of one name and form as one.
  const std::vector<LoopReport>& past() const { return past_; }
  void clear_past() { past_.clear(); }

 private:
  void make_room(std::size_t most);
  void rebuild();
  void remember(const LoopReport& report);
  std::vector<std::unique_ptr<PreparedLoop>> loops_;
  std::vector<LoopReport> past_;
  std::vector<PreparedLoop*> table_;  ///< open addressing by hash; a power of two
  std::vector<PreparedLoop*> waiting_;
  /// Of a Mesh in parts: when loops that are forgotten were called last. They keep their places
  /// until they would have gone for being old: what goes sooner on one part than on another must
  /// not decide on which loops are prepared anew, which all parts do together.
  std::vector<std::uint64_t> gone_;
  std::uint64_t calls_ = 0;
};

}  // namespace kiln::mesh
