// Data with its copies on the host and a device, where their order may differ.
#include "mesh/model/residence.hpp"

#include <fmt/format.h>

#include <cstring>
#include <new>

#include "base/data/bytes.hpp"

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

/// `item` bytes a number.
void transpose(const std::byte* from, std::byte* to, std::size_t rows, std::size_t columns,
               std::size_t item) {
  switch (item) {
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

std::size_t checked_bytes(const Residence::Form& form) {
  const auto bytes = (CheckedSize(form.elements) * form.dim * size_of(form.type)).get();
  if (!bytes) throw std::bad_alloc();
  // A buffer of no bytes is none: loops over nothing launch nothing, but have arguments.
  return std::max<std::size_t>(*bytes, 1);
}

}  // namespace

Residence::Residence(const Form& form) try : form_(form), data_(checked_bytes(form)) {
  if (form.layout == DataLayout::soa && form.dim > 1 && form.elements > 1) {
    by_element_.emplace(bytes());
    is_host_newer_ = true;
  } else {
    data_.host();  // taken now, so that there is an error now
  }
} catch (const std::bad_alloc&) {
  throw Error(Errc::unsupported,
              fmt::format("{} elements of {} {} each are more than there is memory for",
                          form.elements, form.dim, name_of(form.type)));
}

Residence::Residence(const Form& form, cl_mem memory, std::size_t offset, const Queue& queue)
    : form_(form), data_(memory, offset, checked_bytes(form), queue), is_wrapped_(true) {
  if (form.layout == DataLayout::soa && form.dim > 1 && form.elements > 1)
    by_element_.emplace(bytes());
  data_.written_on_queue();
}

cl_mem Residence::lend(const Queue& queue) {
  const cl_mem memory = on_device(queue);
  data_.share_copy(queue);
  device_writes();
  return memory;
}

void Residence::transpose_to_device() {
  transpose(by_element_->data(), data_.on_host(ArrayStorage::HostUse::overwrite), form_.elements,
            form_.dim, size_of(form_.type));
  is_host_newer_ = false;
}

std::byte* Residence::on_host(const Queue&, bool to_write) {
  if (!by_element_)
    return data_.on_host(to_write ? ArrayStorage::HostUse::write : ArrayStorage::HostUse::read);
  if (data_.is_written_on_queue() || is_host_older_)
    transpose(data_.on_host(ArrayStorage::HostUse::read), by_element_->data(), form_.dim,
              form_.elements, size_of(form_.type));
  is_host_newer_ |= to_write;
  is_host_older_ = false;
  return by_element_->data();
}

std::byte* Residence::shared(const Queue& queue) {
  on_device(queue);
  if (!is_shared()) return nullptr;
  is_host_older_ |= by_element_ && data_.is_written_on_queue();
  return data_.on_host(ArrayStorage::HostUse::read);
}

void Residence::overwrite(const Queue& queue, const void* from) {
  const ByteView contents{static_cast<const std::byte*>(from), bytes()};
  if (by_element_)
    std::memcpy(on_host(queue, true), contents.data(), contents.size());
  else
    data_.overwrite_on_queue(queue, contents);
}

void Residence::upload_from(const Queue& queue, std::size_t first) {
  if (first >= form_.elements || is_host_newer_) return;
  const std::size_t item = size_of(form_.type), row = form_.dim * item;
  if (!by_element_) return data_.bring_part_to_queue(queue, {first * row, bytes()});
  for (std::size_t k = 0; k < form_.dim; ++k) {
    const std::size_t column = k * form_.elements;
    for (std::size_t e = first; e < form_.elements; ++e)
      std::memcpy(data_.host().data() + (column + e) * item,
                  by_element_->data() + e * row + k * item, item);
    data_.bring_part_to_queue(queue, {(column + first) * item, (column + form_.elements) * item});
  }
}

void Residence::fill(const Queue& queue, const void* from) {
  const std::size_t width = size_of(form_.type);
  std::byte* to = on_host(queue, true);
  for (std::size_t at = 0; at < bytes(); at += width) std::memcpy(to + at, from, width);
}

void Residence::free() {
  data_ = ArrayStorage(1);
  by_element_.reset();
  is_free_ = true;
}

}  // namespace kiln::mesh
