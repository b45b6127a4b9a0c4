import type { Command } from 'commander';
import type { Context } from '../../context.js';
import { type CompletionPoint, completionPoints } from './completion-points.js';

const renderers = { bash: renderBash, zsh: renderZsh, fish: renderFish };

/** The shells that have a completion script. */
export type Shell = keyof typeof renderers;

const aliasNames = ['check', 'verify'];

/** Prints the completion script of a shell. */
export async function runCompletion(context: Context, program: Command, shell: Shell): Promise<number> {
  await context.terminal.stdout.write(renderers[shell](completionPoints(program)));
  return 0;
}

/** Clauses of a `case` on the word before the cursor, for words that a value follows. */
function valueClauses(
  { flags, secondArguments }: CompletionPoint,
  code: { choices(words: string, isList: boolean): string; dynamic(kind: string): string; files: string },
): string {
  const clauses = [
    ...flags
      .filter(({ takesValue, choices }) => takesValue || choices.length > 0)
      .map(({ names, ...flag }) => ({ word: names.join('|'), ...flag })),
    ...secondArguments.map(({ first, choices }) => ({
      ...{ word: first, choices, dynamic: null, isList: false, takesValue: true },
    })),
  ];
  return clauses
    .map(({ word, choices, dynamic, isList, takesValue }) => {
      const action =
        choices.length > 0 ? code.choices(choices.join(' '), isList) : dynamic ? code.dynamic(dynamic) : code.files;
      return `        ${word}) ${takesValue ? action : `[[ -n $attached ]] && { ${action}; }`} ;;\n`;
    })
    .join('');
}

function pathsOf(points: readonly CompletionPoint[]): string[] {
  return points.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
}

function renderBash(points: readonly CompletionPoint[]): string {
  const clauses = points.map((point) => {
    const { path, subcommands, flags, argument } = point;
    const operands = [...subcommands.map(({ name }) => name), ...argument.choices].join(' ');
    const flagNames = flags.flatMap((flag) => flag.names).join(' ');
    const valueCases = valueClauses(point, {
      choices: (words) => `choices='${words}'`,
      dynamic: (kind) => `dynamic=${kind}`,
      files: 'files=1',
    });
    return `    '${path}')
      words='${operands}'; flags='${flagNames}'; argument='${argument.dynamic ?? ''}'
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
  local path='' next i prefix='' line=()
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
      ${pathsOf(points).join('|')}) path=$next ;;
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

function renderZsh(points: readonly CompletionPoint[]): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''").replaceAll(':', '\\:')}'`;
  const described = (name: string, description: string): string => `      ${quoted(name)}:${quoted(description)}\n`;
  const clauses = points.map((point) => {
    const { path, subcommands, flags, argument } = point;
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
  local path_='' dynamic='' attached='' next before=\${words[CURRENT-1]} i
  local -a subcommands flags choices
  if [[ $PREFIX == --*=* ]]; then
    before=\${PREFIX%%=*} attached=1
    compset -P '*='
  fi
  for ((i = 2; i < CURRENT; i++)); do
    next="\${path_:+$path_ }\${words[i]}"
    case $next in
      ${pathsOf(points).join('|')}) path_=$next ;;
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
  # After a flag, a list is more likely than a command.
  [[ -z $path_ ]] && (( CURRENT > 2 )) && subcommands=()
  if [[ $PREFIX == -* ]]; then
    _describe 'flag' flags
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

function renderFish(points: readonly CompletionPoint[]): string {
  const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = points.flatMap(({ path, subcommands, flags, argument, secondArguments }) => {
    const isAtPath = `__mailvet_at '${path}'`;
    const isFirst = `${isAtPath}; and __mailvet_after ${path.split(' ').at(-1)}`;
    const complete = (options: string, condition = isAtPath): string =>
      `complete -c mailvet -n ${quoted(condition)} ${options}`;
    return [
      ...secondArguments.map(({ first, choices }) =>
        complete(`-f -a ${quoted(choices.join(' '))}`, `${isAtPath}; and __mailvet_after ${first}`),
      ),
      // A list may be given in place of a command.
      ...subcommands.map(({ name, description }) =>
        path === ''
          ? complete(`-a ${name} -d ${quoted(description)}`, '__mailvet_first')
          : complete(`-f -a ${name} -d ${quoted(description)}`),
      ),
      ...(argument.choices.length === 0
        ? []
        : [complete(`-f -a ${quoted(argument.choices.join(' '))}`, secondArguments.length > 0 ? isFirst : isAtPath)]),
      ...(argument.dynamic === null ? [] : [complete(`-f -k -a '(__mailvet_dynamic ${argument.dynamic})'`)]),
      ...flags.flatMap(({ names, description, takesValue, choices, dynamic, isList }) => {
        const flag = names
          .map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
          .join(' ');
        const choiceWords = isList ? `'(__mailvet_list ${choices.join(' ')})'` : quoted(choices.join(' '));
        const values =
          dynamic !== null ? `-k -a '(__mailvet_dynamic ${dynamic})'` : choices.length > 0 ? `-a ${choiceWords}` : '';
        const kind = values === '' ? (takesValue ? ' -r' : '') : takesValue ? ' -x' : ' -f';
        // fish repeats a description behind each value of its line, and shows that of the last line for the flag.
        return [
          ...(values === '' ? [] : [complete(`${flag}${kind} ${values}`)]),
          complete(`${flag}${kind} -d ${quoted(description)}`),
        ];
      }),
    ];
  });
  return `# fish completion for mailvet
function __mailvet_at
  set -l path ''
  for word in (commandline -opc)[2..-1]
    set -l next (string trim "$path $word")
    if contains -- $next ${pathsOf(points).join(' ')}
      set path $next
    else if contains -- $next ${aliasNames.join(' ')}
      set path validate
    end
  end
  # The command may be left out before a list or an address.
  if test -z "$path"
    for word in (commandline -opc)[2..-1]
      if test -f "$word"
        set path bulk
        break
      else if string match -q '*@*' -- $word
        set path validate
        break
      end
    end
  end
  test "$path" = "$argv[1]"
end
# After a flag, a list is more likely than a command.
function __mailvet_first
  test (count (commandline -opc)) -eq 1
end
# A list may be given in place of a command, but many files would hide the commands.
complete -c mailvet -n '__mailvet_first; and test -z (commandline -ct)' -f
function __mailvet_after
  test (commandline -opc)[-1] = $argv[1]
end
function __mailvet_list
  set -l typed (string replace -r '^--[^=]*=' '' -- (commandline -ct))
  set -l prefix (string match -r '^.*,' -- $typed)
  for item in $argv
    contains -- $item (string split , -- $prefix); or echo "$prefix$item"
  end
end
function __mailvet_dynamic
  set -l words (commandline -opc)
  $words[1] complete $argv[1] -- $words[2..-1] 2>/dev/null
end
${lines.join('\n')}
`;
}
