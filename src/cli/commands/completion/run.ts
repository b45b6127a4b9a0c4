import type { Command } from 'commander';
import { statuses } from '../../../model/verdict.js';
import { knownCodes } from '../../../model/words/sentences.js';
import { definitionOf, settingFields } from '../../../settings/definitions.js';
import type { Context } from '../../context.js';
import { fieldNames } from '../../flags/status-and-field-lists.js';

/** One command as completion sees it. */
interface Spot {
  /** The words that lead here, as `config set`; empty for the program itself. */
  path: string;
  words: { word: string; about: string }[];
  flags: { names: string[]; about: string; takesValue: boolean; choices: readonly string[] }[];
  /** What the argument may be, where that is known. */
  choices: readonly string[];
  /** What may follow an argument, as the levels after `config set level`. */
  after: { word: string; choices: readonly string[] }[];
}

/** Prints the completion script of a shell, made from the tree of commands. */
export async function runCompletion(
  context: Context,
  program: Command,
  shell: 'bash' | 'zsh' | 'fish',
): Promise<number> {
  const render = { bash: renderBash, zsh: renderZsh, fish: renderFish }[shell];
  await context.terminal.stdout.write(render(spotsOf(program, '')));
  return 0;
}

function spotsOf(command: Command, path: string, beside: readonly Command[] = []): Spot[] {
  const helped: KnownArgument = { choices: beside.map((each) => each.name()) };
  const known = command.name() === 'help' ? helped : knownArguments()[path];
  const spot: Spot = {
    path,
    words: shown(command).map((child) => ({ word: child.name(), about: child.summary() || child.description() })),
    flags: command
      .createHelp()
      .visibleOptions(command)
      .map((option) => ({
        names: [option.short, option.long].filter((name) => name != null),
        about: option.description,
        takesValue: option.required || option.optional,
        choices: option.argChoices ?? listChoices[option.long ?? ''] ?? [],
      })),
    choices: command.registeredArguments[0]?.argChoices ?? known?.choices ?? [],
    after: known?.after ?? [],
  };
  const children = shown(command).flatMap((child) => spotsOf(child, `${path} ${child.name()}`.trim(), shown(command)));
  return [spot, ...children];
}

/** Flags that take several of these, of which the first is completed. */
const listChoices: Record<string, readonly string[]> = {
  '--only': statuses,
  '--fail-on': statuses,
  '--fields': fieldNames,
};

type KnownArgument = Pick<Spot, 'choices'> & Partial<Pick<Spot, 'after'>>;

/** Arguments that commander need not know the choices of, since their own Failures say more. */
function knownArguments(): Record<string, KnownArgument> {
  const settings = settingFields.map(definitionOf);
  const keys = settings.map(({ key }) => key);
  const values = settings.flatMap(({ key, kind }) =>
    kind.choices === undefined ? [] : [{ word: key, choices: kind.choices }],
  );
  return {
    explain: { choices: [...statuses, ...knownCodes().map(({ code }) => code)].filter((code) => code !== '') },
    'config get': { choices: keys },
    'config set': { choices: keys, after: values },
    'config unset': { choices: keys },
  };
}

function renderBash(spots: Spot[]): string {
  const arms = spots.map(({ path, words, flags, choices, after }) => {
    const offered = [...words.map(({ word }) => word), ...choices].join(' ');
    const names = flags.flatMap((flag) => flag.names).join(' ');
    const values = flags
      .filter((flag) => flag.choices.length > 0)
      .map((flag) => `        ${flag.names.join('|')}) choices='${flag.choices.join(' ')}' ;;\n`)
      .concat(after.map(({ word, choices: values }) => `        ${word}) choices='${values.join(' ')}' ;;\n`));
    const taking = flags.filter((flag) => flag.takesValue && flag.choices.length === 0).flatMap((flag) => flag.names);
    const files = taking.length === 0 ? '' : `        ${taking.join('|')}) files=1 ;;\n`;
    return `    '${path}')\n      words='${offered}'; flags='${names}'\n      case $before in\n${values.join('')}${files}        *) ;;\n      esac ;;\n`;
  });
  const paths = spots.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  return `# bash completion for mailvet
_mailvet() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} path='' next i
  local words='' flags='' choices='' files=''
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
  elif [[ -n $files ]]; then
    COMPREPLY=($(compgen -f -- "$current"))
  elif [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  elif [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _mailvet mailvet
`;
}

function renderZsh(spots: Spot[]): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''").replaceAll(':', '\\:')}'`;
  const arms = spots.map(({ path, words, flags, choices, after }) => {
    const offered = words.map(({ word, about }) => `      ${quoted(word)}:${quoted(about)}`);
    const named = flags.flatMap(({ names, about }) => names.map((name) => `      ${quoted(name)}:${quoted(about)}`));
    const values = flags
      .filter((flag) => flag.choices.length > 0)
      .map((flag) => `      ${flag.names.join('|')}) compadd -- ${flag.choices.join(' ')}; return ;;\n`)
      .concat(after.map(({ word, choices: values }) => `      ${word}) compadd -- ${values.join(' ')}; return ;;\n`));
    const taking = flags.filter((flag) => flag.takesValue && flag.choices.length === 0).flatMap((flag) => flag.names);
    const files = taking.length === 0 ? '' : `      ${taking.join('|')}) _files; return ;;\n`;
    const plain = choices.length === 0 ? '' : `    plain=(${choices.join(' ')})\n`;
    return `  '${path}')
    case $before in
${values.join('')}${files}    esac
    offered=(
${offered.join('\n')}
    )
    named=(
${named.join('\n')}
    )
${plain}    ;;
`;
  });
  const paths = spots.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  return `#compdef mailvet
_mailvet() {
  local path_='' next before=\${words[CURRENT-1]} i
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
  else
    _files
  fi
}
if [[ \${funcstack[1]} == _mailvet ]]; then _mailvet "$@"; else compdef _mailvet mailvet; fi
`;
}

function renderFish(spots: Spot[]): string {
  const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = spots.flatMap(({ path, words, flags, choices, after }) => {
    const when = `-n ${quoted(`__mailvet_at '${path}'`)}`;
    return [
      ...after.map(
        ({ word, choices: values }) =>
          `complete -c mailvet -n ${quoted(`__mailvet_at '${path}'; and __mailvet_after ${word}`)} -f -a ${quoted(values.join(' '))}`,
      ),
      ...words.map(({ word, about }) => `complete -c mailvet ${when} -f -a ${word} -d ${quoted(about)}`),
      ...(choices.length === 0 ? [] : [`complete -c mailvet ${when} -f -a ${quoted(choices.join(' '))}`]),
      ...flags.map(({ names, about, takesValue, choices: values }) => {
        const spelled = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
        const value = values.length > 0 ? ` -x -a ${quoted(values.join(' '))}` : takesValue ? ' -r' : '';
        return `complete -c mailvet ${when} ${spelled.join(' ')}${value} -d ${quoted(about)}`;
      }),
    ];
  });
  const paths = spots.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  return `# fish completion for mailvet
function __mailvet_at
  set -l path ''
  for word in (commandline -opc)[2..-1]
    set -l next (string trim "$path $word")
    if contains -- $next ${paths.join(' ')}
      set path $next
    end
  end
  test "$path" = "$argv[1]"
end
function __mailvet_after
  test (commandline -opc)[-1] = $argv[1]
end
${lines.join('\n')}
`;
}

/** The commands that help shows: internal ones are none of the user's business. */
function shown(command: Command): readonly Command[] {
  return command.createHelp().visibleCommands(command);
}
