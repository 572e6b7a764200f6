#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kiln/bytes.hpp"
#include "kiln/error.hpp"

/// PoCL's program archives. Pure functions over byte spans: no OpenCL, no files. All of them are
/// thread-safe; a model (Archive and what it holds) views bytes that its maker keeps alive.
///
/// The grammar of format versions 1 to 12 (docs/formats/poclbin.md shows one byte by byte).
/// Everything is little-endian and unaligned; [N] is the version from which a part is there, [M-N]
/// the versions that have it, and `x{n}` is n times x.
///
///     archive   = header root kernel{kernel_count}                     ; and nothing after it
///     header    = "poclbin" NUL  u64 device_id  u32 version  u32 kernel_count
///                 [3] u64 flags  [9] u32 root_count  build_hash NUL
///                 [10] (u64 program_scope_bytes)?                      ; if flags has bit 1
///     flags     = bit 0 denormals are flushed, [10] bit 1 program-scope size follows,
///                 [5-8] bits 1.., [9] bits 32.. binary type: 1 compiled object, 2 library,
///                 4 executable
///     build_hash= AP{2} "/" AP{37}                                     ; AP is one of 'A'…'P'
///     root      = [2-8] file | [9] root_entry{root_count}
///     root_entry= u64 size  file*                                      ; exactly size bytes
///     file      = text path  u32 size  byte{size}                      ; poclbin/path.hpp
///     kernel    = u64 struct_size  u64 binaries_size  u32 arginfo_size
///                 text name  u32 argument_count  u32 local_count  [6] u64{3} required_size
///                 [1-6] u64{argument_count} argument_sizes  u64{local_count} local_sizes
///                 [7] (text attributes  metadata)  argument{argument_count} file*
///     metadata  = [7-10] u64 has_arg_metadata
///               | [11] u32 has_arg_metadata  u32 kernel_flags
///                 (u32{2} sub_groups)?                                 ; kernel_flags has bit 2
///                 (u32{5} work_group)?                                 ; kernel_flags has bit 1
///                 [12] (u32 required_sub_group)?                       ; kernel_flags has bit 3
///     argument  = u32 access  u32 address  u64 type_qualifier  [1-6] (u8 is_local  u8 is_set)
///                 u32 type  [7] u32 type_size  text name  text type_name
///     text      = u32 size  byte{size}
///
/// struct_size counts the whole kernel record, binaries_size its files, arginfo_size its
/// arguments. There is no checksum: a changed content byte is for the store to notice.
/// The layout of the old wiki page, which no release wrote, is in poclbin/wiki.hpp.
namespace kiln::poclbin {

/// One file inside an archive; views into the archive's bytes.
struct File {
  std::string_view path;  ///< begins with '/', e.g. "/saxpy/64-1-1-goffs0-smallgrid/saxpy.so"
  ByteView content;

  KILN_API bool operator==(const File& other) const;
};

/// What clGetKernelArgInfo answers about an argument, in OpenCL's own constants, and what
/// clSetKernelArg accepts for it.
struct Argument {
  std::uint32_t access = 0, address = 0;  ///< e.g. 0x11a3 (no access qualifier), 0x119b (global)
  std::uint64_t type_qualifier = 0;       ///< bits: 1 const, 2 restrict, 4 volatile, 8 pipe
  std::uint32_t type = 0;                 ///< 0 plain value, 1 pointer, 2 image, 3 sampler, 4 pipe
  /// bytes; 0 where PoCL does not check it (structs); 32 bits from version 7
  std::uint64_t type_size = 0;
  std::string_view name, type_name;
  std::uint8_t is_local = 0, is_set = 0;  ///< up to version 6; kept as they are

  bool operator==(const Argument&) const = default;
};

/// One kernel: what PoCL must know before its first launch, and its files.
struct Kernel {
  std::string_view name;
  std::array<std::uint64_t, 3> required_size{};  ///< 0, 0, 0 where the kernel requires none
  std::vector<std::uint64_t> local_sizes;        ///< bytes of each automatic __local variable
  std::string_view attributes;
  /// has_arg_metadata (1 address, 2 access, 4 type name, 8 qualifier, 16 name); from version 11
  /// with the kernel flags in the high word, which say what the two optional blocks say too.
  std::uint64_t metadata_flags = 0;
  std::optional<std::array<std::uint32_t, 2>> sub_groups;  ///< most, compiled
  /// largest size, preferred multiple, bytes of local, private and spill memory
  std::optional<std::array<std::uint32_t, 5>> work_group;
  std::optional<std::uint32_t> required_sub_group;  ///< from version 12
  std::vector<Argument> arguments;
  std::vector<File> files;

  bool operator==(const Kernel&) const = default;
};

struct Archive {
  std::uint64_t device_id = 0;
  std::uint32_t version = 9;
  std::uint64_t flags = 0;
  std::string_view build_hash;                       ///< 40 characters, "XY/…"
  std::optional<std::uint64_t> program_scope_bytes;  ///< there exactly if flags has bit 1 (from 10)
  /// one list of files a root entry; in versions 2 to 8 one of one file, in version 1 none
  std::vector<std::vector<File>> root;
  std::vector<Kernel> kernels;

  /// The kernel of that name, or null.
  KILN_API const Kernel* find(std::string_view name) const;
  bool operator==(const Archive&) const = default;
};

/// Which of the two formats with this magic.
enum class Form : std::uint8_t {
  real,  ///< what PoCL's releases write
  wiki,  ///< what PoCL's old wiki page describes
};
KILN_API const char* name_of(Form form);  ///< "PoCL's" or "the wiki's"

/// Which format the bytes claim to be; nothing where they have no magic. Byte 7 is NUL in real
/// archives and the version's low byte, at least 1, in the wiki's.
KILN_API std::optional<Form> form_of(ByteView bytes);

inline constexpr std::uint32_t oldest_version = 1, newest_version = 12;

/// Reads and strictly verifies a real archive (versions 1 to 12): every length against what is
/// left, sizes that meet exactly, safe relative paths, counts bounded by the bytes left, no
/// duplicate, unknown flags refused, nothing left over. The result views `bytes`. The device is not
/// known here, so that device_id fits is for the caller to compare. Errors (one line: byte offset,
/// field, what was found) are Errc::corrupt, or Errc::unsupported for another format version and
/// for the wiki's layout.
KILN_API Expected<Archive> parse(ByteView bytes);

/// What verify found out on its way.
struct Verified {
  Form form = Form::real;
  std::uint32_t version = 0;
  std::uint64_t kernels = 0, files = 0;
  std::uint64_t content_bytes = 0;  ///< of all files
};

/// Accepts just what parse or parse_wiki accepts, with the same errors, but makes no model: time
/// and memory go with the number of records, not with their contents (27 bytes a record
/// and two blocks of 512). With `device_id` a real archive of another device is refused, too.
KILN_API Expected<Verified> verify(ByteView bytes, std::optional<std::uint64_t> device_id = {});

/// The bytes of an archive: parse(write(a)) == a, and write(parse(b)) is b to the byte. Defined
/// for every model; what the model's version has no place for is left out or cut to its field, and
/// what breaks the grammar (a hash of another length, a `..` in a path, an optional block without
/// its flag, 4 GiB in one file) gives bytes that parse refuses.
KILN_API Bytes write(const Archive& archive);

/// A local-size variant, as PoCL names its folders.
struct Variant {
  std::array<std::uint32_t, 3> local{1, 1, 1};
  bool zero_offset = true;
  bool small_grid = true;
  KILN_API std::string folder() const;  ///< "64-1-1-goffs0-smallgrid"
  /// Nothing for the generic function's "0-0-0", and for what folder() would not write.
  KILN_API static std::optional<Variant> from_folder(std::string_view folder);
  /// The variant that PoCL looks for when it launches with this geometry (work-items; dimensions
  /// that are not used: 1, 1 and 0).
  KILN_API static Variant for_launch(std::array<std::size_t, 3> global,
                                     std::array<std::size_t, 3> local,
                                     std::array<std::size_t, 3> offset);
  auto operator<=>(const Variant&) const = default;
};

/// Variants of a kernel that the archive holds (the generic one, 0-0-0, left out), sorted.
KILN_API std::vector<Variant> variants(const Kernel& kernel);

/// Folder of the generic function, which runs for every local size.
inline constexpr std::string_view generic_folder = "0-0-0";

/// The kernel's object in the folder of a variant, or the generic one; null where there is none.
/// PoCL clips long names of folders and files (from 4.0 on), each at another length, so that the
/// file's name says nothing.
KILN_API const File* find_object(const Kernel& kernel, std::string_view variant_folder);

/// The device id of a device string (the text after "HSTR: " in CL_DEVICE_VERSION): FNV-1, 64 bit.
KILN_API std::uint64_t device_id(std::string_view device_string);

/// A build hash from a digest (any bytes): 40 letters A to P with '/' third, the same for the same
/// digest. PoCL takes two archives of one build hash for one program, so changed contents need
/// another one.
KILN_API std::string build_hash(ByteView digest);

/// What merge does about a path that has other bytes in the second archive.
enum class Conflict : bool {
  refuse,      ///< refuses, and names the paths
  keep_first,  ///< keeps the first archive's, under a new build hash
};

/// The union of the files of two archives of one program. Refused, with the reason, unless device
/// id, version, flags and build hash agree and equal kernel names have equal metadata. For one
/// path with different bytes the first archive's wins for program.bc, and it is a conflict else.
KILN_API Expected<Bytes> merge(ByteView first, ByteView second,
                               Conflict conflict = Conflict::refuse);

/// A copy with another build hash (40 characters, as build_hash makes them; file paths do not
/// contain it), and without the files for which `drop` (may be null) says true. PoCL 3.1 demands a
/// root file in a version-9 archive, and the format has just one in 2 to 8: where all are dropped,
/// "/no-program.bc" of one byte replaces them.
KILN_API Bytes rewrite(const Archive& archive, std::string_view new_build_hash,
                       bool (*drop)(std::string_view path));

/// A copy in which `kernel` also holds the file `path` (which must lie in the kernel's folder);
/// content of an equal path is replaced. Empty where the archive has no such kernel, or where the
/// path is not one that parse would accept there.
KILN_API Bytes with_file(const Archive& archive, std::string_view kernel, std::string_view path,
                         ByteView content);

/// Whether `elf` is what PoCL's loader will take for `kernel`: a 64-bit little-endian ELF shared
/// object for x86-64 or AArch64, with its segments inside the file, that defines the dynamic symbol
/// `_pocl_kernel_<name>_workgroup`. Nothing is loaded or run. Errors are Errc::corrupt.
KILN_API Expected<void> check_object(ByteView elf, std::string_view kernel);

/// An object that PoCL would fail to load.
struct ObjectProblem {
  std::string_view path;
  std::uint64_t offset = 0;  ///< of the content in the archive
  std::string reason;
};

/// check_object of every file that PoCL would load, "/KERNEL/VARIANT/KERNEL.so". `bytes` is what
/// the archive was parsed from.
KILN_API std::vector<ObjectProblem> object_problems(const Archive& archive, ByteView bytes);

}  // namespace kiln::poclbin

/// The layout of PoCL's old wiki page "Proper Binary Format", which no release ever wrote: paths
/// and contents, and nothing else. The page leaves much open; [k] marks Kiln's reading
/// (docs/formats/poclbin.md lists every point). The same rules as for real archives: pure
/// functions, thread-safe, models view the bytes.
///
///     archive   = "poclbin"  u32 version  base NUL  file*  ; seven letters [k], version 1 [k],
///                                                          ; files up to the end of the bytes
///     base      = relative path, may be empty [k]
///     file      = path NUL  u32 size  byte{size}           ; little-endian [k], no leading slash
///     [k]
namespace kiln::poclbin::wiki {

struct Archive {
  std::uint32_t version = 1;
  std::string_view base;    ///< the folder of all files, usually the build hash
  std::vector<File> files;  ///< paths without a leading slash

  bool operator==(const Archive&) const = default;
};

/// Reads and strictly verifies: paths as safe as those of real archives, no duplicate, nothing
/// after the last file. An archive that was cut between two files cannot be told from a whole one.
/// Errors as poclbin::parse.
KILN_API Expected<Archive> parse(ByteView bytes);

/// Accepts just what parse accepts and makes no model.
KILN_API Expected<Verified> verify(ByteView bytes);

/// The bytes: parse(write(a)) == a, write(parse(b)) is b. Defined for every model; what breaks the
/// grammar gives bytes that parse refuses, or reads as another model where a path holds a NUL.
KILN_API Bytes write(const Archive& archive);

}  // namespace kiln::poclbin::wiki

namespace kiln::poclbin {

// Are two archives the same code? PoCL's build hash does not say: it is no checksum of contents,
// and program.bc differs from build to build. Pure, thread-safe.

/// The identity of a program's code: digest over the sorted files with their contents, program.bc
/// left out, and over what a launch needs of the kernels (names, arguments, local and required
/// sizes). The same for one program in any format version, whatever its build hash.
KILN_API Digest code_id(const Archive& archive);

/// The identity of all contents: the code's, and program.bc's. Archives of one build hash should
/// have one: PoCL takes them for one program.
KILN_API Digest content_id(const Archive& archive);

/// One line for each difference, in a stable order.
struct Differences {
  std::vector<std::string> code;   ///< what makes them different code
  std::vector<std::string> other;  ///< what does not: version, build hash, program.bc, order …

  bool same_code() const { return code.empty(); }
};

/// `first` and `second` are called so in the lines.
KILN_API Differences diff(const Archive& first, const Archive& second);

/// The same where at least one is in the wiki's layout, which holds files only: their bases are
/// left out of account, and so is program.bc.
KILN_API Differences diff(const wiki::Archive& first, const wiki::Archive& second);

// One archive in another format version or layout. Contents of files are never changed, so code
// that one PoCL release made does not become another's; each result says what got lost. Pure,
// thread-safe.

struct Converted {
  Bytes bytes;                     ///< parse, or wiki::parse, accepts them
  std::vector<std::string> lost;   ///< what the target has no place for: a phrase each
  std::vector<std::string> notes;  ///< what had to be assumed, and what may go wrong at loading
};

/// The archive in another format version. With its own version it stays as it is, to the byte.
/// Refused (Errc::refused, with the reason) where the version is not one from 1 to 12 and where
/// the target cannot hold a size or a kernel's name.
KILN_API Expected<Converted> convert(const Archive& archive, std::uint32_t version);

/// The archive's files in the wiki's layout, with the build hash as base. All metadata are lost.
KILN_API Converted convert_to_wiki(const Archive& archive);

/// A real archive from files of the wiki's layout, with device, flags and kernels of `metadata`.
/// The build hash is kept where the wiki's base is that hash and no file of an equal path differs,
/// and is made from the contents else. Refused where a file is of no kernel that `metadata` has.
KILN_API Expected<Converted> convert_from_wiki(const wiki::Archive& archive,
                                               const Archive& metadata, std::uint32_t version);

// Which archives a PoCL installation takes, told without asking it: PoCL itself answers every
// refusal with one error code, and misreads what is newer than itself. Pure, thread-safe.

/// A release's format versions, from the oldest that it reads to the one that it writes.
struct VersionRange {
  std::uint32_t oldest = 0, newest = 0;
  bool operator==(const VersionRange&) const = default;
};

/// The versions of the release in a text such as CL_PLATFORM_VERSION, "OpenCL 3.0 PoCL 3.1+debian
/// Linux …"; nothing where no release is named. Later releases than those known here count as the
/// last one.
KILN_API std::optional<VersionRange> versions_of_release(std::string_view platform_version);

/// Why a device with that device string (HSTR) and platform version refuses the archive, in one
/// line with both sides; empty where it takes it. An empty platform version leaves the format
/// version out of account.
KILN_API std::string device_refusal(const Archive& archive, std::string_view device_string,
                                    std::string_view platform_version);

// An archive without its program.bc: about half as large, no path of the machine that built it, and
// never a compiler. PoCL then builds no specialised variant any more.

struct Stripped {
  Bytes bytes;
  std::vector<std::string> notes;  ///< local sizes at which PoCL would abort
};

KILN_API bool has_bitcode(const Archive& archive);
KILN_API bool has_bitcode(const wiki::Archive& archive);
/// Under another build hash. Refused where a kernel has no object: PoCL would abort.
KILN_API Expected<Stripped> strip(const Archive& archive);
KILN_API Bytes strip(const wiki::Archive& archive);

// Descriptions: all of an archive but the contents of its files.

/// On one line of JSON; with the contents the same bytes can be made again. Texts that are not
/// UTF-8 stand as {"hex": "…"}.
KILN_API std::string to_json(const Archive& archive);
KILN_API std::string to_json(const wiki::Archive& archive);

/// What a description says. Owns the texts that the model views.
struct Description {
  std::variant<Archive, wiki::Archive> model;  ///< files without contents
  std::string content;  ///< hexadecimal content_id of what was described; empty: not known
  std::deque<std::string> texts;

  Description() = default;
  Description(Description&&) = default;
  Description& operator=(Description&&) = default;
};

/// Reads a description. Errors: bad_input with `name`, the field and what was expected.
KILN_API Expected<Description> from_json(std::string_view json, const std::string& name);

}  // namespace kiln::poclbin
