#include "kernel/facts/kernel_facts.hpp"

#include <algorithm>

#include "base/data/cursor.hpp"
#include "kernel/facts/syntax.hpp"

namespace kiln {
namespace {

// Each field once, for writing and for reading: an object of either class is given to it.

class FactsWriter {
 public:
  explicit FactsWriter(Bytes& to) : to_(to) {}
  void field(bool value) { append_le(to_, static_cast<std::uint8_t>(value)); }
  void field(std::uint32_t value) { append_le(to_, value); }
  void field(std::uint64_t value) { append_le(to_, value); }
  void field(const std::string& text) {
    field(static_cast<std::uint32_t>(text.size()));
    append(to_, text);
  }
  template <class T>
  void list(const std::vector<T>& items, std::uint64_t) {
    field(static_cast<std::uint32_t>(items.size()));
  }

 private:
  Bytes& to_;
};

class FactsReader {
 public:
  explicit FactsReader(ByteView bytes) : in_(bytes, "kernel facts") {}
  bool done() {
    in_.expect_end();
    return in_.ok();
  }
  void field(bool& value) {
    const auto number = in_.number<std::uint8_t>("flag");
    if (number > 1) in_.refuse(in_.at(), "flag", "is neither 0 nor 1");
    value = number == 1;
  }
  void field(std::uint32_t& value) { value = in_.number<std::uint32_t>("number"); }
  void field(std::uint64_t& value) { value = in_.number<std::uint64_t>("number"); }
  void field(std::string& text) { text = in_.text("text"); }
  template <class T>
  void list(std::vector<T>& items, std::uint64_t smallest) {
    items.resize(in_.count(smallest, "list"));
  }

 private:
  Cursor in_;
};

/// Bytes that an empty text, parameter and kernel take at least: their lengths and flags.
constexpr std::uint64_t text_bytes = 4, parameter_bytes = 7 + 3 * text_bytes + 16,
                        kernel_bytes = 10 + 5 * text_bytes;

template <class Visitor, class Texts>
void visit_texts(Visitor& visitor, Texts& texts) {
  visitor.list(texts, text_bytes);
  for (auto& text : texts) visitor.field(text);
}

template <class Visitor, class Use>
void visit_parameter(Visitor& visitor, Use& use) {
  visitor.field(use.name);
  for (auto* flag : {&use.is_pointer, &use.is_global, &use.is_constant_space, &use.is_local,
                     &use.read, &use.written, &use.read_and_written_at_different_index})
    visitor.field(*flag);
  visitor.field(use.element_type);
  visitor.field(use.layout.bytes);
  visitor.field(use.layout.alignment);
  visitor.field(use.layout.name);
}

template <class Visitor, class Facts>
void visit_facts(Visitor& visitor, Facts& all) {
  visitor.list(all, kernel_bytes);
  for (auto& facts : all) {
    visitor.field(facts.name);
    for (auto* flag :
         {&facts.found, &facts.splittable, &facts.suspicious, &facts.uses_local_memory,
          &facts.uses_atomics, &facts.uses_barrier, &facts.uses_printf,
          &facts.data_dependent_writes, &facts.reads_what_is_written, &facts.data_dependent_reads})
      visitor.field(*flag);
    visitor.field(facts.dimensions);
    for (auto& size : facts.required_local_size) visitor.field(size);
    visit_texts(visitor, facts.reasons);
    visit_texts(visitor, facts.suspicions);
    visitor.list(facts.parameters, parameter_bytes);
    for (auto& use : facts.parameters) visit_parameter(visitor, use);
  }
}

}  // namespace

Bytes encode(const std::vector<KernelFacts>& facts) {
  Bytes bytes;
  FactsWriter writer(bytes);
  visit_facts(writer, facts);
  return bytes;
}

std::optional<std::vector<KernelFacts>> decode_kernel_facts(ByteView bytes) {
  FactsReader reader(bytes);
  std::vector<KernelFacts> facts;
  visit_facts(reader, facts);
  if (!reader.done()) return std::nullopt;
  return facts;
}

const KernelFacts* facts_of(const std::vector<KernelFacts>& all, std::string_view kernel) {
  const auto found =
      std::ranges::find_if(all, [&](const KernelFacts& one) { return one.name == kernel; });
  return found == all.end() ? nullptr : &*found;
}

void add_worse(KernelFacts& facts, const KernelFacts& other) {
  if (facts == other) return;
  for (const auto flag : {&KernelFacts::found, &KernelFacts::splittable})
    facts.*flag = facts.*flag && other.*flag;
  for (const auto flag :
       {&KernelFacts::suspicious, &KernelFacts::uses_local_memory, &KernelFacts::uses_atomics,
        &KernelFacts::uses_barrier, &KernelFacts::uses_printf, &KernelFacts::data_dependent_writes,
        &KernelFacts::reads_what_is_written, &KernelFacts::data_dependent_reads})
    facts.*flag |= other.*flag;
  for (const auto list : {&KernelFacts::reasons, &KernelFacts::suspicions})
    for (const std::string& line : other.*list) facts::add_message(facts.*list, line);
  facts.dimensions = std::max(facts.dimensions, other.dimensions);
  if (facts.required_local_size != other.required_local_size) facts.required_local_size = {};
  // Other parameters are another interface, of which nothing is certain.
  if (facts.parameters.size() != other.parameters.size()) facts.parameters.clear();
  for (std::size_t i = 0; i < facts.parameters.size(); ++i) {
    ParameterUse& use = facts.parameters[i];
    for (const auto flag : {&ParameterUse::read, &ParameterUse::written,
                            &ParameterUse::read_and_written_at_different_index})
      use.*flag |= other.parameters[i].*flag;
    if (use.layout != other.parameters[i].layout) use.layout = {};
  }
}

}  // namespace kiln
