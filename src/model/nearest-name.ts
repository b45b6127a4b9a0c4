/** The most similar name, ignoring case; null if none is close enough. */
export function nearestName(target: string, names: readonly string[]): string | null {
  let nearest: string | null = null;
  let minDistance = Math.floor(target.length / 3) + 1;
  for (const name of names.slice(0, 1000)) {
    if (Math.abs(name.length - target.length) >= minDistance) continue;
    const distance = editDistance(target.toLowerCase(), name.toLowerCase());
    if (distance < minDistance) {
      minDistance = distance;
      nearest = name;
    }
  }
  return nearest;
}

/** Damerau-Levenshtein in its restricted form: insert, delete, replace, transpose. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaceCost = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(replaceCost, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
