/** So many bytes for people: `812 bytes`, `1.4 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  const [unit, size] = bytes < 1e6 ? ['kB', 1e3] : bytes < 1e9 ? ['MB', 1e6] : ['GB', 1e9];
  const value = bytes / size;
  return `${value < 10 && value % 1 !== 0 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}
