#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kiln/spec/file.hpp"

/// The names that the formulas and macros of a specification use.
namespace kiln::spec {

/// Where a formula stands decides which names it may use besides the symbols: `size_percent` and
/// its like exist only where the values of arguments are worked out (and in functions, which
/// values may call).
enum class Position { geometry, value };

/// The common part of C's and Python's names: symbols go into both.
bool is_name(std::string_view text);
/// Whether a character may stand in a name, behind its first.
bool continues_name(char c);

/// The identifiers of a macro's text, as a C lexer sees them (not the x of 0x10, nor in quotes).
void for_each_identifier(std::string_view text,
                         const std::function<void(std::size_t at, std::string_view)>& visit);

/// The symbols that a spec uses or declares, each with the formulas that use it.
std::map<std::string, std::vector<const Formula*>> symbol_uses(const Spec& spec);

/// A function that calls itself through others or directly; null where there is none.
const Function* recursive_function(const Spec& spec);

}  // namespace kiln::spec
