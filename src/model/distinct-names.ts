/** The names of columns at these places, as sentences and `--column` have them. */
export function namesAt(columns: readonly string[], places: readonly number[]): string[] {
  const names = distinctNames(columns);
  return places.map((place) => names[place] ?? `column_${place + 1}`);
}

/** Encodes the cells of a row as a JSON object by the names of their columns; cells beyond the header are called `column_5`. */
export function cellsEncoder(columns: readonly string[]): (cells: readonly string[]) => string {
  let names = distinctNames(columns);
  let keys = names.map((name) => JSON.stringify(name));
  return (cells) => {
    const width = Math.max(columns.length, cells.findLastIndex((cell) => cell !== '') + 1);
    if (names.length < width) {
      names = distinctNames([...names, ...numberedNames(names.length, width)]);
      keys = names.map((name) => JSON.stringify(name));
    }
    let text = '';
    for (let at = 0; at < width; at++) text += `${at === 0 ? '' : ','}${keys[at]}:${JSON.stringify(cells[at] ?? '')}`;
    return `{${text}}`;
  };
}

/** The JSON of an object with one more field, which is JSON already. */
export function withField(json: string, name: string, value: string): string {
  return `${json.slice(0, -1)},"${name}":${value}}`;
}

/** A JSON text on one line. A line end within a string is escaped, so a literal one is between values. */
export function jsonOnOneLine(json: string): string {
  return json.replace(/[\r\n]\s*/g, ' ');
}

/** True if all columns have the names that are generated for a table without a header. */
export function areGeneratedNames(columns: readonly string[]): boolean {
  return columns.length > 0 && numberedNames(0, columns.length).every((name, index) => name === columns[index]);
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
