import type { CompletionPoint } from './completion-points.js';

/** The completion script of zsh. */
export function renderZsh(spots: CompletionPoint[]): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''").replaceAll(':', '\\:')}'`;
  const arms = spots.map(({ path, words, flags, choices, listed, after }) => {
    const offered = words.map(({ word, about }) => `      ${quoted(word)}:${quoted(about)}`);
    const named = flags.flatMap(({ names, about }) => names.map((name) => `      ${quoted(name)}:${quoted(about)}`));
    const values = flags
      .filter((flag) => flag.choices.length > 0)
      .map((flag) => `      ${flag.names.join('|')}) compadd -- ${flag.choices.join(' ')}; return ;;\n`)
      .concat(after.map(({ word, choices: values }) => `      ${word}) compadd -- ${values.join(' ')}; return ;;\n`));
    const asking = flags
      .filter((flag) => flag.listed !== null)
      .map((flag) => `      ${flag.names.join('|')}) _mailvet_listed ${flag.listed}; return ;;\n`);
    const taking = flags
      .filter((flag) => flag.takesValue && flag.choices.length === 0 && flag.listed === null)
      .flatMap((flag) => flag.names);
    const files = taking.length === 0 ? '' : `      ${taking.join('|')}) _files; return ;;\n`;
    const plain = choices.length === 0 ? '' : `    plain=(${choices.join(' ')})\n`;
    const own = listed === null ? '' : `    own=${listed}\n`;
    return `  '${path}')
    case $before in
${values.join('')}${asking.join('')}${files}    esac
    offered=(
${offered.join('\n')}
    )
    named=(
${named.join('\n')}
    )
${plain}${own}    ;;
`;
  });
  const paths = spots.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  return `#compdef mailvet
_mailvet_listed() {
  local -a lines shown
  lines=("\${(@f)$("\${words[1]}" complete $1 -- "\${(@)words[2,-1]}" 2>/dev/null)}")
  shown=("\${(@)lines/$'\\t'/  }")
  lines=("\${(@)lines%%$'\\t'*}")
  compadd -l -d shown -- "\${(@)lines:#}"
}
_mailvet() {
  local path_='' own='' next before=\${words[CURRENT-1]} i
  local -a offered named plain
  for ((i = 2; i < CURRENT; i++)); do
    next="\${path_:+$path_ }\${words[i]}"
    case $next in
      ${paths.join('|')}) path_=$next ;;
    esac
  done
  case $path_ in
${arms.join('')}  esac
  if [[ $PREFIX == -* ]]; then
    _describe 'flag' named
  elif (( \${#offered} )); then
    _describe 'command' offered
  elif (( \${#plain} )); then
    compadd -- $plain
  elif [[ -n $own ]]; then
    _mailvet_listed $own
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
