#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

/// Where libclang is on the machine, and which of several fits this process.
namespace kiln::clang {

/// Release of LLVM that a library's file name tells ("libLLVM-18.so.18.1", "libclang.so.19.1");
/// 0 where it tells none, or the file is another library than `stem` ("libclang").
unsigned release_in_name(const std::string& file, const std::string& stem);

/// Releases of the LLVMs whose shared libraries this process has loaded.
std::set<unsigned> loaded_llvms();

/// Files of libclang in folders ("/usr/lib/llvm-18/lib/libclang-18.so.18"), in the order in which
/// they are to be tried: those of the releases in `loaded` first, newer before older, and one file
/// of several names once. Folders that do not exist are passed over.
std::vector<std::filesystem::path> libclang_files(const std::vector<std::filesystem::path>& folders,
                                                  const std::set<unsigned>& loaded);

/// The same, of the folders where libclang may lie on this machine and of what is loaded here.
std::vector<std::filesystem::path> libclang_files();

}  // namespace kiln::clang
