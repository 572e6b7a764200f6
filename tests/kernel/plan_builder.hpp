#pragma once

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "kernel/program/plan.hpp"

namespace kiln::testing {

/// Collects arrays and makes a Plan of copies of them.
class PlanBuilder {
 public:
  template <class T>
  PlanBuilder& add(std::string name, std::span<const T> values) {
    parts_.push_back({std::move(name), std::as_bytes(values)});
    return *this;
  }
  /// The views given to add() must still be valid.
  PlanPtr build() const {
    std::vector<PlanDraft::Array> arrays;
    for (const auto& part : parts_) arrays.push_back({part.name, part.bytes.size()});
    PlanDraft draft(arrays);
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (!parts_[i].bytes.empty())
        std::memcpy(draft.bytes(i).data(), parts_[i].bytes.data(), parts_[i].bytes.size());
    return draft.finish();
  }

 private:
  struct Part {
    std::string name;
    ByteView bytes;
  };
  std::vector<Part> parts_;
};

}  // namespace kiln::testing
