# Sourced. Which Python interpreters here have which PyTorch, or NCCL alone.

hangstack_cache=${HANGSTACK_CACHE:-$HOME/.cache/hangstack}

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
  [ -x "$1" ] && "$1" - "$2" <<'PYTHON'
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

# torch_python VERSION: of the virtual environment with that PyTorch.
torch_python() {
  local python=$hangstack_cache/torch-$1/bin/python
  has_torch "$python" "$1." && echo "$python"
}

# nccl_python VERSION: of the virtual environment with that NCCL and no PyTorch.
nccl_python() {
  local python=$hangstack_cache/nccl-$1/bin/python
  has_requirements "$python" "scripts/nccl-$1-requirements.txt" && echo "$python"
}

# pip_install PYTHON REQUIREMENTS: exactly these. Gigabytes come over a network that fails at times: three tries.
pip_install() {
  local try
  for try in 1 2 3; do
    "$1" -m pip install --quiet --no-cache-dir --no-deps --disable-pip-version-check --requirement "$2" </dev/null && return
    say "pip failed, try $try of 3"
  done
  return 1
}

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

# install_venv NAME TITLE SIZE: a virtual environment with what scripts/NAME-requirements.txt lists. Two runs at once would
# spoil each other's: the second one waits.
install_venv() {
  local name=$1 title=$2 size=$3 folder=$hangstack_cache/$1 base
  if has_requirements "$folder/bin/python" "scripts/$name-requirements.txt"; then
    say "$title: there, in $folder"
    return
  fi
  base=$(python_for_torch) || fail "$title needs Python 3.10 or newer with venv (Debian: python3-venv)"
  mkdir -p "$(dirname "$folder")"
  flock "$folder.lock" scripts/lib/make-venv "$base" "$folder" "$name" "$size" ||
    fail "$title could not be installed; see the lines above"
}

install_torch() { install_venv "torch-$1" "PyTorch $1" "3 GB"; }
install_nccl() { install_venv "nccl-$1" "NCCL $1" "300 MB"; }
