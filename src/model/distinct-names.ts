/** The names of columns, each of them once: of two that are called `note`, the second is `note_2`. Names that were distinct stay. */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set(names);
  const met = new Map<string, number>();
  return names.map((name) => {
    let number = met.get(name) ?? 0;
    if (number === 0) {
      met.set(name, 1);
      return name;
    }
    do number++;
    while (taken.has(`${name}_${number}`));
    met.set(name, number);
    taken.add(`${name}_${number}`);
    return `${name}_${number}`;
  });
}
