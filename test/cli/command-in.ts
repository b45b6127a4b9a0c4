/** The first command in a text, with the lines that its backslashes continue. */
export function commandIn(text: string): string {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => /(^|\s)mailvet (?!retries)[a-z-]+ /.test(line));
  const last = lines.findIndex((line, at) => at >= first && !line.endsWith('\\'));
  const command = lines.slice(first, last + 1).join('\n');
  // A description of the command may follow on the same line.
  return command.slice(command.indexOf('mailvet ')).replace(/(?<=\S) {3}\S.*$/, '');
}
