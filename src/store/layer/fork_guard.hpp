#pragma once

namespace kiln {

/// Something that may not be open over fork(): the child would share its file descriptors, and a
/// child's copy of a database connection is poison (SQLite keeps track of locks per process).
///
/// While one is registered, fork() in any thread first calls before_fork() on all, and afterwards,
/// in parent and child, after_fork(). posix_spawn() and vfork() call neither: what they start
/// closes its descriptors by close-on-exec.
class ForkGuarded {
 public:
  ForkGuarded(const ForkGuarded&) = delete;
  ForkGuarded& operator=(const ForkGuarded&) = delete;

  /// Waits until no thread is inside, closes everything, and keeps the others out.
  virtual void before_fork() = 0;
  /// Lets them in again.
  virtual void after_fork() = 0;

 protected:
  ForkGuarded() = default;
  virtual ~ForkGuarded() = default;
  /// Call at the end of the constructor, and at the start of the destructor, of the final class.
  void watch();
  void unwatch();
};

}  // namespace kiln
