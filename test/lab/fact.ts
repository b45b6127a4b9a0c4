import { factRows } from '../fixtures/fact-rows.js';

/** The expected verdict on an address. */
export interface Fact {
  email: string;
  status: string;
  sub: string;
}

/** The whole name of a domain of the lab. */
export function labDomain(name: string): string {
  return `${name}.vetlab.com`;
}

/** The verdicts under the name of a server, such as `full@exim risky mailbox_quota_exceeded`, for domains of the lab. */
export function factsFrom(server: string): Fact[] {
  return factRows('lab-verdicts', server).map(([email = '', status = '', sub = '']) => ({
    email: labDomain(email),
    status,
    sub,
  }));
}
