# The steps of .ci/run and .ci/nightly, which source this file. Needs bash 5.1.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
unset NODE_EXTRA_CA_CERTS

slots=${CI_SLOTS:-2}
work=$(mktemp -d)
declare -A titles=() hints=() starts=() logs=()
failures=() title='' hint=''

# Runs at the end of the script: names what failed, last and with its hint.
report() {
  local status=$? failure
  rm -rf "$work"
  [ "$status" -eq 0 ] || [ ${#failures[@]} -gt 0 ] || failures=("$title. $hint")
  for failure in "${failures[@]}"; do printf '\nFailed: %s\n' "$failure" >&2; done
}
trap report EXIT

# step TITLE HINT COMMAND…: runs a command, and prints what it prints.
step() {
  title=$1 hint=$2
  printf '\n== %s\n' "$title"
  "${@:3}"
}

# begin TITLE HINT COMMAND…: runs a command next to others, as many as there are slots. What it prints comes when it ends.
begin() {
  while [ ${#titles[@]} -ge "$slots" ]; do await_one; done
  [ ${#failures[@]} -eq 0 ] || await_all
  local log=$work/${#logs[@]}.log
  (set -e && "${@:3}") >"$log" 2>&1 </dev/null &
  titles[$!]=$1 hints[$!]=$2 starts[$!]=$SECONDS logs[$!]=$log
}

await_one() {
  local pid status=0
  wait -n -p pid "${!titles[@]}" || status=$?
  printf '\n== %s (%d s)\n' "${titles[$pid]}" $((SECONDS - starts[$pid]))
  cat "${logs[$pid]}"
  [ "$status" -eq 0 ] || failures+=("${titles[$pid]}. ${hints[$pid]}"$'\n'"$(failed_tests "${logs[$pid]}")")
  unset "titles[$pid]"
}

# failed_tests LOG: what failed, and why.
failed_tests() {
  grep -aE '×|FAIL|Error' "$1" | head -n 20 || true
}

# Waits for all that began; ends the script if one of them failed.
await_all() {
  while [ ${#titles[@]} -gt 0 ]; do await_one; done
  [ ${#failures[@]} -eq 0 ] || exit 1
}

# The commit that the last change was accepted with; empty if it is not known, as in a clone without branches.
find_base() {
  local name commit
  for name in "${CI_BASE:-}" origin/main main; do
    commit=$(git merge-base HEAD "$name" 2>/dev/null) || continue
    [ "$commit" = "$(git rev-parse HEAD)" ] || { echo "$commit" && return; }
  done
}
base=$(find_base)

# changed PATH…: true if one of them differs from that commit, or if it is not known.
changed() {
  [ -z "$base" ] || ! git diff --quiet "$base" -- "$@"
}

vitest=node_modules/vitest/vitest.mjs
with_config() {
  node "$vitest" run --config "vitest.$1.config.ts" "${@:2}"
}

training='training: generators, fitting and evaluation, on small corpora'
training_hint='Run what failed alone: cd training && npx vitest run FILE'
packages='executable, Debian package and image: the same commands on all of them as on the npm package'
packages_hint='Run what failed alone: npx vitest run --config vitest.packages.config.ts FILE. It installs umoci, debootstrap, lintian and mandoc with apt-get.'
