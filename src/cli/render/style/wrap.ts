/** Words in lines of at most `width` characters; a word that is longer is cut. The text is made safe beforehand. */
export function wrap(text: string, width: number): string[] {
  const room = Math.max(8, width);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    let rest = word;
    if (line !== '' && line.length + 1 + rest.length <= room) {
      line += ` ${rest}`;
      continue;
    }
    if (line !== '') lines.push(line);
    for (; rest.length > room; rest = rest.slice(room)) lines.push(rest.slice(0, room));
    line = rest;
  }
  if (line !== '') lines.push(line);
  return lines.length === 0 ? [''] : lines;
}

/** The same after a label, with further lines set in beneath the text. `first` may be painted: its width is `indent`. */
export function hang(first: string, indent: number, text: string, columns: number): string {
  return wrap(text, columns - indent)
    .map((line, index) => `${index === 0 ? first : ' '.repeat(indent)}${line}\n`)
    .join('');
}
