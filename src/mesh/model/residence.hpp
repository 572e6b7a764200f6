#pragma once

#include <optional>

#include "device/array_storage.hpp"
#include "kiln/mesh/types.hpp"

namespace kiln::mesh {

/// Numbers on the host and on a device: an ArrayStorage that one queue uses. On the
/// host they lie element by element, on the device as the layout says. Where the device works in
/// the host's memory and the layouts agree there is one copy. One thread at a time.
class Residence {
 public:
  struct Form {
    ScalarType type = ScalarType::f64;
    std::size_t elements = 0, dim = 1;
    DataLayout layout = DataLayout::aos;
  };
  /// Zeros. Throws unsupported where they are more than the host's memory holds.
  explicit Residence(const Form& form);
  /// In a buffer of the application, from a byte on. Throws bad_input where it does not fit.
  Residence(const Form& form, cl_mem memory, std::size_t offset, const Queue& queue);

  const Form& form() const { return form_; }
  std::size_t bytes() const { return form_.elements * form_.dim * size_of(form_.type); }

  /// The host's copy as it is now, for whatever makes this.
  HostArray& initial() { return by_element_ ? *by_element_ : data_.host(); }

  /// The device's copy, up to date: transfers are enqueued. Two loads where nothing is to be done.
  cl_mem on_device(const Queue& queue) {
    if (is_host_newer_) [[unlikely]]
      transpose_to_device();
    return data_.on_queue(queue);
  }
  /// The same for commands of others, who may write it and keep the buffer.
  cl_mem lend(const Queue& queue);
  /// A kernel that was enqueued writes it.
  void device_writes() { data_.written_on_queue(); }

  /// The host's copy, up to date; waits for the queue. `to_write`: it is the newer one from now on.
  std::byte* on_host(const Queue& queue, bool to_write);

  /// Where the device works in the host's memory: that memory, in the device's order, after all
  /// that was enqueued; null elsewhere. `was_written()` says that the host wrote some of it.
  std::byte* shared(const Queue& queue);
  /// The same memory, whoever uses it meanwhile.
  std::byte* shared_memory() { return data_.host().data(); }
  void was_written() { is_host_older_ = by_element_.has_value(); }
  /// Whether shared() gives memory, once on_device() was called.
  bool is_shared() const { return data_.is_shared_with_queue(); }

  /// New values for all of it, `bytes()` of them in the host's order. Small ones that a device has
  /// already are enqueued: nothing waits for what the device does.
  void overwrite(const Queue& queue, const void* from);

  /// The host's elements from `first` on were changed: they alone go to the device, whose others
  /// may be newer.
  void upload_from(const Queue& queue, std::size_t first);

  /// All components become one number, `from`, on the host.
  void fill(const Queue& queue, const void* from);

  /// Gives all memory back; the queue must have finished with it.
  void free();
  bool is_free() const { return is_free_; }
  /// Whether it is in a buffer of the application.
  bool is_wrapped() const { return is_wrapped_; }
  /// Whether commands may still use the memory.
  bool was_used() const { return data_.is_on_devices(); }

 private:
  void transpose_to_device();

  Form form_;
  ArrayStorage data_;  ///< in the device's order
  /// The same in the host's order, where that is another one.
  std::optional<HostArray> by_element_;
  bool is_host_newer_ = false;  ///< by_element_ is newer than data_
  bool is_host_older_ = false;  ///< or older, whatever data_ knows of its queue
  bool is_free_ = false;
  bool is_wrapped_ = false;
};

}  // namespace kiln::mesh
