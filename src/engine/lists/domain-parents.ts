/** The first of `domain` and its parents with at least `minLabels` labels that satisfies `test`, or null. */
export function findParentDomain(domain: string, minLabels: 1 | 2, test: (name: string) => boolean): string | null {
  const lastDot = domain.lastIndexOf('.');
  for (let name = domain, dot = 0; ; ) {
    if (test(name)) return name;
    dot = domain.indexOf('.', dot) + 1;
    if (dot === 0 || (minLabels === 2 && dot > lastDot)) return null;
    name = domain.slice(dot);
  }
}
