#!/bin/sh
# Installs mailvet, its manual pages and completions below /usr/local, replaces an earlier version, or removes it.
#   sh install.sh [--prefix FOLDER] [--uninstall]
set -eu

usage='Use: sh install.sh [--prefix FOLDER] [--uninstall]'
prefix=/usr/local
action=install
while [ $# -gt 0 ]; do
  case $1 in
    --prefix) [ $# -gt 1 ] || { echo "error: --prefix needs a folder. $usage" >&2; exit 2; }; prefix=$2; shift ;;
    --prefix=*) prefix=${1#--prefix=} ;;
    --uninstall) action=uninstall ;;
    *) echo "error: Unknown option $1. $usage" >&2; exit 2 ;;
  esac
  shift
done
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac

# The installed files, one path a line; the list itself is the last one.
list=share/mailvet/files.txt

# Removes the files of an installation, and the folders that are empty then.
remove_files() {
  cat "$prefix/$list" | while IFS= read -r file; do
    rm -f "$prefix/$file"
    folder=$(dirname "$prefix/$file")
    while [ "$folder" != "$prefix" ] && rmdir "$folder" 2>/dev/null; do folder=$(dirname "$folder"); done
  done
}

if [ "$action" = uninstall ]; then
  [ -f "$prefix/$list" ] || { echo "error: There is no mailvet in $prefix. Name its folder with --prefix." >&2; exit 5; }
  remove_files
  echo "Removed mailvet from $prefix. Settings, jobs and keys are kept."
  exit 0
fi

cd "$(dirname "$0")"
mkdir -p "$prefix" && [ -w "$prefix" ] || {
  echo "error: $prefix cannot be written. Use sudo, or another folder: sh install.sh --prefix \"\$HOME/.local\"" >&2
  exit 6
}
[ ! -f "$prefix/$list" ] || remove_files
mkdir -p "$prefix/share/mailvet"
find bin lib share -type f | sort | while IFS= read -r file; do
  mkdir -p "$(dirname "$prefix/$file")"
  cp "$file" "$prefix/$file"
  echo "$file"
done >"$prefix/$list.new"
if [ -d lib/systemd ]; then
  sed "s|/usr/bin/mailvet|$prefix/bin/mailvet|" lib/systemd/system/mailvet.service >"$prefix/lib/systemd/system/mailvet.service"
fi
cp install.sh "$prefix/share/mailvet/install.sh"
{ cat "$prefix/$list.new"; echo share/mailvet/install.sh; echo "$list"; } >"$prefix/$list"
rm "$prefix/$list.new"
echo "Installed mailvet $("$prefix/bin/mailvet" --version) in $prefix."
echo "Remove it with: sh $prefix/share/mailvet/install.sh --prefix $prefix --uninstall"
