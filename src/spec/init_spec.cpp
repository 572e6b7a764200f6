#include "spec/init_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/data/text.hpp"
#include "kernel/facts/read_facts.hpp"
#include "kernel/request/request.hpp"
#include "spec/read/reader.hpp"

namespace kiln::spec {
namespace {

using OrderedJson = nlohmann::ordered_json;

Expected<KernelFacts> chosen_kernel(const std::vector<KernelFacts>& kernels,
                                    const InitRequest& request) {
  std::vector<std::string> names;
  for (const auto& kernel : kernels) names.push_back(kernel.name);
  const std::string all = names_text(names);
  if (names.empty())
    return fail(Errc::bad_input, request.src + ": the source has no __kernel function");
  if (request.kernel.empty() && names.size() > 1)
    return fail(Errc::bad_input, fmt::format("{}: it has {} kernels ({}); --kernel NAME says which",
                                             request.src, names.size(), all));
  if (request.kernel.empty()) return kernels.front();
  const auto found = std::find(names.begin(), names.end(), request.kernel);
  if (found == names.end())
    return fail(Errc::bad_input, fmt::format("{}: it has no kernel '{}'; it has: {}", request.src,
                                             request.kernel, all));
  return kernels[static_cast<std::size_t>(found - names.begin())];
}

/// All kernels of the source. What a module says is less than what a text does: which buffers are
/// read and written, and what is in them, is not known.
Expected<std::vector<KernelFacts>> kernels_of(const InitRequest& request) {
  if (const spirv::Module* module = request.source->module()) {
    if (!request.macros.empty())
      return fail(Errc::bad_input, request.src + ": found macros, expected none: it is SPIR-V");
    std::vector<KernelFacts> kernels;
    for (const auto& kernel : module->kernels)
      kernels.push_back(module_facts(*module, kernel.name));
    return kernels;
  }
  Request program;
  if (auto done = set_source(program, request.source, request.macros, {}); !done)
    return tl::unexpected(done.error());
  return read_kernel_facts(program.source->text(), program.options, {});
}

/// Puts the file together: lists of arguments, and marks.
class InitWriter {
 public:
  Expected<void> add(std::size_t position, const ParameterUse& use) {
    const std::string name = use.name.empty() ? fmt::format("argument {}", position) : use.name;
    if (use.element_type.starts_with("image") || use.element_type.starts_with("sampler") ||
        use.element_type.starts_with("pipe"))
      return fail(Errc::unsupported,
                  fmt::format("argument {} ({}) is of type {}, which specification files cannot "
                              "describe",
                              position, name, use.element_type));
    OrderedJson argument{{"pos", position}};
    if (!use.is_pointer) {
      put_value(use, name, argument);
      values_.push_back(std::move(argument));
      return {};
    }
    put_type(use, name, argument);
    if (use.is_local) {
      argument["size"] = mark(fmt::format("elements of {} for each work-group", name));
      locals_.push_back(std::move(argument));
      return {};
    }
    argument["size"] = mark(fmt::format("elements of {}, as \"dataset\"", name));
    argument["break"] = 0;
    const bool reads = use.read || !use.written;
    (use.written ? reads ? both_ : outputs_ : inputs_).push_back(std::move(argument));
    return {};
  }

  InitFile finish(const InitRequest& request, const std::string& kernel, int dimensions,
                  const std::vector<std::int64_t>& local) {
    constexpr const char* examples[] = {"[dataset]", "[dataset, dataset]",
                                        "[dataset, dataset, dataset]"};
    // First in the file, so first in the text; marks are counted on the way.
    const std::string global = mark(
        fmt::format("work-items in {}, as \"{}\"",
                    dimensions == 1 ? "one dimension" : fmt::format("{} dimensions", dimensions),
                    examples[dimensions - 1]));
    InitFile file{kernel, "{\n", marks_};
    const auto line = [&](std::string_view key, const OrderedJson& value) {
      file.text += fmt::format("  {}: {},\n", OrderedJson(key).dump(), value.dump());
    };
    line("description",
         fmt::format("Written by kiln init from {}. Fill in what begins with FILL IN. \"break\" "
                     "may be 1 where a work-item uses only its own elements of a buffer.",
                     request.src));
    line("name", kernel);
    line("src", request.src);
    line("workDimension", dimensions);
    line("globalWorkSize", global);
    if (!local.empty()) line("localWorkSize", local);
    for (const auto& [key, list] :
         {std::pair("inputBuffers", &inputs_), std::pair("outputBuffers", &outputs_),
          std::pair("ioBuffers", &both_), std::pair("varArguments", &values_),
          std::pair("localArguments", &locals_)}) {
      if (list->empty()) continue;
      file.text += fmt::format("  \"{}\": [\n", key);
      for (std::size_t i = 0; i < list->size(); ++i)
        file.text += "    " + one_object((*list)[i]) + (i + 1 < list->size() ? ",\n" : "\n");
      file.text += "  ],\n";
    }
    if (!request.macros.empty()) {
      OrderedJson macros = OrderedJson::object();
      for (const auto& [name, text] : request.macros) macros[name] = text;
      file.text += "  \"macros_values\": " + one_object(macros) + ",\n";
    }
    file.text.erase(file.text.size() - 2);  // the last comma
    file.text += "\n}\n";
    return file;
  }

 private:
  std::string mark(const std::string& what) {
    ++marks_;
    return std::string(fill_in_mark) + what;
  }

  /// A buffer's or local memory's.
  void put_type(const ParameterUse& use, const std::string& name, OrderedJson& argument) {
    if (!use.layout.name.empty() && Type::parse(use.layout.name)) {
      argument["type"] = use.layout.name;
    } else if (use.layout.known() && use.layout.name.empty() &&
               use.layout.bytes <= Type::largest_struct) {
      argument["type"] = "struct";
      argument["bytes"] = use.layout.bytes;
    } else {
      argument["type"] =
          mark(fmt::format("the type of {}'s elements ({}), as \"float\"", name, use.element_type));
    }
  }

  void put_value(const ParameterUse& use, const std::string& name, OrderedJson& argument) {
    if (!use.layout.name.empty() && Type::parse(use.layout.name)) {
      argument["type"] = use.layout.name;
      argument["value"] = mark("the value of " + name);
    } else if (use.layout.known() && use.layout.name.empty()) {
      argument["type"] = "struct";
      argument["fields"] =
          mark(fmt::format("the members of {} ({} bytes), as [{{\"type\": \"int\", \"value\": 1}}]",
                           name, use.layout.bytes));
    } else {
      argument["type"] =
          mark(fmt::format("the type of {} ({}), as \"int\"", name, use.element_type));
      argument["value"] = mark("the value of " + name);
    }
  }

  /// On one line, with blanks, as people write it.
  static std::string one_object(const OrderedJson& object) {
    std::string text = "{";
    for (const auto& [key, value] : object.items())
      text += (text.size() > 1 ? ", " : "") + OrderedJson(key).dump() + ": " + value.dump();
    return text + "}";
  }

  std::vector<OrderedJson> inputs_, outputs_, both_, values_, locals_;
  std::size_t marks_ = 0;
};

}  // namespace

Expected<InitFile> init_spec(const InitRequest& request) {
  // JSON is UTF-8.
  if (!is_utf8(request.src))
    return fail(Errc::bad_input,
                fmt::format("{}: found a file name that is not UTF-8, expected one "
                            "that a specification file can hold",
                            one_line(request.src)));
  const auto kernels = kernels_of(request);
  if (!kernels) return tl::unexpected(kernels.error());
  const auto kernel = chosen_kernel(*kernels, request);
  if (!kernel) return tl::unexpected(kernel.error());
  InitWriter writer;
  for (std::size_t i = 0; i < kernel->parameters.size(); ++i)
    if (auto done = writer.add(i, kernel->parameters[i]); !done)
      return fail(done.error().code(), request.src + ": " + done.error().message());
  int dimensions = static_cast<int>(kernel->dimensions);
  std::vector<std::int64_t> local;
  for (const auto size : kernel->required_local_size)
    if (kernel->required_local_size[2] > 0) local.push_back(static_cast<std::int64_t>(size));
  for (int d = 1; d < 3 && !local.empty(); ++d)
    if (local[static_cast<std::size_t>(d)] > 1) dimensions = std::max(dimensions, d + 1);
  if (!local.empty()) local.resize(static_cast<std::size_t>(dimensions));
  return writer.finish(request, kernel->name, dimensions, local);
}

}  // namespace kiln::spec
