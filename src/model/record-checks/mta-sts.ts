import { type RecordCheck, singleRecord } from './record-check.js';

/** Whether the domain announces an MTA-STS policy (RFC 8461). The policy itself is not fetched. */
export const mtaSts = {
  name: 'mtaSts',
  label: 'MTA-STS',
  field: 'has_mta_sts',
  documented: false,
  description: 'The domain announces an MTA-STS policy (RFC 8461) with one TXT record.',
  noAnswer: null,
  // RFC 8461 §3.1: the version comes first; more than one record counts as none.
  check: async (domain, { txt }) =>
    singleRecord(await txt(`_mta-sts.${domain}`), (text) => /^v=STSv1[ \t]*;/.test(text)),
} as const satisfies RecordCheck;
