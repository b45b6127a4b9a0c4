/** How many lines end in the text. */
export function countLines(text: string): number {
  return text.match(/\r\n?|\n/g)?.length ?? 0;
}
