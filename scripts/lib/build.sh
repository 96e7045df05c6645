# Sourced. Configures and builds one preset; quiet unless something fails.

# build PRESET [TARGET...]
build() {
  local preset=$1 log
  shift
  mkdir -p build
  log=build/$preset.log
  say "building $preset$([ $# = 0 ] || echo " ($*)")"
  if ! { cmake --preset "$preset" && cmake --build --preset "$preset" ${1:+--target "$@"}; } >"$log" 2>&1 </dev/null; then
    grep -n -A 20 -E 'FAILED|error:|CMake Error' "$log" | head -n 100 >&2 || true
    fail "building $preset failed; the whole log is $log"
  fi
}
