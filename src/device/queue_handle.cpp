#include "device/queue_handle.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace kiln {
namespace {

/// A word of this process's memory; nothing where the address is none. (Where the system forbids
/// the question, the handle itself has to be trusted.)
std::optional<std::uintptr_t> word_at(std::uintptr_t address) {
  if (address == 0 || address % alignof(void*) != 0) return std::nullopt;
  std::uintptr_t word = 0;
  const iovec into{&word, sizeof word};
  const iovec from{reinterpret_cast<void*>(address), sizeof word};
  if (::process_vm_readv(::getpid(), &into, 1, &from, 1, 0) == sizeof word) return word;
  if (errno == EFAULT) return std::nullopt;
  return *reinterpret_cast<const std::uintptr_t*>(address);
}

/// Where OpenCL's loader finds the driver's functions.
std::optional<std::uintptr_t> first_word(const void* object) {
  return word_at(reinterpret_cast<std::uintptr_t>(object));
}

/// Where some drivers keep an object's type, and others a number of its own.
std::optional<std::uintptr_t> second_word(const void* object) {
  return word_at(reinterpret_cast<std::uintptr_t>(object) + sizeof(std::uintptr_t));
}

template <class Value>
Value info_of(cl_command_queue queue, cl_command_queue_info what) {
  Value value{};
  const cl_int status = ::clGetCommandQueueInfo(queue, what, sizeof value, &value, nullptr);
  return status == CL_SUCCESS ? value : Value{};
}

std::vector<cl_device_id> devices_of(cl_context context) {
  std::size_t bytes = 0;
  if (::clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, nullptr, &bytes) != CL_SUCCESS) return {};
  std::vector<cl_device_id> devices(bytes / sizeof(cl_device_id));
  if (::clGetContextInfo(context, CL_CONTEXT_DEVICES, bytes, devices.data(), nullptr) != CL_SUCCESS)
    return {};
  return devices;
}

/// The second words of one driver's queues. NVIDIA's driver numbers the types of objects there: 1
/// platforms, 2 devices, 4 queues. Once known they are read without a lock.
class QueueMark {
 public:
  /// Of this driver, or free.
  bool is_of(std::uintptr_t driver) const {
    return driver_.load(std::memory_order_acquire) == driver;
  }

  /// Takes a free one for a driver. Under the lock.
  void learn(std::uintptr_t driver) {
    cl_uint count = 0;
    std::vector<cl_platform_id> platforms;
    if (::clGetPlatformIDs(0, nullptr, &count) == CL_SUCCESS) platforms.resize(count);
    if (::clGetPlatformIDs(count, platforms.data(), nullptr) != CL_SUCCESS) platforms.clear();
    for (const cl_platform_id platform : platforms) {
      if (first_word(platform) != driver ||
          ::clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr) != CL_SUCCESS)
        continue;
      const auto of_platform = second_word(platform), of_device = second_word(device_);
      if (of_platform && of_device && static_cast<std::uint32_t>(*of_platform) == 1 &&
          *of_device == *of_platform + 1)
        mark_ = *of_platform + 3;
    }
    driver_.store(driver, std::memory_order_release);
  }

  /// Whether an object with this second word is not known to be something else than a queue.
  bool admits(std::uintptr_t word) const {
    const auto mark = mark_.load(std::memory_order_acquire);
    return mark == 0 || mark == word;
  }

  /// Makes queues to see their mark, before a handle is refused for it: slow, and done once. Under
  /// the lock.
  void prove() {
    if (std::exchange(is_proven_, true)) return;
    try {
      const cl::Device device(device_, true);
      const cl::Context context(device);
      const cl::CommandQueue first(context, device), second(context, device);
      const auto word = second_word(first());
      // Where two queues differ the word is not that of their type.
      mark_ = word && word == second_word(second()) ? *word : 0;
    } catch (const cl::Error&) {
      mark_ = 0;
    }
  }

 private:
  std::atomic<std::uintptr_t> driver_{0};
  std::atomic<std::uintptr_t> mark_{0};  ///< 0: the driver has none
  bool is_proven_ = false;
  cl_device_id device_ = nullptr;
};

/// Those of the drivers met so far, without gaps; further drivers are not asked for their marks.
constinit std::array<QueueMark, 8> marks;

bool is_excluded(std::uintptr_t driver, std::uintptr_t word) {
  const auto known = [&] {
    return std::find_if(marks.begin(), marks.end(),
                        [&](const QueueMark& mark) { return mark.is_of(driver) || mark.is_of(0); });
  };
  auto mark = known();
  if (mark == marks.end() || (mark->is_of(driver) && mark->admits(word))) return false;
  // A child that was forked from a process with drivers may have got the lock as held.
  if (is_forked_with_drivers()) return false;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  mark = known();
  if (mark == marks.end()) return false;
  if (!mark->is_of(driver)) mark->learn(driver);
  if (mark->admits(word)) return false;
  mark->prove();
  return !mark->admits(word);
}

/// What one driver's devices have in common in their memory: the words in which a device and a part
/// of it, made to see, are the same (but for a few, which count something). So a handle can be told
/// from a device's before the driver reads it as one (PoCL 6 crashes where it is none). A driver
/// that has no parts has no such devices.
class DeviceLikeness {
 public:
  explicit DeviceLikeness(cl_device_id device) : words_(words_at(device)) {
    const std::array<cl_device_partition_property, 4> one_unit{
        CL_DEVICE_PARTITION_BY_COUNTS, 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    cl_device_id part = nullptr;
    if (::clCreateSubDevices(device, one_unit.data(), 1, &part, nullptr) != CL_SUCCESS) return;
    const Words other = words_at(part);
    for (std::size_t i = 0; i < words_.size(); ++i)
      if (words_[i] != 0 && words_[i] == other[i]) common_.push_back(i);
    ::clReleaseDevice(part);
  }
  bool covers(cl_device_id handle) const {
    const Words words = words_at(handle);
    const auto same = static_cast<std::size_t>(
        std::ranges::count_if(common_, [&](std::size_t i) { return words[i] == words_[i]; }));
    return common_.size() >= fewest && same >= common_.size() - common_.size() / fewest;
  }

 private:
  static constexpr std::size_t fewest = 4;
  using Words = std::array<std::uintptr_t, 48>;
  static Words words_at(cl_device_id handle) {
    Words words{};
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto word = word_at(reinterpret_cast<std::uintptr_t>(handle) + i * sizeof words[0]);
      if (!word) break;
      words[i] = *word;
    }
    return words;
  }
  Words words_;
  std::vector<std::size_t> common_;
};

bool is_like_a_device(cl_device_id handle, const std::vector<cl_device_id>& devices) {
  static std::mutex mutex;
  static std::map<cl_device_id, DeviceLikeness> known;
  const std::lock_guard lock(mutex);
  return std::ranges::any_of(devices, [&](cl_device_id device) {
    return known.try_emplace(device, device).first->second.covers(handle);
  });
}

bool is_device_of(cl_context context, cl_device_id device, std::uintptr_t driver) {
  const std::vector<cl_device_id> devices = devices_of(context);
  // PoCL lists a sub-device's parent as the device of its context. Parts have parts.
  constexpr int deepest = 8;
  for (int depth = 0; depth < deepest && first_word(device) == driver; ++depth) {
    if (std::find(devices.begin(), devices.end(), device) != devices.end()) return true;
    cl_device_id parent = nullptr;
    if (!is_like_a_device(device, devices) ||
        ::clGetDeviceInfo(device, CL_DEVICE_PARENT_DEVICE, sizeof parent, &parent, nullptr) !=
            CL_SUCCESS)
      return false;
    device = parent;
  }
  return false;
}

}  // namespace

bool is_marked_otherwise(cl_command_queue queue) {
  const auto* const words = reinterpret_cast<const std::uintptr_t*>(queue);
  return is_excluded(words[0], words[1]);
}

bool is_queue(cl_command_queue queue) {
  const auto driver = first_word(queue);
  if (!driver || !first_word(reinterpret_cast<const void*>(*driver))) return false;
  const auto word = second_word(queue);
  if (!word || is_excluded(*driver, *word)) return false;
  auto* const context = info_of<cl_context>(queue, CL_QUEUE_CONTEXT);
  auto* device = info_of<cl_device_id>(queue, CL_QUEUE_DEVICE);
  if (first_word(context) != driver || first_word(device) != driver) return false;
  return is_device_of(context, device, *driver);
}

}  // namespace kiln
