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
