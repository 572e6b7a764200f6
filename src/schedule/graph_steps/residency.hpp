#pragma once

#include <optional>
#include <vector>

#include "schedule/graph/problem.hpp"
#include "schedule/graph_steps/arena.hpp"
#include "schedule/graph_work/graph_devices.hpp"
#include "schedule/graph_work/work_graph.hpp"

namespace kiln::graph {

/// Which values are where, in the order in which commands are made: who has current copies, which
/// bytes of which memory they take, and who uses those bytes. Numbers only: handles are made of
/// Places when all is known.
class Residency {
 public:
  using Users = Arena::Users;

  /// Bytes of a memory that one value has.
  struct Place {
    enum class Kind : std::uint8_t { absent, arena, input, result, array };
    Kind kind = Kind::absent;
    std::uint32_t memory = 0;
    std::uint32_t chunk =
        0;  ///< of arenas: a memory may need several, since allocations have a limit
    std::uint32_t index = 0;  ///< of the result or the Array
    std::size_t offset = 0, bytes = 0;
  };

  /// `roomy`: by memory, bytes up to which values get bytes of their own before those of others
  /// that have to be waited for; the host's memory has more of them.
  Residency(const WorkGraph& work, const GraphDevices& devices, std::size_t memory_limit,
            std::vector<std::size_t> roomy);

  bool is_current(ValueId value, std::uint32_t memory) const { return copy(value, memory).current; }
  /// A memory with a current copy, the host's before others; none: no step has made it yet.
  std::uint32_t source_of(ValueId value) const;
  const Place& place(ValueId value, std::uint32_t memory) const {
    return copy(value, memory).place;
  }
  /// The step that made a copy current; 0: it is there when a run begins.
  std::uint32_t ready(ValueId value, std::uint32_t memory) const {
    return copy(value, memory).ready;
  }

  /// Gives a value memory for a copy that a queue makes, where it has none; nothing where there is
  /// no room. Result: the steps that used these bytes before, as few as can be beyond `known` (by
  /// queue, the last step that the queue comes after).
  std::optional<Users> give_place(ValueId value, std::uint32_t memory, std::uint32_t queue,
                                  const Users& known);
  /// A value takes the bytes of its base there; the base's copy is gone. Result: who used them.
  Users take_over(ValueId value, std::uint32_t memory);
  /// The same while the base's copy stays, too, until take_over_shared(): tasks that change some of
  /// the bytes each start from it.
  Users share(ValueId value, std::uint32_t memory);
  void take_over_shared(ValueId value, std::uint32_t memory);
  /// A copy is current from this step on; 0: see ready().
  void set_current(ValueId value, std::uint32_t memory, std::uint32_t step);
  /// A step works on a copy: whoever gets its bytes next comes after it.
  void note_use(ValueId value, std::uint32_t memory, std::uint32_t queue, std::uint32_t step);
  /// The bytes of all copies are free for others.
  void drop(ValueId value);
  /// The same of one copy.
  void drop_copy(ValueId value, std::uint32_t memory);

  const std::vector<std::vector<Arena>>& arenas() const { return arenas_; }
  std::uint32_t result_of(ValueId value) const { return home_[value]; }
  std::size_t results() const { return results_; }
  /// Values that have bytes of an arena of this memory.
  const std::vector<ValueId>& residents(std::uint32_t memory) const { return residents_[memory]; }

 private:
  struct Copy {
    Place place;
    bool current = false;
    std::uint32_t ready = 0;
    Users users;
  };
  Copy& copy(ValueId value, std::uint32_t memory) { return copies_[value * memories_ + memory]; }
  const Copy& copy(ValueId value, std::uint32_t memory) const {
    return copies_[value * memories_ + memory];
  }
  Users& users_of(ValueId value, std::uint32_t memory);
  void keep_place(ValueId value, const Place& place);
  void leave(ValueId value, std::uint32_t memory);

  const WorkGraph& work_;
  std::size_t memories_;
  std::vector<Copy> copies_;
  std::vector<Users> array_users_;   ///< by Array and memory: its values have one place
  std::vector<std::uint32_t> home_;  ///< by value: the result in whose memory it is; none
  std::size_t results_ = 0;
  std::vector<std::vector<Arena>> arenas_;  ///< by memory
  std::vector<std::size_t> chunk_limit_, limit_, alignment_, roomy_;
  std::vector<std::vector<ValueId>> residents_;
};

/// By memory, the most bytes of a graph's values that are live at a time, by a timetable's times:
/// from the begin of the first task to the end of the last one that has to do with them there. The
/// host's memory counts nothing.
std::vector<std::size_t> most_live_bytes(const WorkGraph& work, const Timetable& timetable,
                                         const GraphDevices& devices);

}  // namespace kiln::graph
