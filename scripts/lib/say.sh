# Sourced. One line per step, with the name of the script in front.

say() { printf '%s: %s\n' "$(basename "$0")" "$*"; }

# fail SENTENCE [STATUS]: says why, and ends.
fail() {
  printf '%s: %s\n' "$(basename "$0")" "$1" >&2
  exit "${2:-1}"
}
