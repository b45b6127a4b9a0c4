/** A regular expression with Unicode properties, compiled on first use: literals would slow the start. */
export function unicodePattern(source: string, flags = 'u'): () => RegExp {
  let compiled: RegExp | undefined;
  return () => {
    compiled ??= new RegExp(source, flags);
    return compiled;
  };
}
