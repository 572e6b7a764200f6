// Before PoCL's LLVM in a process' look-up order: LLVM asks the processor, and hears that it has
// no AVX-512. So PoCL makes a device of AVX2 of any x86-64 processor that has it.
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>

namespace {

/// How LLVM's StringMap<bool> lies in memory (llvm/ADT/StringMap.h, the same in LLVM 11 to 15).
struct Features {
  char** entries;
  unsigned count;
};
constexpr std::size_t value_at = 8, key_at = 16;  ///< of an entry

constexpr const char* asked =
    "_ZN4llvm3sys18getHostCPUFeaturesERNS_9StringMapIbNS_15MallocAllocatorEEE";

/// LLVM's own, of the library that the process has loaded.
void* original() {
  for (const char* library : {"libLLVM-15.so.1", "libLLVM-14.so.1"})
    if (void* loaded = ::dlopen(library, RTLD_NOLOAD | RTLD_LAZY)) return ::dlsym(loaded, asked);
  return nullptr;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) bool
_ZN4llvm3sys18getHostCPUFeaturesERNS_9StringMapIbNS_15MallocAllocatorEEE(Features& features) {
  auto* ask = reinterpret_cast<bool (*)(Features&)>(original());
  if (ask == nullptr || !ask(features)) return false;
  for (unsigned i = 0; i < features.count; ++i) {
    char* entry = features.entries[i];
    // Nothing, or the mark of what was removed.
    if (entry == nullptr || reinterpret_cast<std::intptr_t>(entry) < 0) continue;
    if (std::strncmp(entry + key_at, "avx512", 6) == 0) entry[value_at] = 0;
  }
  return true;
}
