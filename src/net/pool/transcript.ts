import type { Clock } from '../../async/clock.js';
import type { DialogueLine } from '../../model/evidence.js';
import type { Trace } from '../smtp/connection.js';

/** One line of a dialogue, with its monotonic time. */
interface TimedLine {
  at: number;
  from: DialogueLine['from'];
  text: string;
}

/** The dialogue about one mailbox and its controls, over all sessions that it took; each line once. */
export type Dialogue = Set<TimedLine>;

/** Records one session: its greeting, and the current exchange if that is wanted. */
export class Transcript implements Trace {
  isEnabled = true;
  private greeting: readonly TimedLine[] = [];
  private exchange: TimedLine[] = [];

  constructor(private readonly clock: Clock) {}

  line(from: TimedLine['from'], text: string): void {
    this.exchange.push({ at: this.clock.elapsed(), from, text });
  }

  endGreeting(): void {
    this.greeting = this.exchange;
    this.exchange = [];
  }

  startExchange(isRecorded: boolean): void {
    this.isEnabled = isRecorded;
    this.exchange = [];
  }

  copyTo(dialogue: Dialogue | null): void {
    for (const line of [...this.greeting, ...this.exchange]) dialogue?.add(line);
  }
}
