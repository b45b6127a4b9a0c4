import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** What the hosts recorded. */
export interface HostBooks {
  connections: number;
  /** Maximum concurrent sessions at one host, without those of suspended processes, and with them. */
  mostSessions: number;
  mostOpen: number;
  /** The address that most of them came from. */
  worst: string;
  /** Listed mailboxes that were asked for. */
  mailboxes: number;
  /** Final answers beyond the first, over all mailboxes, and the maximum for one mailbox. */
  answeredAgain: number;
  mostAnswers: number;
  /** `fromElsewhere`: asked again from another address when the time had come. */
  grey: {
    mailboxes: number;
    answered: number;
    fromElsewhere: number;
    /** The time between the first probes of one mailbox from two addresses, the first and the last. */
    longestApartMs: number[];
  };
  /** How often that worker was refused. */
  refusals: number;
  /** Mailboxes asked for by each address. */
  sources: Record<string, number>;
}

export interface MailHostsOptions {
  hosts: number;
  latencyMs: number;
  /** How long a greylist refuses. */
  greyMs: number;
  /** One host in this many refuses a worker: the first that asks one of them. */
  blockedEvery?: number;
}

export interface MailHosts {
  /** The flags of `mailvet` to reach only these hosts. */
  flags: string[];
  /** Called when the process at that address was suspended: its open sessions do not count. */
  freeze(source: string): void;
  /** Called when it continues or was replaced: its sessions count again. */
  thaw(source: string): void;
  report(): Promise<HostBooks>;
  close(): void;
}

/** Starts scripted mail hosts in their own process. */
export async function startMailHosts(options: MailHostsOptions): Promise<MailHosts> {
  const child = fork(join(import.meta.dirname, 'mail-hosts.mjs'), [JSON.stringify(options)]);
  const { smtpPort, dnsPort } = await messageOf<{ smtpPort: number; dnsPort: number }>(child);
  return {
    flags: [
      ...['--level', 'smtp', '--set', `smtp_port=${smtpPort}`, '--set', `resolvers=127.0.0.1:${dnsPort}`],
      ...['--set', 'allow_networks=127.0.0.0/8', '--set', 'ehlo_name=probe.vetlab.net', '--set', 'ai=false'],
    ],
    freeze: (frozen) => void child.send({ frozen }),
    thaw: (thawed) => void child.send({ thawed }),
    report: () => {
      child.send('report');
      return messageOf<HostBooks>(child);
    },
    close: () => void child.kill('SIGKILL'),
  };
}

async function messageOf<Message>(child: ChildProcess): Promise<Message> {
  const ended = once(child, 'exit').then(([status]) => Promise.reject(new Error(`The mail hosts ended: ${status}`)));
  const [message] = await Promise.race([once(child, 'message'), ended]);
  return message as Message;
}
