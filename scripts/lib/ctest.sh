# Sourced. Runs the tests of one preset and says what was skipped, and why.

# run_ctest PRESET [CTEST-OPTION...]: the closing lines of ctest are the last that it prints.
run_ctest() {
  local preset=$1 folder=build/$1 status=0
  shift
  ctest --test-dir "$folder" --output-on-failure --no-tests=error "$@" </dev/null 2>&1 | tee "$folder/ctest.log" ||
    status=$?
  python3 scripts/lib/skipped.py "$folder/Testing/Temporary/LastTest.log"
  sed -n '/tests passed/,$p' "$folder/ctest.log"
  return "$status"
}
