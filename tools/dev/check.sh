# Format, folder order, words, the documents' commands; on demand the site in a browser, all of it in a
# bare Debian 13, the packages, and the libraries' interface.

dev_check() {
  local parts=("$@") part failed=()
  [ $# -gt 0 ] || parts=(format folders words docs)
  for part in "${parts[@]}"; do
    case $part in
      format | folders | words | docs | site | debian13 | packages | abi) ;;
      *) bad_usage "unknown check '$part' (known: format folders words docs site debian13 packages abi)" ;;
    esac
  done
  install_groups build check
  for part in "${parts[@]}"; do
    attempt "check_$part" || failed+=("$part")
  done
  [ ${#failed[@]} -eq 0 ] || die "checks failed: ${failed[*]}"
}

check_format() { tools/check-format; }
check_folders() { tools/check-includes; }
check_words() { tools/check-words; }

# The documents' commands run the command as it is built.
check_docs() {
  [ -f build/release/build.ninja ] || configure release KILN_TESTS=OFF KILN_BENCH=OFF
  compile release product
  tools/check-docs --bin build/release/bin
  # All pages of the site, without their pictures: links, headings, an example for each header.
  install_groups docs
  step "looking for links that lead nowhere" check-links.log tools/site/build_site.py --out build/docs/check
}

# The README's two commands and the other checks where Debian 13 is all that there is.
check_debian13() {
  bare_debian trixie bash -c './dev demo && ./dev test && ./dev check'
}
