# Sourced. Which Python interpreters here have which PyTorch.

hangstack_cache=${HANGSTACK_CACHE:-$HOME/.cache/hangstack}
torch_2_15_home=$hangstack_cache/torch-2.15
torch_2_8_home=$hangstack_cache/torch-2.8

# has_torch PYTHON VERSION-PREFIX: by the metadata of the installed package; importing it takes seconds.
has_torch() {
  [ -x "$1" ] && "$1" - "$2" 2>/dev/null <<'PYTHON'
import importlib.metadata, importlib.util, sys
found = importlib.util.find_spec("numpy") and importlib.metadata.version("torch").startswith(sys.argv[1])
sys.exit(0 if found else 1)
PYTHON
}

# has_requirements PYTHON FILE: every NAME==VERSION of the file is installed.
has_requirements() {
  "$1" - "$2" <<'PYTHON'
import importlib.metadata, sys
for line in open(sys.argv[1]):
    name, _, version = line.strip().partition("==")
    if not version or name.startswith("#"):
        continue
    try:
        installed = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        sys.exit(1)
    if installed != version:
        sys.exit(1)
PYTHON
}

debian_torch_python() { has_torch /usr/bin/python3 1.13 && echo /usr/bin/python3; }

torch_2_15_python() { has_torch "$torch_2_15_home/bin/python" 2.15. && echo "$torch_2_15_home/bin/python"; }

torch_2_8_python() { has_torch "$torch_2_8_home/bin/python" 2.8. && echo "$torch_2_8_home/bin/python"; }

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

# install_torch VERSION FOLDER. Two runs at once would spoil each other's virtual environment: the second one waits.
install_torch() {
  local version=$1 folder=$2 base
  if has_torch "$folder/bin/python" "$version." &&
    has_requirements "$folder/bin/python" "scripts/torch-$version-requirements.txt"; then
    say "PyTorch $version: there, in $folder"
    return
  fi
  base=$(python_for_torch) || fail "PyTorch $version needs Python 3.10 or newer with venv (Debian: python3-venv)"
  mkdir -p "$(dirname "$folder")"
  flock "$folder.lock" scripts/lib/make-torch-venv "$base" "$folder" "$version" ||
    fail "PyTorch $version could not be installed; see the lines above"
}

install_torch_2_15() { install_torch 2.15 "$torch_2_15_home"; }

install_torch_2_8() { install_torch 2.8 "$torch_2_8_home"; }
