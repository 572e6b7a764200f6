#pragma once

#include <memory>
#include <string>

namespace kiln::bench {

/// A rival's library, loaded while it is measured: nothing of Kiln links it, and where it is absent
/// its bars say so.
class SharedLibrary {
 public:
  /// The first of the names that can be loaded.
  explicit SharedLibrary(std::initializer_list<const char*> names);
  bool present() const { return handle_ != nullptr; }
  /// The address of a function; throws std::runtime_error where there is none.
  template <class Function>
  Function* function(const std::string& name) const {
    return reinterpret_cast<Function*>(address(name));
  }

 private:
  void* address(const std::string& name) const;
  std::shared_ptr<void> handle_;
};

}  // namespace kiln::bench
