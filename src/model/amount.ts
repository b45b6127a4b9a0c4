/** A number for people: `12,000`. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** So many of a thing: `1 credit`, `12,000 rows`, `0 addresses`. The plural is given where it is more than an `s`. */
export function amount(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A share for people: `97 %`, in every table and card alike. */
export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
