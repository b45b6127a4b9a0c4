import type { Caller } from '../../src/async/caller.js';
import type { Dns } from '../../src/net/dns/dns.js';
import type { DnsAnswer, MxRecord } from '../../src/net/dns/records.js';

export const nxdomain = { state: 'absent', why: 'nxdomain' } as const;
export const nodata = { state: 'absent', why: 'nodata' } as const;
export const timeout = { state: 'failed', why: 'timeout' } as const;
export const servfail = { state: 'failed', why: 'servfail' } as const;
export const refused = { state: 'failed', why: 'refused' } as const;
export const malformed = { state: 'failed', why: 'malformed' } as const;

/** An answer with these records. */
export function found<R>(...records: R[]): DnsAnswer<R> {
  return { state: 'found', records };
}

/** An MX answer from `'10 mx.example.com'` and the like; `'0 .'` is a null MX. */
export function foundMx(...lines: string[]): DnsAnswer<MxRecord> {
  const records = lines.map((line) => {
    const [preference = '', exchange = ''] = line.split(' ');
    return { preference: Number(preference), exchange: exchange === '.' ? '' : exchange };
  });
  return { state: 'found', records };
}

/** Answers by question: `MX example.com`, `A mx.example.com` (both families), `TXT …`, `NS …`, `PTR 192.0.2.1`; `A *.com` for any name there. */
export type DnsTable = Record<string, DnsAnswer<MxRecord> | DnsAnswer<string>>;

/** Answers from the table, records the questions, and throws on a question that is not listed. */
export function fakeDns(table: DnsTable): Dns & { questions: string[] } {
  const questions: string[] = [];
  const answerTo = (type: string, name: string): DnsAnswer<unknown> => {
    questions.push(`${type} ${name}`);
    const answer = table[`${type} ${name}`] ?? table[`${type} *.${name.slice(name.indexOf('.') + 1)}`];
    if (answer === undefined) throw new Error(`the table has no answer for ${type} ${name}`);
    return answer;
  };
  const strings =
    (type: string) =>
    async (name: string, caller?: Caller): Promise<DnsAnswer<string>> => {
      caller?.signal?.throwIfAborted();
      return answerTo(type, name) as DnsAnswer<string>;
    };
  return {
    questions,
    mx: async (name, caller) => {
      caller?.signal?.throwIfAborted();
      return answerTo('MX', name) as DnsAnswer<MxRecord>;
    },
    addresses: strings('A'),
    txt: strings('TXT'),
    ns: strings('NS'),
    reverse: strings('PTR'),
    close: () => undefined,
  };
}
