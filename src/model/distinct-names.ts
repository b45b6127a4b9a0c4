/** The names of columns at these places, as sentences and `--column` have them. */
export function namesAt(columns: readonly string[], places: readonly number[]): string[] {
  const names = distinctNames(columns);
  return places.map((place) => names[place] ?? `column_${place + 1}`);
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
