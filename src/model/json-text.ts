import { distinctNames, numberedNames } from './distinct-names.js';

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
export function addField(json: string, name: string, value: string): string {
  return `${json.slice(0, -1)},"${name}":${value}}`;
}

/** A JSON text on one line. A line end within a string is escaped, so a literal one is between values. */
export function jsonOnOneLine(json: string): string {
  return json.replace(/[\r\n]\s*/g, ' ');
}
