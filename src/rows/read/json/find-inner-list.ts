/** Where a list of addresses lies within an object of JSON. */
interface InnerList {
  /** The names that lead to it, with dots between them. */
  path: string;
  /** Where its bracket stands in the sample. */
  at: number;
  /** How many objects it lies in. */
  depth: number;
}

/** The first array of the sample, within objects, whose first element is an address or an object with one; null where there is none. */
export function findInnerList(sample: string): InnerList | null {
  const names: string[] = [];
  let name = '';
  for (let at = 0; at < sample.length; at++) {
    const char = sample.charAt(at);
    if (char === '"') {
      const end = closingJsonQuote(sample, at);
      if (end === -1) return null;
      name = sample.slice(at + 1, end);
      at = end;
    } else if (char === '{') {
      names.push(name);
      if (names.length > maxInnerDepth) return null;
    } else if (char === '}') names.pop();
    else if (char === '[') {
      const end = matchingBracket(sample, at);
      const inner = sample.slice(at + 1, end === -1 ? sample.length : end);
      if (
        names.length > 0 &&
        /^\s*(?:\{[\s\S]*?"[^"]*[^"\s@]@[^"\s@]|"[^"\s@]+@)/.test(inner.slice(0, maxLookedChars))
      ) {
        return { path: [...names.slice(1), name].join('.'), at, depth: names.length };
      }
      if (end === -1) return null;
      at = end;
    }
  }
  return null;
}

const maxInnerDepth = 8;
const maxLookedChars = 1024 * 1024;

function closingJsonQuote(text: string, open: number): number {
  let at = text.indexOf('"', open + 1);
  while (at !== -1) {
    let slashes = 0;
    while (text.charAt(at - 1 - slashes) === '\\') slashes++;
    if (slashes % 2 === 0) return at;
    at = text.indexOf('"', at + 1);
  }
  return -1;
}

function matchingBracket(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '"') {
      const end = closingJsonQuote(text, at);
      if (end === -1) return -1;
      at = end;
    } else if (char === '[') depth++;
    else if (char === ']' && --depth === 0) return at;
  }
  return -1;
}
