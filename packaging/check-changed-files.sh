#!/usr/bin/env bash
# The script of action.yml: checks the addresses of changed files, and names each bad one with its file and line.
# MAILVET names another program to run instead of the npm package.
set -euo pipefail

read -r -a mailvet <<<"${MAILVET:-npx --yes mailvet@${INPUT_VERSION:-latest}}"
read -r -a paths <<<"${INPUT_PATHS:?}"
flags=(--level "${INPUT_LEVEL:?}" --fail-on "${INPUT_FAIL_ON:?}" --only "$INPUT_FAIL_ON" --format ndjson --fields status,email)
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

# The first line that contains the address, but not as a part of a longer one; 1 if the file has it in another spelling.
line_of() {
  address=$1 LC_ALL=C awk '
    BEGIN { address = ENVIRON["address"] }
    {
      for (start = 1; at = index(substr($0, start), address); start += at) {
        before = substr($0, 1, start + at - 2)
        after = substr($0, start + at - 1 + length(address))
        if (before !~ /[A-Za-z0-9._+\200-\377-]$/ && after !~ /^(\.?[A-Za-z0-9\200-\377]|-)/) { line = NR; exit }
      }
    }
    END { print line ? line : 1 }' <"$2"
}

amount() { if [ "$1" -eq 1 ]; then printf '1 %s' "$2"; else printf '%s %s' "$1" "$3"; fi; }

checked=0 bad=0
record='^\{"status":"([a-z]+)","email":"(.*)"\}$'
while IFS= read -r -d '' file; do
  [ -s "$file" ] || continue
  checked=$((checked + 1))
  # The name may begin with a hyphen.
  status=0 && found=$("${mailvet[@]}" bulk "${flags[@]}" -- "./$file") || status=$?
  [ "$status" -le 1 ] || { echo "::error file=$(encode_name "$file")::mailvet ended with status $status."; exit "$status"; }
  while IFS= read -r result; do
    [[ $result =~ $record ]] || continue
    verdict=${BASH_REMATCH[1]} address=${BASH_REMATCH[2]//\\\"/\"} && address=${address//\\\\/\\}
    bad=$((bad + 1))
    echo "::error file=$(encode_name "$file"),line=$(line_of "$address" "$file")::$(encode "$address") is $verdict."
  done <<<"$found"
done < <(changed_files)

summary="$(amount "$checked" file files) checked, $(amount "$bad" 'address is' 'addresses are') ${INPUT_FAIL_ON//,/ or }."
echo "$summary"
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || echo "mailvet: $summary" >>"$GITHUB_STEP_SUMMARY"
[ "$bad" -eq 0 ]
