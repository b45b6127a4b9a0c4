import type { CompletionPoint } from './completion-points.js';

/** Other names of `validate`. */
export const aliasNames = ['check', 'verify'];

/** Clauses of a `case` on the word before the cursor, for words that a value follows. */
export function valueClauses(
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

/** The paths of all commands, quoted. */
export function pathsOf(points: readonly CompletionPoint[]): string[] {
  return points.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
}
