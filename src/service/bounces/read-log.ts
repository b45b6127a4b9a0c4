import { parseAddress } from '../../engine/grammar/parse-address.js';
import { providerOf, providerTraits } from '../../engine/lists/providers.js';
import { registrableDomain } from '../../engine/lists/public-suffix.js';
import { classifyFailure, unreadable } from './classify-failure.js';
import { readDate } from './read-date.js';
import { delivered } from './read-events.js';
import type { LocatedReading } from './read-table.js';

const syslogStamp = String.raw`(?:<\d{1,3}>)?(\w{3} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S{0,20})`;
const eximStamp = String.raw`(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?(?: [+-]\d{4})?)`;
const logLine = new RegExp(String.raw`^(?:${syslogStamp} \S{1,255} [\w./-]{1,100}(?:\[\d+\])?:|${eximStamp} )`);

/** Whether a line is one of syslog, or of Exim's main log. */
export function isLogLine(line: string): boolean {
  return logLine.test(line);
}

/** Postfix: the fields are read from the start of the line, since a remote server chooses the words in parentheses. */
const postfixLine = new RegExp(
  String.raw`^${syslogStamp} (\S+) [\w./-]+/(\w+)\[\d+\]: (?:\[ID [^\]]{1,40}\] )?(\w+): to=<([^>]*)>,(?: orig_to=<([^>]*)>,)? relay=([^,]*), (?:[a-z_]+=[^ ,]*, )*?dsn=([245]\.\d{1,3}\.\d{1,3}), status=(sent|bounced|deferred) \((.*)\)\s*$`,
);
const postfixExpiry = new RegExp(
  String.raw`^${syslogStamp} (\S+) \S+/qmgr\[\d+\]: (\w+): from=<[^>]*>, status=expired,`,
);
/** Exim: when, the message, what happened, the address, and the one that it was made from. */
const eximLine = new RegExp(
  String.raw`^(?:${syslogStamp} \S+ exim\S*: )?${eximStamp} (?:\[\d+\] )?(\w{6}-\w{6,11}-\w{2,4}) (=>|->|\*\*|==) ("[^"]*"@\S+?|\S+?)(?: <([^>]*)>)?(?::|(?= )|$)(.*)$`,
);
/** A remote host, its address, and its port if it is logged. In Exim's line, they come before what the host said. */
const postfixRelay = /^([^[\]]+)\[([\da-f.:]+)\]:(\d+)$/i;
const eximRelay = / T=(\S+) .*?\bH=(\S+) \[([\da-f.:]+)\](?::(\d+))?/i;
const decisive = /, status=[sbde]| (?:=>|->|\*\*|==) /g;

/** The fate of one recipient. */
interface LogEntry {
  stamp: string;
  /** Names the message, on the host that logs it. */
  queue: string;
  outcome: 'delivered' | 'bounced' | 'deferred' | 'local';
  address: string;
  relay: string;
  status: string | null;
  text: string;
}

const maxLineLength = 64 * 1024;
const maxDeferred = 20_000;

/**
 * Reads mail logs of Postfix and Exim in flat memory: each recipient that a remote host accepted after DATA, and each that
 * bounced. Deliveries on this machine are `other`, deferrals are delays. `lastChangeAt`: no line is later, which gives the year
 * that syslog does not write.
 */
export async function* readLog(
  pieces: AsyncIterable<Uint8Array>,
  name: string,
  lastChangeAt: number,
  onSkipped: (sentence: string) => void,
): AsyncGenerator<LocatedReading[]> {
  const reader = new LogReader(name, lastChangeAt);
  let sample: LocatedReading[] | null = [];
  let smarthosts: readonly string[] = [];
  const endSample = (held: LocatedReading[]): LocatedReading[] => {
    smarthosts = findSmarthosts(held);
    for (const host of smarthosts)
      onSkipped(`${name}: ${host} takes the mail of all domains, so what it took is not delivered. Read its own log.`);
    sample = null;
    return withoutHosts(held, smarthosts);
  };
  let rest = Buffer.alloc(0);
  for await (const piece of withLastLineEnd(pieces)) {
    const block = Buffer.concat([rest, piece]);
    const lineEnd = block.lastIndexOf(0x0a) + 1;
    // A longer line is cut.
    const end = block.length - lineEnd > maxLineLength ? block.length : lineEnd;
    const readings = reader.read(block.subarray(0, end));
    rest = block.subarray(end);
    if (sample === null) yield withoutHosts(readings, smarthosts);
    else if (sample.push(...readings) >= sampleSize) yield endSample(sample);
  }
  if (sample !== null) yield endSample(sample);
}

async function* withLastLineEnd(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces;
  yield Buffer.from('\n');
}

class LogReader {
  private offset = 0;
  /** The last deferral of each recipient: the line about an expired message does not name its recipients. */
  private deferred = new Map<string, LogEntry[]>();
  private last = { stamp: '', date: '', minuteAt: Number.NaN };

  constructor(
    private readonly name: string,
    private readonly lastChangeAt: number,
  ) {}

  /** Reads whole lines. */
  read(block: Buffer): LocatedReading[] {
    const readings: LocatedReading[] = [];
    const text = block.toString('latin1');
    decisive.lastIndex = 0;
    for (let hit = decisive.exec(text); hit !== null; hit = decisive.exec(text)) {
      const start = text.lastIndexOf('\n', hit.index) + 1;
      const end = text.indexOf('\n', hit.index);
      if (end === -1) break;
      // Decoded again: a part of `text` would keep all of it in memory.
      this.readLine(block.toString('utf8', start, end), `${this.name}:${this.offset + start}`, readings);
      decisive.lastIndex = end + 1;
    }
    this.offset += block.length;
    return readings;
  }

  private readLine(line: string, source: string, readings: LocatedReading[]): void {
    const entry = parseEntry(line);
    if (entry === null) {
      const [, stamp = '', host, queue] = postfixExpiry.exec(line) ?? [];
      for (const each of this.deferred.get(`${host} ${queue}`) ?? [])
        readings.push(this.bounceOf({ ...each, stamp }, source));
    } else if (entry.outcome === 'deferred') {
      this.wait(entry, [entry]);
      readings.push({ type: 'delay', source });
    } else {
      if (this.deferred.has(entry.queue)) this.wait(entry, []);
      readings.push(entry.outcome === 'local' ? { type: 'other', source } : this.bounceOf(entry, source));
    }
  }

  private wait({ queue, address }: LogEntry, entries: readonly LogEntry[]): void {
    const others = this.deferred.get(queue)?.filter((each) => each.address !== address) ?? [];
    const waiting = [...others, ...entries].slice(-1_000);
    if (waiting.length > 0) this.deferred.set(queue, waiting);
    else this.deferred.delete(queue);
    if (this.deferred.size > maxDeferred) this.deferred = new Map([...this.deferred].slice(maxDeferred / 2));
  }

  private bounceOf(entry: LogEntry, source: string): LocatedReading {
    const { relay, status, text, outcome, queue, stamp } = entry;
    const address = parseAddress(entry.address).ok ? entry.address : '';
    const found =
      address === ''
        ? unreadable
        : outcome === 'delivered'
          ? delivered
          : classifyFailure({ recipient: address, text, status, remoteMta: relay });
    const bounce = {
      address,
      date: this.dateOf(stamp),
      kind: found.kind,
      status: found.status,
      sub_status: found.sub_status,
      reply: outcome === 'delivered' ? replyIn(text) : found.reply,
      reporting_mta: relay,
      message_id: '',
    };
    return { type: 'bounce', bounces: [bounce], noticeId: `${stamp} ${queue}`, source };
  }

  /** Many lines are of the same second as the one before, and most of the same minute. */
  private dateOf(stamp: string): string {
    if (stamp === this.last.stamp) return this.last.date;
    const seconds = stamp.indexOf(':') + 4;
    const minute = stamp.slice(0, seconds);
    let { minuteAt } = this.last;
    const hasZone = stamp.length > seconds + 2;
    if (!hasZone && !this.last.stamp.startsWith(minute))
      minuteAt = Date.parse(readDate(`${minute}00`, this.lastChangeAt));
    const time = minuteAt + Number(stamp.slice(seconds)) * 1_000;
    const date = hasZone ? readDate(stamp, this.lastChangeAt) : Number.isNaN(time) ? '' : new Date(time).toISOString();
    this.last = { stamp, date, minuteAt };
    return date;
  }
}

function parseEntry(line: string): LogEntry | null {
  const postfix = postfixLine.exec(line);
  if (postfix !== null) {
    const [, stamp = '', host, program, queue, to = '', origin = '', relay = '', status = '', word, text = ''] =
      postfix;
    const [, name = '', ip = '', port] = postfixRelay.exec(relay) ?? [];
    const isRemote = program === 'smtp' && port === '25' && !isThisMachine(ip);
    const outcome =
      word === 'deferred' ? 'deferred' : word === 'bounced' ? 'bounced' : isRemote ? 'delivered' : 'local';
    // The address that was mailed, not the one that an alias of this machine made of it.
    const address = origin.includes('@') ? origin : to;
    return { stamp, queue: `${host} ${queue}`, outcome, address, relay: name, status, text };
  }
  const exim = eximLine.exec(line);
  if (exim === null) return null;
  const [, , stamp = '', queue = '', mark, to = '', origin = '', text = ''] = exim;
  const [, transport = '', relay = '', ip = '', port = '25'] = eximRelay.exec(text.slice(0, 1_000)) ?? [];
  const isRemote = relay !== '' && port === '25' && !/lmtp/i.test(transport) && !isThisMachine(ip);
  const outcome = mark === '==' ? 'deferred' : mark === '**' ? 'bounced' : isRemote ? 'delivered' : 'local';
  return { stamp, queue, outcome, address: origin.includes('@') ? origin : to, relay, status: null, text: text.trim() };
}

/** A filter of this machine, which takes all mail. */
function isThisMachine(ip: string): boolean {
  return ip === '127.0.0.1' || ip === '::1';
}

/** The reply to DATA, as Exim (`C="…"`) and Postfix write it. */
function replyIn(text: string): string {
  return (/\bC="(.*?)"(?: [A-Z]+=|$)/.exec(text)?.[1] ?? (/^[2]\d\d /.test(text) ? text : '')).slice(0, 500);
}

const sampleSize = 5_000;
const minDomains = 3;

/** Without deliveries to relays that take the mail of all domains: they say nothing about mailboxes. */
function withoutHosts(readings: LocatedReading[], hosts: readonly string[]): LocatedReading[] {
  if (hosts.length === 0) return readings;
  return readings.map((reading) => {
    const [bounce] = reading.type === 'bounce' ? reading.bounces : [];
    const isHandedOn = bounce?.kind === 'delivered' && hosts.includes(bounce.reporting_mta);
    return isHandedOn ? { type: 'other', source: reading.source } : reading;
  });
}

/** A relay that took at least 80% of the domains, unless it is a mailbox provider's. */
function findSmarthosts(readings: readonly LocatedReading[]): string[] {
  const domainsOf = new Map<string, Set<string>>();
  const all = new Set<string>();
  for (const reading of readings) {
    const [bounce] = reading.type === 'bounce' ? reading.bounces : [];
    if (bounce?.kind !== 'delivered') continue;
    const domain = bounce.address.slice(bounce.address.lastIndexOf('@') + 1).toLowerCase();
    const name = registrableDomain(domain) ?? domain;
    const domains = domainsOf.get(bounce.reporting_mta) ?? new Set();
    domainsOf.set(bounce.reporting_mta, domains.add(name));
    all.add(name);
  }
  const isShared = (host: string, { size }: ReadonlySet<string>): boolean =>
    size >= minDomains &&
    size >= 0.8 * all.size &&
    (providerTraits(providerOf('', [host])) === null || /^smtp/i.test(host));
  return [...domainsOf].flatMap(([host, domains]) => (isShared(host, domains) ? [host] : []));
}
