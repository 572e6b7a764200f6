#include "spec/run/program_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/data/number.hpp"
#include "base/data/text.hpp"
#include "format/json_tree.hpp"
#include "kernel/facts/kernel_facts.hpp"
#include "kernel/source/lexer.hpp"

namespace kiln::spec {
namespace {

/// Where an argument stands in the file, and what it is.
struct Given {
  std::uint32_t position = 0, line = 0;
  std::string attribute;  ///< "inputBuffers[0]"
  ArgumentKind kind = ArgumentKind::input;
  Type type;
};

/// "inputBuffers[0].size" → "inputBuffers[0]".
std::string object_of(const Formula& member) {
  return member.attribute.substr(0, member.attribute.rfind('.'));
}

std::vector<Given> arguments_of(const Spec& spec) {
  std::vector<Given> all;
  for (const auto& one : spec.buffers)
    all.push_back({one.position, one.line, object_of(one.size), static_cast<ArgumentKind>(one.role),
                   one.type});
  for (const auto& one : spec.var_arguments)
    all.push_back({one.position, one.line, object_of(one.value), ArgumentKind::scalar, one.type});
  for (const auto& one : spec.local_arguments)
    all.push_back({one.position, one.line, object_of(one.size), ArgumentKind::local, one.type});
  return all;
}

std::string_view kind_text(ArgumentKind kind) {
  return kind == ArgumentKind::scalar  ? "a value"
         : kind == ArgumentKind::local ? "local memory"
                                       : "a buffer";
}

std::string wanted_text(const spirv::Parameter& parameter) {
  std::string text;
  switch (parameter.space) {
    case spirv::Space::global:
      text = "a __global buffer";
      break;
    case spirv::Space::constant:
      text = "a __constant buffer";
      break;
    case spirv::Space::local:
      text = "__local memory";
      break;
    case spirv::Space::opaque:
      return "a kernel without arguments of type " + parameter.type +
             ", which specification files cannot describe";
    case spirv::Space::value:
      text = "a value";
      if (parameter.bytes != 0)
        text += fmt::format(" of {} byte{}", parameter.bytes, parameter.bytes == 1 ? "" : "s");
  }
  const std::string name = parameter.type +
                           (parameter.type.empty() || parameter.name.empty() ? "" : " ") +
                           parameter.name;
  return name.empty() ? text : fmt::format("{} ({})", text, name);
}

bool is_floating_type(const Type& type) { return type.kind() == ScalarKind::floating; }

/// A type by OpenCL C's word, where it is one of a specification's.
bool has_other_scalar(const Given& given, const std::string& wanted) {
  const auto type = Type::parse(wanted);
  return type && !given.type.is_struct() && is_floating_type(*type) != is_floating_type(given.type);
}

bool fits(const Given& given, const spirv::Parameter& wanted) {
  switch (wanted.space) {
    case spirv::Space::value:
      return given.kind == ArgumentKind::scalar &&
             (wanted.bytes == 0 || wanted.bytes == given.type.bytes()) &&
             !has_other_scalar(given, wanted.type);
    case spirv::Space::local:
      return given.kind == ArgumentKind::local;
    case spirv::Space::constant:
      return given.kind == ArgumentKind::input;
    case spirv::Space::global:
      return given.kind < ArgumentKind::scalar;
    case spirv::Space::opaque:
      return false;
  }
  return false;
}

class ProgramCheck {
 public:
  ProgramCheck(const Spec& spec, const ExpandedSource& source)
      : spec_(spec), module_(source.module()) {}

  std::vector<Message> run(const BoundSpec* bound) {
    if (module_ == nullptr) {
      if (!spec_.specialization.empty())
        add(spec_.specialization.front().value.line, "specialization",
            fmt::format("found specialization constants, expected none: {} is OpenCL C, which has "
                        "macros_values",
                        one_line(spec_.src)));
      return std::move(messages_);
    }
    if (!spec_.macros.empty())
      add(spec_.macros.front().line, "macros_values",
          fmt::format("found macros, expected none: {} is SPIR-V, which has \"specialization\"",
                      one_line(spec_.src)));
    const auto kernel = kernel_of(*module_, spec_.name, one_line(spec_.src));
    if (!kernel)
      add(0, "name", kernel.error().message());
    else
      check_arguments(**kernel);
    check_constants(bound);
    return std::move(messages_);
  }

  std::map<std::uint32_t, spirv::Setting> take_settings() { return std::move(settings_); }

 private:
  void add(std::uint32_t line, std::string attribute, std::string text) {
    messages_.push_back(
        {Message::Severity::error, spec_.file, line, 0, std::move(attribute), std::move(text)});
  }

  void check_arguments(const spirv::Kernel& kernel) {
    const auto given = arguments_of(spec_);
    if (given.size() != kernel.parameters.size())
      return add(
          0, "",
          fmt::format("found {} arguments, expected {}, as kernel {} of {} has", given.size(),
                      kernel.parameters.size(), kernel.name, one_line(spec_.src)));
    // Positions are 0, 1, 2 … without a gap.
    for (const Given& one : given) {
      const spirv::Parameter& wanted = kernel.parameters[one.position];
      if (!fits(one, wanted))
        add(one.line, one.attribute,
            fmt::format("found {} of type {} for argument {}, expected {}", kind_text(one.kind),
                        one.type.opencl_name(), one.position, wanted_text(wanted)));
    }
  }

  /// The constant that a file means: by its SpecId, else by its name, which must be one's alone.
  Expected<const spirv::Constant*> constant_of(const std::string& text) const {
    if (const auto id = parse_number<std::uint32_t>(text))
      if (const spirv::Constant* found = module_->constant(*id)) return found;
    const auto& all = module_->constants;
    const auto found = std::ranges::find(all, text, &spirv::Constant::name);
    if (found == all.end())
      return fail(Errc::bad_input,
                  fmt::format("found no constant {} in {}, expected one of its: {}", quote(text),
                              one_line(spec_.src), constants_text(*module_)));
    const auto other = std::ranges::find(found + 1, all.end(), text, &spirv::Constant::name);
    if (other != all.end())
      return fail(Errc::bad_input,
                  fmt::format("found constant {}, which SpecIds {} and {} both are, expected a "
                              "SpecId",
                              quote(text), found->id, other->id));
    return &*found;
  }

  void check_constants(const BoundSpec* bound) {
    for (const auto& [name, formula] : spec_.specialization) {
      const auto found = constant_of(name);
      if (!found) {
        add(formula.line, formula.attribute, found.error().message());
        continue;
      }
      const spirv::Constant* constant = *found;
      if (bound == nullptr) continue;
      const auto value = std::ranges::find(bound->specialization, name, &BoundConstant::constant);
      if (value == bound->specialization.end()) continue;
      const auto setting = spirv::setting(*constant, value_of(value->value, *constant));
      if (!setting)
        add(formula.line, formula.attribute, setting.error().message());
      else if (!settings_.emplace(constant->id, *setting).second)
        add(formula.line, formula.attribute,
            fmt::format("found a second value for constant {}, expected one", constant->id));
    }
  }

  /// As sizes, integers may be floating-point numbers without a fraction.
  static spirv::Value value_of(const expr::Value& value, const spirv::Constant& constant) {
    if (const auto* truth = std::get_if<bool>(&value.data())) return *truth;
    if (const auto* integer = std::get_if<std::int64_t>(&value.data())) return *integer;
    const double number = std::get<double>(value.data());
    const bool is_integer = std::abs(number) < 0x1p62 && number == std::trunc(number);
    if (constant.kind != spirv::ConstantKind::floating && is_integer)
      return static_cast<std::int64_t>(number);
    return number;
  }

  const Spec& spec_;
  const spirv::Module* module_;
  std::vector<Message> messages_;
  std::map<std::uint32_t, spirv::Setting> settings_;
};

// Programs in OpenCL C, by their words alone: who knows more than that is a compiler.

/// The names that follow "kernel void" in a text.
std::vector<std::string> kernels_in(std::string_view text) {
  const Lexed lexed = lex(text);
  const auto& tokens = lexed.tokens;
  std::vector<std::string> names;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i)
    if ((tokens[i].text == "kernel" || tokens[i].text == "__kernel") &&
        tokens[i + 1].text == "void" && tokens[i + 2].kind == TokenKind::identifier)
      names.emplace_back(tokens[i + 2].text);
  return names;
}

/// Whether the kernel of a spec may be in a text: its name is there, or macros may make it.
bool may_have_kernel(const Spec& spec, std::string_view text) {
  const auto has_name = [&](const Macro& macro) {
    return macro.text.find(spec.name) != macro.text.npos;
  };
  if (std::ranges::any_of(spec.macros, has_name)) return true;
  const Lexed lexed = lex(text);
  return std::ranges::any_of(
      lexed.tokens, [&](const Token& token) { return token.text == spec.name || token.is("##"); });
}

}  // namespace

std::vector<Message> check_program(const Spec& spec, const BoundSpec* bound,
                                   const ExpandedSource& source) {
  auto messages = ProgramCheck(spec, source).run(bound);
  if (source.module() != nullptr || may_have_kernel(spec, source.text())) return messages;
  messages.push_back({Message::Severity::error, spec.file, 0, 0, "name",
                      no_kernel_text(one_line(spec.src), spec.name, kernels_in(source.text()))});
  return messages;
}

Expected<std::vector<spirv::Setting>> settings_of(const Spec& spec, const BoundSpec& bound,
                                                  const ExpandedSource& source) {
  ProgramCheck check(spec, source);
  if (const auto messages = check.run(&bound); !messages.empty())
    return fail(Errc::bad_input, messages.front().render());
  std::vector<spirv::Setting> settings;
  for (const auto& [id, setting] : check.take_settings()) settings.push_back(setting);
  return settings;
}

}  // namespace kiln::spec
