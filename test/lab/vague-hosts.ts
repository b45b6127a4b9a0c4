import { vagueRefusals } from '../fixtures/vague-refusals.js';
import { type Fact, labDomain } from './fact.js';
import { startHosts } from './misbehaving.js';

interface VagueHost {
  domain: string;
  address: string;
  refusal: string;
  /** The mailboxes of the host; none: it refuses every mailbox. */
  mailboxes: readonly string[];
}

/** Rules about the client, from which hosts exempt postmaster, and hedged words: neither proves an absence. */
const policies = [
  '550 5.7.1 Access denied',
  '554 5.7.1 <{}>: Recipient address rejected',
  '550 Rejected by local policy',
  '550 Connections from your country are not allowed',
  '550 found in sbl-xbl.example.org',
  '550 We do not accept mail from this host',
  '550 Automatically-generated messages are not accepted',
  '550 Mailbox unavailable or access denied',
  '551 <{}>: user unknown or mailbox full',
];

/** For each vague wording, a host that refuses every mailbox with it, and two that refuse only missing ones. */
const hosts: VagueHost[] = [
  ...vagueRefusals.flatMap(threeHosts),
  ...policies.map(policyHost),
  // The words of Exchange Online from another host.
  {
    domain: 'notexchange',
    address: '127.0.45.1',
    refusal: '550 5.4.1 Recipient address rejected: Access denied',
    mailboxes: [],
  },
];

function policyHost(refusal: string, index: number): VagueHost {
  return { domain: `policy${index}`, address: `127.0.44.${index + 1}`, refusal, mailboxes: ['postmaster'] };
}

function threeHosts(refusal: string, index: number): VagueHost[] {
  return [
    { domain: `vagueall${index}`, address: `127.0.41.${index + 1}`, refusal, mailboxes: [] },
    { domain: `vague${index}`, address: `127.0.42.${index + 1}`, refusal, mailboxes: ['jane', 'postmaster'] },
    // It has no postmaster, like many hosts: another accepted mailbox proves as much.
    { domain: `vaguejane${index}`, address: `127.0.43.${index + 1}`, refusal, mailboxes: ['jane'] },
  ];
}

/** The address of each domain's host. */
export const vagueDomains = Object.fromEntries(hosts.map(({ domain, address }) => [domain, address]));

export const vagueFacts: Fact[] = hosts.flatMap(({ domain, mailboxes }) => {
  const jane = { email: `jane@${labDomain(domain)}`, status: 'valid', sub: '' };
  const ghost = { email: `ghost@${labDomain(domain)}`, status: 'invalid', sub: 'mailbox_not_found' };
  const untold = { status: 'unknown', sub: 'antispam_system' };
  if (mailboxes.includes('jane')) return [ghost, jane];
  return [jane, ghost].map(({ email }) => ({ email, ...untold }));
});

/** Starts them all on port 25 of their addresses. */
export const startVagueHosts = () =>
  startHosts(
    hosts.map(({ address, refusal, mailboxes }) => {
      const isKnown = (mailbox: string) => mailboxes.some((name) => mailbox.startsWith(`${name}@`));
      return [address, { rcpt: (mailbox) => (isKnown(mailbox) ? '250 Ok' : refusal.replace('{}', mailbox)) }];
    }),
  );
