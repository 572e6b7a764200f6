#pragma once

#include <pthread.h>
#include <signal.h>

#include <cstddef>
#include <new>
#include <string>
#include <utility>

#include "kiln/error.hpp"

/// Living in an application's process: objects that were moved from, the end of the process,
/// threads other than the application's own.
namespace kiln {

/// The state that an object of the public API points to. Throws Error (bad_input) where there is
/// none, because the object was moved from; `what` is its class.
template <class Pointer>
auto& held(const Pointer& state, const char* what) {
  if (!state)
    throw Error(Errc::bad_input, std::string("the ") + what +
                                     " was moved from; use the object that it was moved to");
  return *state;
}

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

/// While it lives, this thread takes no signals, and the threads that it starts never do: an
/// application's handlers are written for the application's own threads.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace kiln
