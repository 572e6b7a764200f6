#pragma once

#include <string>
#include <vector>

#include "device/device.hpp"
#include "store/layer/layer.hpp"

namespace kiln::mesh {

/// What a search is trying is on record before it runs, since it runs in the process that has the
/// data: one that kills the driver takes that process along, and the next search must not fall into
/// the same hole. One search of an identity on a device writes them at a time; others meanwhile
/// only read. One thread.
class TrialNotes {
 public:
  /// `store` may be null: nothing is known then, nothing noted. `identity`: Tunable::identity().
  TrialNotes(Layer* store, const std::string& identity, const std::string& label,
             const Device& device);
  /// Ends what is being tried.
  ~TrialNotes();
  TrialNotes(const TrialNotes&) = delete;
  TrialNotes& operator=(const TrialNotes&) = delete;

  /// Configurations that were being tried when their process ended, in their own words.
  const std::vector<std::string>& fatal() const { return fatal_; }
  bool is_fatal(const std::string& configuration) const;

  /// This one is being tried from now on, and no other. It is on record when this returns.
  void begin(const std::string& configuration);
  /// None is.
  void end();

 private:
  void write();
  Layer* store_;
  Bytes canonical_;
  Metadata metadata_;
  Reservation right_;  ///< to write them: goes with the process, however that ends
  std::vector<std::string> fatal_;
  std::string trying_;
};

}  // namespace kiln::mesh
