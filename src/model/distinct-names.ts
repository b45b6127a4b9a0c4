/** The names of columns at these places, as sentences and `--column` have them. */
export function namesAt(columns: readonly string[], places: readonly number[]): string[] {
  const names = distinctNames(columns);
  return places.map((place) => names[place] ?? `column_${place + 1}`);
}

/** True if all columns have the names that are generated for a table without a header. */
export function areGeneratedNames(columns: readonly string[]): boolean {
  return columns.length > 0 && numberedNames(0, columns.length).every((name, index) => name === columns[index]);
}

/** The generated names of columns: `column_5` for the fifth. */
export function numberedNames(from: number, end: number): string[] {
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
