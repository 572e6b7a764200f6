#pragma once

#include <sys/mman.h>

#include <new>

namespace kiln::testing {

/// A value that this process and its forked children share.
template <class T>
class SharedPage {
 public:
  SharedPage()
      : value_(new (::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                           -1, 0)) T) {}
  SharedPage(const SharedPage&) = delete;
  SharedPage& operator=(const SharedPage&) = delete;
  ~SharedPage() { ::munmap(value_, sizeof(T)); }
  T* operator->() { return value_; }

 private:
  T* value_;
};

}  // namespace kiln::testing
