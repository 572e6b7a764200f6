#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/apart/job.hpp"
#include "kernel/program/program.hpp"

// Objects without code, put where PoCL would otherwise compile functions that no launch uses.
namespace kiln::apart {

/// The smallest shared object that exports PoCL's entry symbol of a kernel and holds no code.
///
/// PoCL's binary query compiles a generic function for every kernel (as long as the kernel's own
/// compile) unless its object is already in the cache folder. It only loads that object and looks
/// its symbol up, and never calls it while the archive has bitcode; so the helper plants this in
/// its place, and takes it out of the archive again. Whether a driver takes them is tried first
/// (probe.hpp).
Bytes stub_object(std::string_view kernel);

/// Variant folders that a query must not compile: the generic one of every kernel, unless it is
/// asked for, and for kernels that are not launched the variants that others asked for (the
/// driver's setting is for all).
class Stubs {
 public:
  /// `folder`: the program's, in the private cache.
  Stubs(std::filesystem::path folder, const Job& job);
  void plant(const std::vector<KernelInfo>& kernels, const Job& job);
  /// Whether a file of the archive that the driver then gives is one of these.
  bool is_stub(std::string_view path) const { return planted_.contains(std::string(path)); }

 private:
  void plant(const std::string& kernel, const std::string& variant);
  std::filesystem::path folder_;
  std::set<std::string> variants_, planted_;
};

}  // namespace kiln::apart
