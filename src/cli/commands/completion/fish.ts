import type { CompletionPoint } from './completion-points.js';
import { aliasNames, pathsOf } from './script-parts.js';

/** The completion script of fish. */
export function renderFish(points: readonly CompletionPoint[]): string {
  const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = points.flatMap(({ path, subcommands, flags, argument, maxArguments, secondArguments }) => {
    const isAtPath = `__mailvet_at '${path}'`;
    const depth = path.split(' ').length;
    const hasRoom = maxArguments === null ? isAtPath : `${isAtPath}; and __mailvet_room ${depth}`;
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
        : [complete(`-f -a ${quoted(argument.choices.join(' '))}`, secondArguments.length > 0 ? isFirst : hasRoom)]),
      ...(argument.dynamic === null ? [] : [complete(`-f -k -a '(__mailvet_dynamic ${argument.dynamic})'`, hasRoom)]),
      ...(maxArguments === null
        ? []
        : [complete('-f', `${isAtPath}; and not __mailvet_room ${depth + maxArguments - 1}`)]),
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
# At most that many words that are neither flags nor their values.
function __mailvet_room
  set -l count 0
  set -l before ''
  for word in (commandline -opc)[2..-1]
    string match -q -- '-*' $word; or string match -q -- '-*' "$before"; or set count (math $count + 1)
    set before $word
  end
  test $count -le $argv[1]
end
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
