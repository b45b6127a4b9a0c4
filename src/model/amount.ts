/** A number for people: `12,000`. By hand: the first `toLocaleString` of a process takes some twenty milliseconds. */
export function count(value: number): string {
  const [whole = '', fraction] = String(Math.round(value * 1000) / 1000).split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** So many of a thing: `1 credit`, `12,000 rows`, `0 addresses`. The plural is given where it is more than an `s`. */
export function amount(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A share for people: `97%`, in every table and card alike. */
export function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}
