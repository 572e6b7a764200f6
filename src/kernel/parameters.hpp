#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace kiln {

/// The tunable part of a kernel: block sizes, vector widths, work-group shape. Named integers in
/// the order of their names, so that equal Parameters have equal canonical bytes.
class Parameters {
 public:
  Parameters() = default;
  Parameters(std::initializer_list<std::pair<const std::string, std::int64_t>> values)
      : values_(values) {}

  /// The value, or `otherwise` where the name is absent.
  std::int64_t get(const std::string& name, std::int64_t otherwise) const {
    const auto found = values_.find(name);
    return found == values_.end() ? otherwise : found->second;
  }
  void set(const std::string& name, std::int64_t value) { values_[name] = value; }
  bool empty() const { return values_.empty(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  bool operator==(const Parameters&) const = default;

 private:
  std::map<std::string, std::int64_t> values_;
};

}  // namespace kiln
