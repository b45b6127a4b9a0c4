import type { CompletionPoint } from './completion-points.js';
import { aliasNames, pathsOf, valueClauses } from './script-parts.js';

/** The completion script of bash. */
export function renderBash(points: readonly CompletionPoint[]): string {
  const clauses = points.map((point) => {
    const { path, subcommands, flags, argument, maxArguments } = point;
    const operands = [...subcommands.map(({ name }) => name), ...argument.choices].join(' ');
    const flagNames = flags.flatMap((flag) => flag.names).join(' ');
    const valueCases = valueClauses(point, {
      choices: (words) => `choices='${words}'`,
      dynamic: (kind) => `dynamic=${kind}`,
      files: 'files=1',
    });
    return `    '${path}')
      words='${operands}'; flags='${flagNames}'; argument='${argument.dynamic ?? ''}'; max='${maxArguments ?? ''}'
      case $before in
${valueCases}        *) ;;
      esac ;;
`;
  });
  return `# bash completion for mailvet
_mailvet_files() {
  local IFS=$'\\n' file
  # Hidden files only if their dot is typed.
  for file in $(compgen -f -- "$1"); do
    [[ \${file##*/} == .* && \${1##*/} != .* ]] || COMPREPLY+=("$file")
  done
}
_mailvet_dynamic() {
  local value
  COMPREPLY=()
  while IFS= read -r value; do
    value=\${value%%$'\\t'*}
    [[ $value == "$current"* ]] && COMPREPLY+=("$value")
  done < <("\${COMP_WORDS[0]}" complete "$1" -- "\${line[@]:1}" 2>/dev/null)
}
_mailvet() {
  local path='' next i prefix='' line=() at=0 max='' operands=0
  # bash leaves quotes and escapes in the words.
  for i in "\${COMP_WORDS[@]}"; do
    case $i in
      [\\'\\"]*) next=\${i:1}; line+=("\${next%"\${i:0:1}"}") ;;
      *) line+=("\${i//\\\\/}") ;;
    esac
  done
  local current=\${line[COMP_CWORD]} before=\${line[COMP_CWORD-1]}
  local words='' flags='' choices='' files='' argument='' dynamic='' attached=''
  # bash makes three words of --level=smtp.
  [[ $current == = ]] && current='' attached=1
  [[ $before == = ]] && before=\${line[COMP_CWORD-2]} attached=1
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${path:+$path }\${line[i]}"
    case $next in
      ${pathsOf(points).join('|')}) path=$next at=$i ;;
      ${aliasNames.join('|')}) path=validate ;;
    esac
  done
  # The command may be left out before a list or an address.
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ -n $path ]] && break
    if [[ -f \${line[i]} ]]; then path=bulk; elif [[ \${line[i]} == *@* ]]; then path=validate; fi
  done
  case $path in
${clauses.join('')}  esac
  # A value of a flag is not an argument.
  for ((i = at + 1; i < COMP_CWORD; i++)); do
    [[ \${line[i]} == [-=]* || \${line[i-1]} == [-=]* ]] || ((operands++))
  done
  [[ -n $max && operands -gt 0 ]] && words='' argument=''
  # After a flag, a list is more likely than a command.
  [[ -z $path && COMP_CWORD -gt 1 ]] && words=''
  if [[ -n $choices ]]; then
    # The last item of a list.
    [[ $current == *,* ]] && prefix="\${current%,*},"
    # Each item once.
    for i in \${prefix//,/ }; do choices=" $choices "; choices=\${choices/ $i / }; done
    COMPREPLY=($(compgen -P "$prefix" -W "$choices" -- "\${current##*,}"))
  elif [[ -n $dynamic ]]; then
    _mailvet_dynamic "$dynamic"
  elif [[ -n $files ]]; then
    _mailvet_files "$current"
  elif [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  elif [[ -n $max && operands -ge max ]]; then
    return
  elif [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    # A list may be given in place of a command, but many files would hide the commands.
    [[ -z $path && -n $current ]] && _mailvet_files "$current"
  elif [[ -n $argument ]]; then
    _mailvet_dynamic "$argument"
  else
    _mailvet_files "$current"
  fi
}
complete -o filenames -F _mailvet mailvet
`;
}
