import type { CompletionPoint } from './completion-points.js';
import { aliasNames, pathsOf, valueClauses } from './script-parts.js';

/** The completion script of zsh. */
export function renderZsh(points: readonly CompletionPoint[]): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''").replaceAll(':', '\\:')}'`;
  const described = (name: string, description: string): string => `      ${quoted(name)}:${quoted(description)}\n`;
  const clauses = points.map((point) => {
    const { path, subcommands, flags, argument, maxArguments } = point;
    const valueCases = valueClauses(point, {
      choices: (words, isList) => (isList ? `_mailvet_list ${words}; return` : `compadd -- ${words}; return`),
      dynamic: (kind) => `_mailvet_dynamic ${kind}; return`,
      files: '_files; return',
    });
    return `  '${path}')
    case $before in
${valueCases}    esac
    subcommands=(
${subcommands.map(({ name, description }) => described(name, description)).join('')}    )
    flags=(
${flags.flatMap(({ names, description }) => names.map((name) => described(name, description))).join('')}    )
    choices=(${argument.choices.join(' ')})
    dynamic=${argument.dynamic ?? ''}
    max=${maxArguments ?? ''}
    ;;
`;
  });
  return `#compdef mailvet
_mailvet_dynamic() {
  local -a lines shown
  lines=("\${(@f)$("\${words[1]}" complete $1 -- "\${(@Q)words[2,-1]}" 2>/dev/null)}")
  shown=("\${(@)lines/$'\\t'/  }")
  lines=("\${(@)lines%%$'\\t'*}")
  compadd -l -d shown -- "\${(@)lines:#}"
}
_mailvet_list() {
  local -a typed
  [[ $PREFIX == *,* ]] && typed=(\${(s:,:)PREFIX%,*})
  compset -P '*,'
  compadd -F typed -- "$@"
}
_mailvet() {
  local path_='' dynamic='' attached='' max='' at=1 operands=0 next before=\${words[CURRENT-1]} i
  local -a subcommands flags choices
  if [[ $PREFIX == --*=* ]]; then
    before=\${PREFIX%%=*} attached=1
    compset -P '*='
  fi
  for ((i = 2; i < CURRENT; i++)); do
    next="\${path_:+$path_ }\${words[i]}"
    case $next in
      ${pathsOf(points).join('|')}) path_=$next at=$i ;;
      ${aliasNames.join('|')}) path_=validate ;;
    esac
  done
  # The command may be left out before a list or an address.
  for ((i = 2; i < CURRENT; i++)); do
    [[ -n $path_ ]] && break
    if [[ -f \${(Q)words[i]} ]]; then path_=bulk; elif [[ \${words[i]} == *@* ]]; then path_=validate; fi
  done
  case $path_ in
${clauses.join('')}  esac
  # A value of a flag is not an argument.
  for ((i = at + 1; i < CURRENT; i++)); do
    [[ \${words[i]} == -* || \${words[i-1]} == -* ]] || (( operands++ ))
  done
  [[ -n $max ]] && (( operands > 0 )) && choices=() dynamic=''
  # After a flag, a list is more likely than a command.
  [[ -z $path_ ]] && (( CURRENT > 2 )) && subcommands=()
  if [[ $PREFIX == -* ]]; then
    _describe 'flag' flags
  elif [[ -n $max ]] && (( operands >= max )); then
    return
  elif (( \${#subcommands} )); then
    _describe 'command' subcommands
    # A list may be given in place of a command, but many files would hide the commands.
    [[ -n $path_ || -z $PREFIX$SUFFIX ]] || _files
  elif (( \${#choices} )); then
    compadd -- $choices
  elif [[ -n $dynamic ]]; then
    _mailvet_dynamic $dynamic
  else
    _files
  fi
}
if [[ \${funcstack[1]} == _mailvet ]]; then
  _mailvet "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i -D; }
  compdef _mailvet mailvet
fi
`;
}
