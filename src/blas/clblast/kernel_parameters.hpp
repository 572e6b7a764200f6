#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "blas/api/entry.hpp"
#include "blas/clblast/interface.hpp"

// The kernels of CLBlast, whose parameters its interface has by name, and which of Kiln's kernels
// do their work.
namespace kiln::clblast {

using Values = std::unordered_map<std::string, std::size_t>;

/// A kernel of CLBlast's, with the names of its parameters.
struct KernelNames {
  std::string_view name;
  std::array<std::string_view, 16> parameters{};
  auto begin() const { return parameters.begin(); }
  auto end() const { return std::find(parameters.begin(), parameters.end(), std::string_view()); }
};
/// Null where there is none of this name.
const KernelNames* kernel_named(std::string_view name);

/// A parameter of Kiln's kernels in CLBlast's words: the quotient of two parameters, or the
/// product; or one alone.
struct Counterpart {
  std::string_view kernel;  ///< CLBlast's
  std::string_view family;  ///< Kiln's
  std::string_view parameter;
  std::string_view first, second = {};
  bool is_product = false;
};

/// What CLBlast's parameters of a kernel say of a family of Kiln's; empty: nothing.
blas::NamedValues in_words_of_kiln(const KernelNames& kernel, std::string_view family,
                                   const Values& values, bool on_cpu);
/// The reverse: parameters of CLBlast's that say the same; all others are 1.
void in_words_of_clblast(const KernelNames& kernel, std::string_view family,
                         const blas::NamedValues& values, bool on_cpu, Values& to);
/// The families that a kernel has counterparts in.
std::vector<std::string_view> families_of(const KernelNames& kernel);

}  // namespace kiln::clblast
