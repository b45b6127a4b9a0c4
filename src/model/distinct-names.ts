/** The names of columns at these places, as sentences and `--column` have them. */
export function namesAt(columns: readonly string[], places: readonly number[]): string[] {
  const names = distinctNames(columns);
  return places.map((place) => names[place] ?? `column_${place + 1}`);
}

/** Gives the cells of a row by the names of their columns; cells beyond the header are called `column_5`. */
export function cellsByColumn(columns: readonly string[]): (cells: readonly string[]) => Record<string, string> {
  let names = distinctNames(columns);
  return (cells) => {
    const width = Math.max(columns.length, cells.findLastIndex((cell) => cell !== '') + 1);
    if (names.length < width) names = distinctNames([...names, ...numberedNames(names.length, width)]);
    // From entries, so that a column named __proto__ is an own property.
    return Object.fromEntries(names.slice(0, width).map((name, index) => [name, cells[index] ?? '']));
  };
}

function numberedNames(from: number, end: number): string[] {
  return Array.from({ length: end - from }, (_, index) => `column_${from + index + 1}`);
}

/** Makes column names unique: a second `note` becomes `note_2`. */
export function distinctNames(names: readonly string[]): string[] {
  const usedNames = new Set(names);
  const counts = new Map<string, number>();
  return names.map((name) => {
    let number = counts.get(name) ?? 0;
    if (number === 0) {
      counts.set(name, 1);
      return name;
    }
    do number++;
    while (usedNames.has(`${name}_${number}`));
    counts.set(name, number);
    usedNames.add(`${name}_${number}`);
    return `${name}_${number}`;
  });
}
