// Data with its copies on the host and a device: transfers, transposes, which copy is the newer
// one.
#include "mesh/model/residence.hpp"

#include <fmt/format.h>

#include <cstring>
#include <new>
#include <vector>

#include "base/data/bytes.hpp"
#include "device/opencl.hpp"

namespace kiln::mesh {
namespace {

template <class T>
void transpose_as(const std::byte* from, std::byte* to, std::size_t rows, std::size_t columns) {
  const auto* source = reinterpret_cast<const T*>(from);
  auto* target = reinterpret_cast<T*>(to);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < columns; ++column)
      target[column * rows + row] = source[row * columns + column];
}

HostArray memory_for(const Residence::Form& form) try {
  const auto bytes = (CheckedSize(form.elements) * form.dim * size_of(form.type)).get();
  if (!bytes) throw std::bad_alloc();
  return HostArray(*bytes);
} catch (const std::bad_alloc&) {
  throw Error(Errc::unsupported,
              fmt::format("{} elements of {} {} each are more than there is memory for",
                          form.elements, form.dim, name_of(form.type)));
}

}  // namespace

Residence::Residence(const Form& form) : form_(form), host_(memory_for(form)) {}

void Residence::transpose(const std::byte* from, std::byte* to, bool to_device) const {
  const std::size_t rows = to_device ? form_.elements : form_.dim;
  const std::size_t columns = to_device ? form_.dim : form_.elements;
  switch (size_of(form_.type)) {
    case 1:
      return transpose_as<std::uint8_t>(from, to, rows, columns);
    case 2:
      return transpose_as<std::uint16_t>(from, to, rows, columns);
    case 4:
      return transpose_as<std::uint32_t>(from, to, rows, columns);
    default:
      return transpose_as<std::uint64_t>(from, to, rows, columns);
  }
}

cl_mem Residence::make_ready(const Queue& queue) {
  refuse_after_fork();
  const bool is_shared = queue.device()->host_memory && !is_transposed();
  // A buffer of no bytes is none: loops over nothing launch nothing, but have arguments.
  if (buffer_.cl() == nullptr)
    buffer_ = make_buffer(*queue.context(), *queue.device(), is_shared ? host_.data() : nullptr,
                          std::max<std::size_t>(bytes(), 1));
  if (!buffer_.is_host_memory && bytes() > 0) {
    const std::byte* source = host_.data();
    std::vector<std::byte> transposed;
    if (is_transposed()) {
      transposed.resize(bytes());
      transpose(host_.data(), transposed.data(), true);
      source = transposed.data();
    }
    check_cl(::clEnqueueWriteBuffer(queue.cl()(), buffer_.cl(), CL_TRUE, 0, bytes(), source, 0,
                                    nullptr, nullptr),
             "clEnqueueWriteBuffer");
  }
  is_ready_ = true;
  device_newer_ = false;
  return buffer_.cl();
}

std::byte* Residence::on_host(const Queue& queue, bool to_write) {
  if (device_newer_) {
    refuse_after_fork();
    if (buffer_.is_host_memory || bytes() == 0) {
      check_cl(::clFinish(queue.cl()()), "clFinish");
    } else {
      std::vector<std::byte> transposed(is_transposed() ? bytes() : 0);
      check_cl(::clEnqueueReadBuffer(queue.cl()(), buffer_.cl(), CL_TRUE, 0, bytes(),
                                     transposed.empty() ? host_.data() : transposed.data(), 0,
                                     nullptr, nullptr),
               "clEnqueueReadBuffer");
      if (!transposed.empty()) transpose(transposed.data(), host_.data(), false);
    }
    device_newer_ = false;
  }
  if (to_write) {
    // What was enqueued before may still read the one copy.
    if (is_ready_ && buffer_.is_host_memory)
      check_cl(::clFinish(queue.cl()()), "clFinish");
    else
      is_ready_ = false;
  }
  return host_.data();
}

void Residence::overwrite(const Queue& queue, const void* from) {
  // A pattern to fill with has 1, 2, 4 … 128 bytes, of which the driver takes a copy.
  const bool is_pattern = bytes() <= 128 && (bytes() & (bytes() - 1)) == 0;
  if (!is_ready_ || !is_pattern || is_transposed()) {
    std::memcpy(on_host(queue, true), from, bytes());
    return;
  }
  check_cl(::clEnqueueFillBuffer(queue.cl()(), buffer_.cl(), from, bytes(), 0, bytes(), 0, nullptr,
                                 nullptr),
           "clEnqueueFillBuffer");
  device_newer_ = true;
}

void Residence::upload_from(const Queue& queue, std::size_t first) {
  if (!is_ready_ || buffer_.is_host_memory || first >= form_.elements) return;
  const std::size_t item = size_of(form_.type), count = form_.elements - first;
  const auto write = [&](std::size_t offset, const std::byte* from, std::size_t bytes) {
    check_cl(::clEnqueueWriteBuffer(queue.cl()(), buffer_.cl(), CL_TRUE, offset, bytes, from, 0,
                                    nullptr, nullptr),
             "clEnqueueWriteBuffer");
  };
  const std::byte* changed = host_.data() + first * form_.dim * item;
  if (!is_transposed()) return write(first * form_.dim * item, changed, count * form_.dim * item);
  std::vector<std::byte> transposed(count * item);
  for (std::size_t k = 0; k < form_.dim; ++k) {
    for (std::size_t e = 0; e < count; ++e)
      std::memcpy(&transposed[e * item], changed + (e * form_.dim + k) * item, item);
    write((k * form_.elements + first) * item, transposed.data(), transposed.size());
  }
}

void Residence::fill(const Queue& queue, const void* from) {
  const std::size_t width = size_of(form_.type);
  std::byte* to = on_host(queue, true);
  for (std::size_t at = 0; at < bytes(); at += width) std::memcpy(to + at, from, width);
}

void Residence::free() {
  buffer_ = {};
  host_ = {};
  is_ready_ = false;
  is_free_ = true;
}

}  // namespace kiln::mesh
