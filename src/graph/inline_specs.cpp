// A graph whose specifications stand in it with all values in place, as the original's JSON needs.
#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "base/os/file.hpp"
#include "graph/loaded_file.hpp"

namespace kiln::graph {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json number_in(const std::vector<std::byte>& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

/// A scalar's value as JSON; null for vectors and structures, whose text stays.
Json value_of(const spec::BoundArgument& argument) {
  const spec::Type& type = argument.type;
  if (type.is_struct() || type.width != 1 || argument.count != 1) return nullptr;
  switch (type.scalar) {
    case spec::Scalar::i8:
      return number_in<std::int8_t>(argument.value);
    case spec::Scalar::u8:
      return number_in<std::uint8_t>(argument.value);
    case spec::Scalar::i16:
      return number_in<std::int16_t>(argument.value);
    case spec::Scalar::u16:
      return number_in<std::uint16_t>(argument.value);
    case spec::Scalar::i32:
      return number_in<std::int32_t>(argument.value);
    case spec::Scalar::u32:
      return number_in<std::uint32_t>(argument.value);
    case spec::Scalar::i64:
      return number_in<std::int64_t>(argument.value);
    case spec::Scalar::u64:
      return number_in<std::uint64_t>(argument.value);
    case spec::Scalar::f32:
      return number_in<float>(argument.value);
    case spec::Scalar::f64:
      return number_in<double>(argument.value);
  }
  return nullptr;
}

std::string list_of(const std::vector<std::uint64_t>& sizes) {
  return fmt::format("[{}]", fmt::join(sizes, ", "));
}

std::string inlined_spec(const task_graph::Task& task, const BoundKernel& kernel) {
  Json object;
  if (task.spec.empty()) {
    object = Json::parse(task.inline_spec);
  } else {
    const Bytes bytes = value_or_throw(read_file(kernel.spec.file));
    object = Json::parse(bytes.begin(), bytes.end());
  }
  for (const char* key :
       {"id", "symbolicVariables", "depends", "partition", "task", "localWorkSize"})
    object.erase(key);
  object["globalWorkSize"] = list_of(kernel.bound.global);
  object["localWorkSize"] = list_of(kernel.bound.local);
  for (const char* key : {"inputBuffers", "outputBuffers", "ioBuffers", "localArguments"}) {
    if (!object.contains(key)) continue;
    for (auto& entry : object[key]) {
      entry.erase("from");
      if (entry.contains("pos"))
        entry["size"] = kernel.bound.arguments.at(entry["pos"].get<std::size_t>()).count;
    }
  }
  if (object.contains("varArguments"))
    for (auto& entry : object["varArguments"])
      if (Json value = value_of(kernel.bound.arguments.at(entry["pos"].get<std::size_t>()));
          !value.is_null())
        entry["value"] = std::move(value);
  if (!kernel.bound.macros.empty()) {
    Json macros = Json::object();
    for (const auto& [name, text] : kernel.bound.macros) macros[name] = text;
    object["macros_values"] = std::move(macros);
  }
  return object.dump();
}

}  // namespace

task_graph::File LoadedFile::inlined() const {
  task_graph::File made = state_->file;
  for (std::size_t task = 0; task < made.tasks.size(); ++task) {
    made.tasks[task].inline_spec = inlined_spec(state_->file.tasks[task], *state_->kernels[task]);
    made.tasks[task].spec.clear();
    made.tasks[task].symbols.clear();
  }
  // Edges that end where no data go in are orders.
  for (auto& edge : made.edges) {
    if (edge.is_order()) continue;
    const auto& feeds = state_->feeds[state_->number_of.at(edge.to)];
    if (!feeds.contains(*edge.to_position)) edge.from_position = edge.to_position = std::nullopt;
  }
  return made;
}

}  // namespace kiln::graph
