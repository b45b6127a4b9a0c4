/** A size for people: `812 bytes`, `1.4 MB`, in the units of `--max-file-size`. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const [unit, size] = bytes < 1024 ** 2 ? ['kB', 1024] : bytes < 1024 ** 3 ? ['MB', 1024 ** 2] : ['GB', 1024 ** 3];
  const value = bytes / size;
  return `${value < 10 && value % 1 !== 0 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}
