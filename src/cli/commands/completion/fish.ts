import type { CompletionPoint } from './completion-points.js';

/** The completion script of fish. */
export function renderFish(spots: CompletionPoint[]): string {
  const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = spots.flatMap(({ path, words, flags, choices, listed, after }) => {
    const when = `-n ${quoted(`__mailvet_at '${path}'`)}`;
    return [
      ...after.map(
        ({ word, choices: values }) =>
          `complete -c mailvet -n ${quoted(`__mailvet_at '${path}'; and __mailvet_after ${word}`)} -f -a ${quoted(values.join(' '))}`,
      ),
      ...words.map(({ word, about }) => `complete -c mailvet ${when} -f -a ${word} -d ${quoted(about)}`),
      ...(choices.length === 0 ? [] : [`complete -c mailvet ${when} -f -a ${quoted(choices.join(' '))}`]),
      ...(listed === null ? [] : [`complete -c mailvet ${when} -f -k -a '(__mailvet_listed ${listed})'`]),
      ...flags.map(({ names, about, takesValue, choices: values, listed: known }) => {
        const spelled = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
        const asked = known === null ? null : ` -x -k -a '(__mailvet_listed ${known})'`;
        const value = asked ?? (values.length > 0 ? ` -x -a ${quoted(values.join(' '))}` : takesValue ? ' -r' : '');
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
function __mailvet_listed
  set -l words (commandline -opc)
  $words[1] complete $argv[1] -- $words[2..-1] 2>/dev/null
end
${lines.join('\n')}
`;
}
