/**
 * A pattern over Unicode properties, made when it is first used. V8 gathers the characters of a literal while it reads the file,
 * which would cost every start milliseconds for what few addresses need.
 */
export function unicodePattern(source: string, flags = 'u'): () => RegExp {
  let made: RegExp | undefined;
  return () => {
    made ??= new RegExp(source, flags);
    return made;
  };
}
