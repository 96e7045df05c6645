# Sourced. Which Python interpreters here have which PyTorch.

torch_2_15_home=${HANGSTACK_CACHE:-$HOME/.cache/hangstack}/torch-2.15

# has_torch PYTHON VERSION-PREFIX: by the metadata of the installed package; importing it takes seconds.
has_torch() {
  [ -x "$1" ] && "$1" - "$2" 2>/dev/null <<'PYTHON'
import importlib.metadata, importlib.util, sys
found = importlib.util.find_spec("numpy") and importlib.metadata.version("torch").startswith(sys.argv[1])
sys.exit(0 if found else 1)
PYTHON
}

debian_torch_python() { has_torch /usr/bin/python3 1.13 && echo /usr/bin/python3; }

torch_2_15_python() { has_torch "$torch_2_15_home/bin/python" 2.15.0 && echo "$torch_2_15_home/bin/python"; }

# The interpreter that the virtual environment is made of: 3.12 first, for its frame layout.
python_for_torch() {
  local candidate
  for candidate in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.12.*/bin/python3 /usr/bin/python3.{12,13,11,10} /usr/bin/python3; do
    if [ -x "$candidate" ] && "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  return 1
}

# Two runs at once would spoil each other's virtual environment: the second one waits.
install_torch_2_15() {
  if torch_2_15_python >/dev/null; then
    say "PyTorch 2.15: there, in $torch_2_15_home"
    return
  fi
  local base
  base=$(python_for_torch) || fail "PyTorch 2.15 needs Python 3.10 or newer with venv (Debian: python3-venv)"
  mkdir -p "$(dirname "$torch_2_15_home")"
  flock "$torch_2_15_home.lock" scripts/lib/make-torch-venv "$base" "$torch_2_15_home" ||
    fail "PyTorch 2.15 could not be installed; see the lines above"
}
