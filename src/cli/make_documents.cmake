# Writes man pages and completions below SHARE with the program KILN; run at build time. Man pages
# need scdoc (SCDOC); without it there are none.
set(ENV{KILN_CONFIG} off)  # the builder's own settings have no part in this

# make(FILE command…): the file holds what the command prints.
function(make file)
  get_filename_component(folder ${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  execute_process(COMMAND ${ARGN} OUTPUT_FILE ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

make(${SHARE}/bash-completion/completions/kiln ${KILN} completion bash)
make(${SHARE}/zsh/site-functions/_kiln ${KILN} completion zsh)
make(${SHARE}/fish/vendor_completions.d/kiln.fish ${KILN} completion fish)

if(SCDOC)
  set(sources ${SHARE}/man/source)
  file(REMOVE_RECURSE ${SHARE}/man)
  file(MAKE_DIRECTORY ${sources} ${SHARE}/man/man1)
  execute_process(COMMAND ${KILN} man --every-page ${sources} COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB pages ${sources}/*.scd)
  foreach(page ${pages})
    get_filename_component(name ${page} NAME_WLE)
    execute_process(COMMAND ${SCDOC} INPUT_FILE ${page} OUTPUT_FILE ${SHARE}/man/man1/${name}
                    COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endif()
file(TOUCH ${SHARE}/documents.stamp)
