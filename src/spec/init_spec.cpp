#include "spec/init_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "kernel/source/program.hpp"
#include "kernel/facts/safety.hpp"
#include "spec/read/reader.hpp"

namespace kiln::spec {
namespace {

using OrderedJson = nlohmann::ordered_json;

/// The kernels of a program in the order of the text, without repetition.
std::vector<std::string> kernel_names(const Preprocessed& source, const SourceProgram& program) {
  std::vector<std::string> names;
  for (const auto& function : program.functions) {
    const std::string name(source.symbols.name(function.name));
    if (function.is_kernel && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  }
  return names;
}

Expected<std::string> chosen_kernel(const std::vector<std::string>& names,
                                    const InitRequest& request) {
  const std::string all = fmt::format("{}", fmt::join(names, ", "));
  if (names.empty())
    return fail(Errc::bad_input, request.src + ": the source has no __kernel function");
  if (request.kernel.empty() && names.size() > 1)
    return fail(Errc::bad_input, fmt::format("{}: it has {} kernels ({}); --kernel NAME says which",
                                             request.src, names.size(), all));
  if (request.kernel.empty()) return names.front();
  if (std::find(names.begin(), names.end(), request.kernel) == names.end())
    return fail(Errc::bad_input, fmt::format("{}: it has no kernel '{}'; it has: {}", request.src,
                                             request.kernel, all));
  return request.kernel;
}

/// The numbers in the brackets behind a name; empty where they are no plain numbers.
std::vector<std::int64_t> numbers_behind(const std::vector<Token>& tokens, std::uint32_t name,
                                         std::uint32_t end) {
  std::vector<std::int64_t> numbers;
  for (std::uint32_t i = name + 2; i < end && !tokens[i].is(punct(")")); ++i) {
    if (tokens[i].is(punct(","))) continue;
    std::int64_t number = 0;
    const auto text = tokens[i].text;
    if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc())
      return {};
    numbers.push_back(number);
  }
  return numbers;
}

/// The dimensions that a function's body asks about: get_global_id(1) makes two.
int dimensions_of(const Preprocessed& source, TokenRange body) {
  int dimensions = 1;
  for (std::uint32_t i = body.begin; i + 2 < body.end; ++i) {
    const auto name = source.tokens[i].text;
    if (name != "get_global_id" && name != "get_local_id" && name != "get_group_id") continue;
    const auto numbers = numbers_behind(source.tokens, i, body.end);
    if (numbers.size() == 1 && numbers[0] >= 0 && numbers[0] < 3)
      dimensions = std::max(dimensions, static_cast<int>(numbers[0]) + 1);
  }
  return dimensions;
}

/// reqd_work_group_size of the kernel; empty where it has none.
std::vector<std::int64_t> required_size(const Preprocessed& source, const kiln::Function& kernel) {
  for (std::uint32_t i = kernel.head.begin; i < kernel.body.begin; ++i)
    if (source.tokens[i].text == "reqd_work_group_size") {
      auto numbers = numbers_behind(source.tokens, i, kernel.body.begin);
      return numbers.size() == 3 ? numbers : std::vector<std::int64_t>();
    }
  return {};
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
  const Preprocessed source = preprocess(request.source->text(), request.macros);
  const SourceProgram program = parse_program(source);
  const auto kernel = chosen_kernel(kernel_names(source, program), request);
  if (!kernel) return tl::unexpected(kernel.error());
  const auto safety = analyse_split(request.source->text(), *kernel, request.macros);
  InitWriter writer;
  for (std::size_t i = 0; i < safety.parameters.size(); ++i)
    if (auto done = writer.add(i, safety.parameters[i]); !done)
      return fail(done.error().code(), request.src + ": " + done.error().message());
  int dimensions = 1;
  std::vector<std::int64_t> local;
  for (const auto& function : program.functions) {
    const bool is_chosen = source.symbols.name(function.name) == *kernel;
    if (function.is_kernel && !is_chosen) continue;  // helpers may be this kernel's
    dimensions = std::max(dimensions, dimensions_of(source, function.body));
    if (function.is_kernel) local = required_size(source, function);
  }
  for (int d = 1; d < 3 && !local.empty(); ++d)
    if (local[static_cast<std::size_t>(d)] > 1) dimensions = std::max(dimensions, d + 1);
  if (!local.empty()) local.resize(static_cast<std::size_t>(dimensions));
  return writer.finish(request, *kernel, dimensions, local);
}

}  // namespace kiln::spec
