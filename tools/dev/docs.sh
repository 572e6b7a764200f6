# Builds the documents as a site, with pictures of real runs, and checks it in a browser.

site=build/docs/site
pictures=build/docs/pictures

dev_docs() {
  local measure=
  case "${1:-}" in
    '') ;;
    --measure) measure=1 ;;
    *) bad_usage "unknown option '$1' of docs" ;;
  esac
  install_groups build docs pictures
  [ -z "$measure" ] || measure_speed
  build_site
}

build_site() {
  [ -f build/release/build.ninja ] || configure release KILN_TESTS=OFF KILN_BENCH=OFF
  compile release product
  pictures_are_new ||
    step "making pictures of real runs" docs-pictures.log \
      tools/site/make_pictures.py --bin build/release/bin --out "$pictures"
  step "building the site" docs-site.log \
    tools/site/build_site.py --out "$site" --pictures "$pictures"
  echo "-- $site/index.html"
}

# Whether the pictures are those of this command and these scripts.
pictures_are_new() {
  local made=$pictures/pictures.json newer
  [ -f "$made" ] || return 1
  newer=$(find build/release/bin/kiln build/release/bin/kiln-mesh tools/site docs/measured \
    -newer "$made" \( -name 'kiln*' -o -name '*_pictures.py' -o -name 'speed.json' \) -print)
  [ -z "$newer" ]
}

# Bars of docs/measured/speed.json again, on this machine.
measure_speed() {
  install_groups bench
  configure release KILN_BENCH=ON
  compile release product bench_programs
  step "measuring bars" docs-measure.log tools/site/measure_speed.py --bin build/release/bin
}

# The site, the timeline page and the tuner's report in Chromium: tests/site says what is looked at.
check_site() {
  install_groups build docs pictures site
  command -v npm >/dev/null || install_groups npm
  build_site
  local modules=build/docs/npm
  if ! cmp -s tests/site/package-lock.json "$modules/installed"; then
    mkdir -p "$modules"
    cp tests/site/package.json tests/site/package-lock.json "$modules/"
    step "fetching playwright-core and axe-core" docs-npm.log \
      npm ci --prefix "$modules" --no-audit --no-fund --ignore-scripts
    cp tests/site/package-lock.json "$modules/installed"
  fi
  node tests/site/check-site.mjs --site "$site" --modules "$modules" "$pictures"/more/*.html
}
