import type { CompletionPoint } from './completion-points.js';

/** The completion script of bash. */
export function renderBash(spots: CompletionPoint[]): string {
  const arms = spots.map(({ path, words, flags, choices, listed, after }) => {
    const offered = [...words.map(({ word }) => word), ...choices].join(' ');
    const names = flags.flatMap((flag) => flag.names).join(' ');
    const values = flags
      .filter((flag) => flag.choices.length > 0)
      .map((flag) => `        ${flag.names.join('|')}) choices='${flag.choices.join(' ')}' ;;\n`)
      .concat(after.map(({ word, choices: values }) => `        ${word}) choices='${values.join(' ')}' ;;\n`));
    const asking = flags
      .filter((flag) => flag.listed !== null)
      .map((flag) => `        ${flag.names.join('|')}) listed=${flag.listed} ;;\n`);
    const taking = flags
      .filter((flag) => flag.takesValue && flag.choices.length === 0 && flag.listed === null)
      .flatMap((flag) => flag.names);
    const files = taking.length === 0 ? '' : `        ${taking.join('|')}) files=1 ;;\n`;
    return `    '${path}')\n      words='${offered}'; flags='${names}'; own='${listed ?? ''}'\n      case $before in\n${values.join('')}${asking.join('')}${files}        *) ;;\n      esac ;;\n`;
  });
  const paths = spots.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  return `# bash completion for mailvet
_mailvet_listed() {
  local line typed=\${current//\\\\/}
  COMPREPLY=()
  while IFS= read -r line; do
    line=\${line%%$'\\t'*}
    [[ $line == "$typed"* ]] && COMPREPLY+=("$line")
  done < <("\${COMP_WORDS[0]}" complete "$1" -- "\${COMP_WORDS[@]:1}" 2>/dev/null)
}
_mailvet() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} path='' next i
  local words='' flags='' choices='' files='' own='' listed=''
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${path:+$path }\${COMP_WORDS[i]}"
    case $next in
      ${paths.join('|')}) path=$next ;;
    esac
  done
  case $path in
${arms.join('')}  esac
  if [[ -n $choices ]]; then
    COMPREPLY=($(compgen -W "$choices" -- "$current"))
  elif [[ -n $listed ]]; then
    _mailvet_listed "$listed"
  elif [[ -n $files ]]; then
    COMPREPLY=($(compgen -f -- "$current"))
  elif [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  elif [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  elif [[ -n $own ]]; then
    _mailvet_listed "$own"
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _mailvet mailvet
`;
}
