#include "device/pinned_workers.hpp"

#include <sched.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "base/os/environment.hpp"

namespace kiln {
namespace {

using Clock = std::chrono::steady_clock;

/// What the functions share; the last to let go of it deletes it.
struct Meeting {
  enum class Purpose { look, pin };
  Meeting(unsigned functions, std::chrono::milliseconds wait, Purpose what)
      : expected(functions), purpose(what), patience(wait) {}
  const unsigned expected;
  const Purpose purpose;
  const std::thread::id caller = std::this_thread::get_id();
  /// How long a thread waits for the others to arrive, so that none takes two of the functions.
  const std::chrono::milliseconds patience;
  std::atomic<unsigned> arrived{0};
  std::mutex mutex;
  std::set<std::thread::id> threads;  ///< that functions ran on
};

/// Takes the next core of those that the thread may use, counted over all of the process's threads
/// that were pinned here.
void pin_this_thread(unsigned threads) {
  static std::atomic<unsigned> pinned{0};
  static thread_local bool is_pinned = false;
  if (is_pinned) return;
  is_pinned = true;
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  const auto cores = static_cast<unsigned>(CPU_COUNT(&allowed));
  if (cores < threads || cores < 2) return;
  unsigned skip = pinned++ % cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed) && skip-- == 0) {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(core, &one);
      ::sched_setaffinity(0, sizeof one, &one);  // a hint: what it refuses is left
      return;
    }
}

void CL_CALLBACK meet(void* argument) {
  const std::unique_ptr<std::shared_ptr<Meeting>> own(
      *static_cast<std::shared_ptr<Meeting>**>(argument));
  Meeting& meeting = **own;
  const auto thread = std::this_thread::get_id();
  {
    const std::lock_guard lock(meeting.mutex);
    meeting.threads.insert(thread);
  }
  // Not the application's: some drivers run functions on the thread that waits for them.
  if (meeting.purpose == Meeting::Purpose::pin && thread != meeting.caller)
    pin_this_thread(meeting.expected);
  ++meeting.arrived;
  const auto end = Clock::now() + meeting.patience;
  while (meeting.arrived < meeting.expected && Clock::now() < end) std::this_thread::yield();
}

/// Whether it is the first time in this process; sub-devices share their parent's threads, but
/// each is served by some of them only.
bool is_first(cl_device_id device) {
  static std::mutex mutex;
  static std::set<cl_device_id> seen;
  const std::lock_guard lock(mutex);
  return seen.insert(device).second;
}

/// Has as many functions run as the device has threads, and waits a while for their end.
std::shared_ptr<Meeting> gather(const Context& context, const DevicePtr& device,
                                std::chrono::milliseconds patience, Meeting::Purpose purpose) {
  const cl::CommandQueue queue(context.cl(), device->handle, cl::QueueProperties::OutOfOrder);
  const auto meeting = std::make_shared<Meeting>(device->compute_units, patience, purpose);
  std::vector<cl::Event> ends(meeting->expected);
  for (auto& end : ends) {
    auto own = std::make_unique<std::shared_ptr<Meeting>>(meeting);
    auto* argument = own.get();
    cl_event event = nullptr;
    check_cl(::clEnqueueNativeKernel(queue(), meet, &argument, sizeof argument, 0, nullptr, nullptr,
                                     0, nullptr, &event),
             "clEnqueueNativeKernel");
    static_cast<void>(own.release());  // the function's from here on
    end = cl::Event(event);
  }
  queue.flush();
  const auto until = Clock::now() + 2 * patience;
  for (const auto& end : ends)
    while (end.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() > CL_COMPLETE && Clock::now() < until)
      std::this_thread::yield();
  retire_queue(queue, device);
  return meeting;
}

}  // namespace

bool has_workers_to_pin(const Device& device) {
  if (!device.pocl || device.type != Device::Type::cpu || device.compute_units < 2) return false;
  const auto can = device.handle.getInfo<CL_DEVICE_EXECUTION_CAPABILITIES>();
  return is_on("KILN_PIN") && (can & CL_EXEC_NATIVE_KERNEL) != 0;
}

WorkersSeen look_at_workers(const Context& context, const DevicePtr& device,
                            std::chrono::milliseconds patience) {
  const auto meeting = gather(context, device, patience, Meeting::Purpose::look);
  const std::lock_guard lock(meeting->mutex);
  return {static_cast<unsigned>(meeting->threads.size()),
          meeting->threads.contains(meeting->caller)};
}

void pin_workers(const Context& context, const DevicePtr& device,
                 std::chrono::milliseconds patience) {
  if (!has_workers_to_pin(*device) || !is_first(device->handle())) return;
  try {
    gather(context, device, patience, Meeting::Purpose::pin);
  } catch (const std::exception&) {
    // The threads stay where they are: slower at times, and as right as before.
  }
}

}  // namespace kiln
