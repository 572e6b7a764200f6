#include "kernel/source/words.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace kiln {
namespace {

using Words = std::unordered_map<std::string_view, Word>;

Words make_words() {
  Words words;
  const auto add = [&](Word word, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) words.emplace(name, word);
  };
  add(Word::type, {"void",
                   "bool",
                   "_Bool",
                   "char",
                   "int",
                   "float",
                   "double",
                   "half",
                   "uchar",
                   "ushort",
                   "uint",
                   "ulong",
                   "size_t",
                   "ptrdiff_t",
                   "intptr_t",
                   "uintptr_t",
                   "sampler_t",
                   "event_t",
                   "queue_t",
                   "ndrange_t",
                   "clk_event_t",
                   "reserve_id_t",
                   "cl_mem_fence_flags",
                   "memory_order",
                   "memory_scope",
                   "quad",
                   "complex",
                   "imaginary",
                   "atomic_int",
                   "atomic_uint",
                   "atomic_long",
                   "atomic_ulong",
                   "atomic_float",
                   "atomic_double",
                   "atomic_half",
                   "atomic_intptr_t",
                   "atomic_uintptr_t",
                   "atomic_size_t",
                   "atomic_ptrdiff_t",
                   "atomic_flag",
                   "__int128"});
  add(Word::sign, {"unsigned", "signed", "__signed", "__signed__", "short", "long"});
  add(Word::aggregate, {"struct", "union", "enum"});
  add(Word::qualifier,
      {"restrict",    "__restrict",    "__restrict__", "inline",       "__inline",
       "__inline__",  "extern",        "register",     "auto",         "read_only",
       "__read_only", "write_only",    "__write_only", "read_write",   "__read_write",
       "pipe",        "__extension__", "noinline",     "__noinline__", "uniform"});
  add(Word::volatile_, {"volatile", "__volatile", "__volatile__"});
  add(Word::const_, {"const", "__const", "__const__"});
  add(Word::static_, {"static"});
  add(Word::typedef_, {"typedef"});
  add(Word::global, {"global", "__global"});
  add(Word::constant, {"constant", "__constant"});
  add(Word::local, {"local", "__local"});
  add(Word::private_, {"private", "__private"});
  add(Word::generic, {"generic", "__generic"});
  add(Word::kernel, {"kernel", "__kernel"});
  add(Word::attribute, {"__attribute__", "__attribute"});
  add(Word::sizeof_, {"sizeof", "_Alignof", "alignof", "__alignof", "__alignof__", "vec_step",
                      "__builtin_offsetof", "offsetof", "typeof", "__typeof", "__typeof__"});
  add(Word::asm_, {"asm", "__asm", "__asm__"});
  add(Word::cpp, {"template", "namespace", "class", "operator", "typename", "decltype", "constexpr",
                  "addrspace_cast", "reinterpret_cast", "static_cast", "const_cast", "using"});
  const std::pair<std::string_view, Word> statements[] = {{"if", Word::if_},
                                                          {"else", Word::else_},
                                                          {"for", Word::for_},
                                                          {"while", Word::while_},
                                                          {"do", Word::do_},
                                                          {"switch", Word::switch_},
                                                          {"case", Word::case_},
                                                          {"default", Word::default_},
                                                          {"return", Word::return_},
                                                          {"break", Word::break_},
                                                          {"continue", Word::continue_},
                                                          {"goto", Word::goto_}};
  words.insert(std::begin(statements), std::end(statements));
  return words;
}

/// float4, uchar16: a scalar type's name and a vector's width.
bool is_vector_type(std::string_view word) {
  static constexpr std::string_view scalars[] = {"char",  "uchar",  "short", "ushort",
                                                 "int",   "uint",   "long",  "ulong",
                                                 "float", "double", "half",  "bool"};
  std::size_t digits = 0;
  while (digits < 2 && digits < word.size() && word[word.size() - 1 - digits] >= '0' &&
         word[word.size() - 1 - digits] <= '9')
    ++digits;
  const std::string_view width = word.substr(word.size() - digits);
  if (width != "2" && width != "3" && width != "4" && width != "8" && width != "16") return false;
  const std::string_view scalar = word.substr(0, word.size() - digits);
  return std::find(std::begin(scalars), std::end(scalars), scalar) != std::end(scalars);
}

}  // namespace

Word classify_word(std::string_view word) {
  static const Words words = make_words();
  if (const auto known = words.find(word); known != words.end()) return known->second;
  if (is_vector_type(word)) return Word::type;
  if (word.starts_with("image") && word.ends_with("_t") && word.size() > 7 && word[5] >= '1' &&
      word[5] <= '3')
    return Word::type;
  return Word::name;
}

}  // namespace kiln
