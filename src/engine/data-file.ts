/** Where a data file of the engine lies. In dist, too, `data` is beside the file that this ends up in. */
export function dataUrl(name: string): URL {
  return new URL(`./data/${name}`, import.meta.url);
}
