# Writes OUTPUT: each page NAME.html of FOLDER as the string kiln::cli::NAME_html, one file that
# needs no other: style sheets and scripts stand in place of the elements that name them. The policy
# has browsers refuse every request, and every script and style but these, whatever data holds.

# base64(VARIABLE HEX): 64 hexadecimal digits as policies want them.
function(base64 variable hex)
  set(digits ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  string(APPEND hex 00)
  set(text "")
  foreach(at RANGE 0 63 6)
    string(SUBSTRING ${hex} ${at} 6 three)
    foreach(shift 18 12 6 0)
      math(EXPR digit "(0x${three} >> ${shift}) & 63")
      string(SUBSTRING ${digits} ${digit} 1 digit)
      string(APPEND text ${digit})
    endforeach()
  endforeach()
  string(SUBSTRING ${text} 0 43 text)
  set(${variable} "${text}=" PARENT_SCOPE)
endfunction()

# Puts a file in the place of the element that names it, and its digest into a list of the policy.
macro(put_file element name policy)
  string(FIND "${page}" "${ARGN}" at)
  if(NOT at EQUAL -1)
    file(READ ${FOLDER}/${name} content)
    string(REGEX REPLACE "\n( *//[^\n]*\n| +)+" "\n" content "${content}")  # each page carries it
    string(SHA256 digest "${content}")
    base64(digest ${digest})
    string(APPEND ${policy} " 'sha256-${digest}'")
    string(REPLACE "${ARGN}" "<${element}>${content}</${element}>" page "${page}")
  endif()
endmacro()

set(text "#include \"cli/output/output.hpp\"\n\nnamespace kiln::cli {\n")
foreach(file timeline report profile)
  file(READ ${FOLDER}/${file}.html page)
  set(styles "")
  set(scripts "")
  foreach(name page ${file})
    put_file(style ${name}.css styles "<link rel=\"stylesheet\" href=\"${name}.css\">")
    put_file(script ${name}.js scripts "<script src=\"${name}.js\"></script>")
  endforeach()
  set(charset "<meta charset=\"utf-8\">")
  if(scripts STREQUAL "")
    set(scripts " 'none'")
  endif()
  set(policy "default-src 'none'; style-src${styles}; script-src${scripts}")
  string(REPLACE "${charset}" "${charset}
<meta http-equiv=\"Content-Security-Policy\" content=\"${policy}\">" page "${page}")
  string(APPEND text "\nconst std::string_view ${file}_html = R\"page(${page})page\";\n")
endforeach()
file(WRITE ${OUTPUT} "${text}\n}  // namespace kiln::cli\n")
