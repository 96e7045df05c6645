# Sourced. clang-tidy from PyPI: from 22 on it does not match what stands in system headers, which is three to five
# times as quick on these sources as Debian's 19.

clang_tidy_version=22.1.8
clang_tidy_home=${HANGSTACK_CACHE:-$HOME/.cache/hangstack}/clang-tidy-$clang_tidy_version

# The program inside the wheel; the script beside it starts a Python for each file.
clang_tidy_program() { ls "$clang_tidy_home"/lib/python3.*/site-packages/clang_tidy/data/bin/clang-tidy 2>/dev/null; }

install_clang_tidy() {
  if clang_tidy_program >/dev/null; then
    say "clang-tidy $clang_tidy_version: there, in $clang_tidy_home"
    return
  fi
  say "clang-tidy $clang_tidy_version: installing into $clang_tidy_home"
  rm -rf "$clang_tidy_home.partial"
  if ! { python3 -m venv "$clang_tidy_home.partial" &&
    "$clang_tidy_home.partial/bin/python" -m pip install --quiet --disable-pip-version-check \
      "clang-tidy==$clang_tidy_version" </dev/null; }; then
    fail "clang-tidy $clang_tidy_version could not be installed; see the lines above"
  fi
  rm -rf "$clang_tidy_home"
  mv "$clang_tidy_home.partial" "$clang_tidy_home"
}
