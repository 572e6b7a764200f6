#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace kiln {

/// A static object whose destructor never runs, since others may use it while the process ends, or
/// what it would release may be gone by then. Its memory is the library's own, so that a program
/// which loads and unloads the library again and again does not lose it each time; what the object
/// holds elsewhere is lost with it.
template <class T>
class NeverDestroyed {
 public:
  template <class... Arguments>
  explicit NeverDestroyed(Arguments&&... arguments)
      : object_(new (static_cast<void*>(memory_)) T(std::forward<Arguments>(arguments)...)) {}
  NeverDestroyed(const NeverDestroyed&) = delete;
  NeverDestroyed& operator=(const NeverDestroyed&) = delete;
  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }

 private:
  alignas(T) std::byte memory_[sizeof(T)];
  T* object_;
};

}  // namespace kiln
