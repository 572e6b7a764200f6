# Writes OUTPUT: every template of the files TEMPLATES as a string of kiln::MODULE::template_text(), and
# what kiln::MODULE::template_mark() tells of it (src/kernel/text/templates.hpp). A file is one template,
# named after it, or several: then each begins behind a line "//===== NAME =====", and what stands before
# the first of these lines is for readers only. Marks are of a template's bytes alone, so that where it
# stands changes no Key.
set(text "#include <cstdint>\n#include <string_view>\n\nnamespace kiln::${MODULE} {\n\n")
string(APPEND text "std::string_view template_text(std::string_view name) {\n")
set(marks "std::uint64_t template_mark(std::string_view name) {\n")

macro(add_template)  # of `name` and `content`
  string(APPEND text "  if (name == \"${name}\") return R\"opencl(${content})opencl\";\n")
  string(SHA256 digest "${content}")
  string(SUBSTRING ${digest} 0 16 digest)
  string(APPEND marks "  if (name == \"${name}\") return 0x${digest}u;\n")
endmacro()

set(begin "//===== ")
set(end " =====\n")
string(LENGTH "${begin}" begin_length)
string(LENGTH "${end}" end_length)
foreach(file ${TEMPLATES})
  file(READ ${file} rest)
  string(FIND "${rest}" "${begin}" at)
  if(at EQUAL -1)
    get_filename_component(name ${file} NAME_WE)
    set(content "${rest}")
    add_template()
  endif()
  while(NOT at EQUAL -1)
    math(EXPR at "${at} + ${begin_length}")
    string(SUBSTRING "${rest}" ${at} -1 rest)
    string(FIND "${rest}" "${end}" at)
    string(SUBSTRING "${rest}" 0 ${at} name)
    math(EXPR at "${at} + ${end_length}")
    string(SUBSTRING "${rest}" ${at} -1 rest)
    string(FIND "${rest}" "${begin}" at)
    string(SUBSTRING "${rest}" 0 ${at} content)
    add_template()
  endwhile()
endforeach()
string(APPEND text "  return {};\n}\n\n${marks}  return 0;\n}\n\n}  // namespace kiln::${MODULE}\n")
file(WRITE ${OUTPUT} "${text}")
