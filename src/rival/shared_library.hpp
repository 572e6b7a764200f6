#pragma once

#include <memory>
#include <string>

namespace kiln::rival {

/// A library that is loaded while it is measured: nothing of Kiln links it, and where it is absent
/// whoever measures says so.
class SharedLibrary {
 public:
  /// The first of the names that can be loaded.
  explicit SharedLibrary(std::initializer_list<const char*> names);
  bool present() const { return handle_ != nullptr; }
  bool has(const std::string& name) const;
  /// The address of a function; throws Error (unsupported) where there is none.
  template <class Function>
  Function* function(const std::string& name) const {
    return reinterpret_cast<Function*>(address(name));
  }

 private:
  void* address(const std::string& name) const;
  std::shared_ptr<void> handle_;
};

}  // namespace kiln::rival
