#!/usr/bin/env bash
# The script of action.yml: checks the addresses of changed files, and names each bad one with its file and line.
# MAILVET names another program to run instead of the npm package.
set -euo pipefail

read -r -a mailvet <<<"${MAILVET:-npx --yes mailvet@${INPUT_VERSION:-latest}}"
read -r -a paths <<<"${INPUT_PATHS:?}"
flags=(--level "${INPUT_LEVEL:?}" --fail-on "${INPUT_FAIL_ON:?}" --only "$INPUT_FAIL_ON" --format plain)
[ -z "${INPUT_FORMAT:-}" ] || flags+=(--input "$INPUT_FORMAT")

# Commands of a workflow end at a line end; these characters are encoded in them.
encode_name() { local text && text=$(encode "$1") && text=${text//:/%3A} && printf '%s' "${text//,/%2C}"; }
encode() { local text=${1//'%'/%25} && text=${text//$'\r'/%0D} && printf '%s' "${text//$'\n'/%0A}"; }

changed_files() {
  if [ -n "${INPUT_BASE:-}" ] && git cat-file -e "$INPUT_BASE^{commit}" 2>/dev/null; then
    git diff -z --name-only --diff-filter=ACMR "$INPUT_BASE" HEAD -- "${paths[@]}"
  else
    git ls-files -z -- "${paths[@]}"
  fi
}

checked=0 bad=0
while IFS= read -r -d '' file; do
  [ -s "$file" ] || continue
  checked=$((checked + 1))
  # The name may begin with a hyphen.
  status=0 && found=$("${mailvet[@]}" bulk "${flags[@]}" -- "./$file") || status=$?
  [ "$status" -le 1 ] || { echo "::error file=$(encode_name "$file")::mailvet ended with status $status."; exit "$status"; }
  while IFS= read -r address; do
    [ -n "$address" ] || continue
    bad=$((bad + 1))
    line=$(grep -n -F -m 1 -e "$address" -- "$file" | cut -d : -f 1 || true)
    echo "::error file=$(encode_name "$file"),line=${line:-1}::$(encode "$address") is $INPUT_FAIL_ON."
  done <<<"$found"
done < <(changed_files)

echo "$checked files checked, $bad addresses are ${INPUT_FAIL_ON//,/ or }."
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || echo "mailvet: $checked files checked, $bad addresses are ${INPUT_FAIL_ON//,/ or }." >>"$GITHUB_STEP_SUMMARY"
[ "$bad" -eq 0 ]
