#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/data/bytes.hpp"
#include "base/data/text.hpp"
#include "base/expected.hpp"
#include "format/spirv/types.hpp"

// A module's bytes as what it says of its kernels and constants.
namespace kiln::spirv {
namespace {

// Values of operands (SPIR-V Specification, section 3).
enum : std::uint32_t {
  model_kernel = 6,
  mode_local_size = 17,
  capability_kernel = 6,
  memory_opencl = 2,
  physical_32 = 1,
  physical_64 = 2,
  decoration_spec_id = 1,
  decoration_packed = 10,
  decoration_parameter = 38,
  attribute_by_value = 2
};

/// A kernel's name is a folder's in drivers' caches, too.
bool is_kernel_name(std::string_view name) {
  constexpr std::size_t longest = 1024;
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && name.size() <= longest && is_letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

class ModuleReader {
 public:
  Module read(ByteView bytes) {
    const auto version = load_le<std::uint32_t>(bytes.data() + 4);
    module_.major = version >> 16;
    module_.minor = version >> 8 & 0xff;
    bound_ = load_le<std::uint32_t>(bytes.data() + 12);
    for_each_instruction(bytes, [&](const Instruction& one) { take(one); });
    if (!has_kernels_ || !types_)
      throw Error(Errc::unsupported,
                  "SPIR-V module: found one without the capability Kernel and the memory model of "
                  "OpenCL, expected a module of OpenCL kernels");
    if (current_) refuse_at(bytes.size(), "found the end within a function", Errc::bad_input);
    for (const Entry& entry : entries_) add_kernel(entry);
    std::ranges::sort(module_.constants, {}, &Constant::id);
    return std::move(module_);
  }

 private:
  /// What decorations say of an id.
  struct Decorations {
    std::optional<std::uint32_t> spec_id = {};
    bool packed = false;
    bool by_value = false;
  };
  struct Entry {
    std::size_t at = 0;
    std::uint32_t function = 0;
    std::string name;
  };
  struct Function {
    std::vector<std::uint32_t> parameters, types;
  };

  void take(const Instruction& one) {
    switch (one.opcode()) {
      case op_capability:
        has_kernels_ = has_kernels_ || one.operand(0, "a capability") == capability_kernel;
        return;
      case op_memory_model:
        return take_memory_model(one);
      case op_entry_point:
        return take_entry_point(one);
      case op_execution_mode:
        return take_execution_mode(one);
      case op_name: {
        std::size_t index = 1;
        names_[one.operand(0, "the id of what is named")] = one.text(index, "a name");
        return;
      }
      case op_decorate:
        return decorate(one);
      case op_group_decorate:
        return decorate_group(one);
      case op_spec_constant_true:
      case op_spec_constant_false:
      case op_spec_constant:
        return take_constant(one);
      case op_function:
        return begin_function(one);
      case op_function_parameter:
        return take_parameter(one);
      case op_function_end:
        if (!current_) one.refuse("found the end of a function, expected its begin before");
        current_.reset();
        return;
      default:
        take_type(one);
    }
  }

  void take_memory_model(const Instruction& one) {
    const std::uint32_t addressing = one.operand(0, "the addressing model");
    const std::uint32_t memory = one.operand(1, "the memory model");
    if (memory != memory_opencl || (addressing != physical_32 && addressing != physical_64))
      refuse_at(one.at(),
                fmt::format("found addressing model {} and memory model {}, expected Physical32 or "
                            "Physical64 and OpenCL",
                            addressing, memory),
                Errc::unsupported);
    if (types_) one.refuse("found a second memory model, expected one");
    module_.address_bits = addressing == physical_32 ? 32 : 64;
    types_.emplace(module_.address_bits);
  }

  void take_entry_point(const Instruction& one) {
    if (one.operand(0, "the execution model") != model_kernel) return;
    std::size_t index = 2;
    Entry entry{one.at(), one.operand(1, "the id of a kernel"), one.text(index, "a kernel's name")};
    if (!is_kernel_name(entry.name))
      one.refuse(
          fmt::format("found a kernel named \"{}\", expected a name of letters, digits and _",
                      one_line(entry.name.substr(0, 100))));
    if (entries_.size() == most_kernels)
      one.refuse(fmt::format("found more than {} kernels, expected at most that", most_kernels));
    if (std::ranges::any_of(entries_, [&](const Entry& o) { return o.name == entry.name; }))
      one.refuse(fmt::format("found a second kernel named {}, expected one", entry.name));
    entries_.push_back(std::move(entry));
  }

  void take_execution_mode(const Instruction& one) {
    if (one.operand(1, "the execution mode") != mode_local_size) return;
    auto& size = local_sizes_[one.operand(0, "the id of a kernel")];
    for (std::size_t d = 0; d < 3; ++d) size[d] = one.operand(2 + d, "a local size");
  }

  static Decorations decoration_at(const Instruction& one, std::size_t index) {
    switch (one.operand(index, "a decoration")) {
      case decoration_spec_id:
        return {.spec_id = one.operand(index + 1, "a constant's SpecId")};
      case decoration_packed:
        return {.packed = true};
      case decoration_parameter:
        return {.by_value =
                    one.operand(index + 1, "a parameter's attribute") == attribute_by_value};
      default:
        return {};
    }
  }
  void add(std::uint32_t id, const Decorations& more) {
    if (!more.spec_id && !more.packed && !more.by_value) return;  // most say nothing of these
    Decorations& target = decorations_[id];
    if (more.spec_id) target.spec_id = more.spec_id;
    target.packed = target.packed || more.packed;
    target.by_value = target.by_value || more.by_value;
  }
  void decorate(const Instruction& one) {
    const std::uint32_t id = one.operand(0, "the id of what is decorated");
    add(id, decoration_at(one, 1));
  }
  void decorate_group(const Instruction& one) {
    const Decorations group = decorations_of(one.operand(0, "the id of a group"));
    for (std::size_t i = 1; i < one.operands(); ++i)
      add(one.operand(i, "the id of what is decorated"), group);
  }
  Decorations decorations_of(std::uint32_t id) const {
    const auto found = decorations_.find(id);
    return found == decorations_.end() ? Decorations{} : found->second;
  }
  std::string name_of(std::uint32_t id) const {
    const auto found = names_.find(id);
    return found == names_.end() ? "" : found->second;
  }

  Types& types(const Instruction& one) {
    if (!types_) one.refuse("found a type, expected the memory model before");
    return *types_;
  }

  void take_type(const Instruction& one) {
    const bool is_declaration = (one.opcode() >= op_type_void && one.opcode() <= op_type_pipe) ||
                                one.opcode() == op_constant;
    if (!is_declaration) return;
    Types& types = this->types(one);
    if (one.opcode() == op_type_struct) {
      const std::uint32_t id = one.operand(0, "the id of a structure");
      if (decorations_of(id).packed) types.set_packed(id);
      if (auto name = name_of(id); !name.empty()) types.set_name(id, std::move(name));
    }
    types.take(one);
    const bool is_type = one.opcode() != op_constant;
    result_of(one, is_type ? 0 : 1, is_type ? "the id of a type" : "the id of a constant");
  }

  /// The id that an instruction gives to what it declares.
  std::uint32_t result_of(const Instruction& one, std::size_t index, std::string_view what) const {
    const std::uint32_t id = one.operand(index, what);
    if (id == 0 || id >= bound_)
      one.refuse(
          fmt::format("found id {}, expected 1 to {}, below the header's bound", id, bound_ - 1));
    return id;
  }

  void take_constant(const Instruction& one) {
    const std::uint32_t of = one.operand(0, "a constant's type");
    const std::uint32_t id = result_of(one, 1, "the id of a constant");
    const auto spec_id = decorations_of(id).spec_id;
    if (!spec_id) return;  // a constant for the compiler alone
    Constant constant;
    constant.id = *spec_id;
    constant.name = name_of(id);
    if (one.opcode() == op_spec_constant) {
      const Type* type = types(one).find(of);
      if (type == nullptr || type->kind != Type::Kind::scalar || type->bytes == 0)
        one.refuse(
            fmt::format("found constant {} of type id {}, expected an integer or "
                        "floating-point type of 8 to 64 bits",
                        *spec_id, of));
      constant.kind = type->name == "half" || type->name == "float" || type->name == "double"
                          ? ConstantKind::floating
                          : ConstantKind::integer;
      constant.bits = static_cast<unsigned>(type->bytes * 8);
      constant.value = one.operand(2, "a constant's value");
      if (constant.bits == 64)
        constant.value |= std::uint64_t{one.operand(3, "a constant's value")} << 32;
      if (constant.bits < 32) constant.value &= (std::uint64_t{1} << constant.bits) - 1;
    } else {
      constant.kind = ConstantKind::boolean;
      constant.bits = 1;
      constant.value = one.opcode() == op_spec_constant_true ? 1 : 0;
    }
    add_constant(one, std::move(constant));
  }

  /// A constant that is used in two places may be there twice.
  void add_constant(const Instruction& one, Constant constant) {
    const auto [place, is_new] = constants_.emplace(constant.id, module_.constants.size());
    if (is_new) {
      module_.constants.push_back(std::move(constant));
      return;
    }
    Constant& known = module_.constants[place->second];
    if (known.kind != constant.kind || known.bits != constant.bits)
      one.refuse(fmt::format("found SpecId {} for constants of types {} and {}, expected one type",
                             constant.id, known.type_name(), constant.type_name()));
    if (known.name.empty()) known.name = std::move(constant.name);
  }

  void begin_function(const Instruction& one) {
    if (current_) one.refuse("found the begin of a function within another one");
    const std::uint32_t id = result_of(one, 1, "the id of a function");
    const Type* type = types(one).find(one.operand(3, "a function's type"));
    if (type == nullptr || type->kind != Type::Kind::function)
      one.refuse(
          fmt::format("found function {} without a type, expected one that is declared "
                      "before",
                      id));
    if (!functions_.emplace(id, Function{}).second)
      one.refuse(fmt::format("found function {} again, expected another id", id));
    current_ = id;
  }

  void take_parameter(const Instruction& one) {
    if (!current_) one.refuse("found a parameter, expected the begin of its function before");
    Function& function = functions_[*current_];
    function.types.push_back(one.operand(0, "a parameter's type"));
    function.parameters.push_back(result_of(one, 1, "the id of a parameter"));
  }

  void add_kernel(const Entry& entry) {
    const auto refuse = [&](const std::string& what) {
      refuse_at(entry.at, fmt::format("kernel {}: {}", entry.name, what), Errc::bad_input);
    };
    const auto function = functions_.find(entry.function);
    if (function == functions_.end())
      refuse(fmt::format("found no function {}, expected the kernel's", entry.function));
    Kernel kernel;
    kernel.name = entry.name;
    if (const auto size = local_sizes_.find(entry.function); size != local_sizes_.end())
      kernel.required_local_size = size->second;
    const auto& [ids, types] = function->second;
    parameters_ += ids.size();
    if (parameters_ > most_parameters)
      refuse(fmt::format("found more than {} parameters in all, expected at most that",
                         most_parameters));
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const Type* type = types_->find(types[i]);
      if (type == nullptr)
        refuse(fmt::format("found type id {} for argument {}, expected a type", types[i], i));
      kernel.parameters.push_back(parameter_of(ids[i], types[i], *type));
    }
    module_.kernels.push_back(std::move(kernel));
  }

  Parameter parameter_of(std::uint32_t id, std::uint32_t type_id, const Type& type) const {
    constexpr std::size_t longest = 256;  // of a name, for messages
    Parameter parameter;
    parameter.name = shortened(name_of(id), longest);
    parameter.type = shortened(types_->name_of(type_id), longest);
    if (type.kind == Type::Kind::opaque) {
      parameter.space = Space::opaque;
    } else if (type.kind != Type::Kind::pointer) {
      parameter.bytes = type.bytes;
    } else if (const Type* to = types_->find(type.element); to != nullptr) {
      take_pointer(decorations_of(id).by_value, type, *to, parameter);
    }
    return parameter;
  }

  static void take_pointer(bool by_value, const Type& type, const Type& to, Parameter& parameter) {
    switch (type.storage) {
      case cross_workgroup:
        parameter.space = to.kind == Type::Kind::opaque ? Space::opaque : Space::global;
        return;
      case uniform_constant:
        parameter.space = to.kind == Type::Kind::opaque ? Space::opaque : Space::constant;
        return;
      case workgroup:
        parameter.space = Space::local;
        return;
      default:
        // A structure is passed as a pointer to a copy.
        if (by_value && !parameter.type.empty() && parameter.type.back() == '*')
          parameter.type.pop_back();
        parameter.bytes = by_value ? to.bytes : 0;
    }
  }

  Module module_;
  std::uint32_t bound_ = 0;  ///< above every id
  bool has_kernels_ = false;
  std::optional<Types> types_;
  std::vector<Entry> entries_;
  std::unordered_map<std::uint32_t, std::array<std::uint32_t, 3>> local_sizes_;
  std::unordered_map<std::uint32_t, std::string> names_;
  std::unordered_map<std::uint32_t, Decorations> decorations_;
  std::unordered_map<std::uint32_t, std::size_t> constants_;  ///< places, by SpecId
  std::unordered_map<std::uint32_t, Function> functions_;
  std::optional<std::uint32_t> current_;  ///< the function that is being read
  std::size_t parameters_ = 0;
};

}  // namespace

const Kernel* Module::find(std::string_view kernel) const {
  const auto found = std::ranges::find(kernels, kernel, &Kernel::name);
  return found == kernels.end() ? nullptr : &*found;
}

const Constant* Module::constant(std::uint32_t id) const {
  const auto found = std::ranges::find(constants, id, &Constant::id);
  return found == constants.end() ? nullptr : &*found;
}

Expected<Module> parse(ByteView bytes) {
  return expected_from([&] {
    check_header(bytes);
    return ModuleReader().read(little_endian(bytes));
  });
}

}  // namespace kiln::spirv
