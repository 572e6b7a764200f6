#include <fmt/format.h>

#include "mesh/file/hdf5_handle.hpp"
#include "mesh/file/hdf5_library.hpp"
#include "mesh/file/quote.hpp"

namespace kiln::mesh::hdf5 {

struct Writer::State {
  std::unique_lock<std::mutex> lock{library_mutex()};
  Quiet quiet;
  Handle access{H5Pcreate(H5P_FILE_ACCESS), H5Pclose};
  std::optional<Handle> file;
};

Writer::Writer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Writer::Writer(Writer&&) noexcept = default;
Writer::~Writer() = default;

namespace {

tl::unexpected<Error> cannot_write(std::string_view what) {
  return fail(Errc::io,
              fmt::format("cannot write {} to an HDF5 file ({})", what, library_message()));
}

bool add_number(hid_t object, const char* name, const std::optional<std::int64_t>& value) {
  if (!value) return true;
  const hsize_t one = 1;
  const auto number = static_cast<std::int32_t>(*value);
  const Handle space(H5Screate_simple(1, &one, nullptr), H5Sclose);
  const Handle attribute(
      H5Acreate2(object, name, H5T_NATIVE_INT32, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return attribute && H5Awrite(attribute.get(), H5T_NATIVE_INT32, &number) >= 0;
}

bool add_text(hid_t object, const char* name, const std::string& text) {
  if (text.empty()) return true;
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  // With room for the zero at the end, which readers in C look for.
  if (!type || H5Tset_size(type.get(), text.size() + 1) < 0) return false;
  const Handle attribute(
      H5Acreate2(object, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return attribute && H5Awrite(attribute.get(), type.get(), text.c_str()) >= 0;
}

}  // namespace

Expected<Writer> Writer::create(std::size_t bytes) {
  auto state = std::make_unique<State>();
  constexpr std::size_t heads = 1u << 16;
  if (H5Pset_fapl_core(state->access.get(), bytes + heads, false) < 0)
    return cannot_write("a head");
  state->file.emplace(H5Fcreate(no_file, H5F_ACC_TRUNC, H5P_DEFAULT, state->access.get()),
                      H5Fclose);
  if (!*state->file) return cannot_write("a head");
  return Writer(std::move(state));
}

Expected<void> Writer::add(const Dataset& dataset, ByteView values) {
  const Handle space(
      H5Screate_simple(static_cast<int>(dataset.extents.size()),
                       std::vector<hsize_t>(dataset.extents.begin(), dataset.extents.end()).data(),
                       nullptr),
      H5Sclose);
  const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  const Handle plan(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const hid_t type = native(dataset.type.value_or(ScalarType::f64));
  if (!space || H5Pset_create_intermediate_group(links.get(), 1) < 0 ||
      H5Pset_obj_track_times(plan.get(), false) < 0)
    return cannot_write(quote(dataset.path));
  const Handle made(H5Dcreate2(state_->file->get(), dataset.path.c_str(), type, space.get(),
                               links.get(), plan.get(), H5P_DEFAULT),
                    H5Dclose);
  if (!made ||
      (!values.empty() &&
       H5Dwrite(made.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) ||
      !add_number(made.get(), "size", dataset.size) ||
      !add_number(made.get(), "dim", dataset.dim) ||
      !add_text(made.get(), "type", dataset.type_text) ||
      !add_text(made.get(), "from", dataset.from) || !add_text(made.get(), "to", dataset.to) ||
      !add_text(made.get(), "set", dataset.set))
    return cannot_write(quote(dataset.path));
  return {};
}

Expected<Bytes> Writer::finish() {
  const hid_t file = state_->file->get();
  if (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0) return cannot_write("the end");
  const ssize_t size = H5Fget_file_image(file, nullptr, 0);
  if (size < 0) return cannot_write("the end");
  Bytes image(static_cast<std::size_t>(size));
  if (H5Fget_file_image(file, image.data(), image.size()) != size) return cannot_write("the end");
  return image;
}

}  // namespace kiln::mesh::hdf5
