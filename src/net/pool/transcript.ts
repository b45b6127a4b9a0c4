import type { Clock } from '../../async/clock.js';
import type { DialogueLine } from '../../model/evidence.js';
import type { Trace } from '../smtp/connection.js';

/** One line of a dialogue, and when it came, by the clock to measure by. */
export interface TimedLine {
  at: number;
  from: DialogueLine['from'];
  text: string;
}

/** All that was said about one mailbox, and about those asked for beside it, over the sessions that it took; each line once. */
export class Dialogue {
  readonly lines = new Set<TimedLine>();

  add(said: readonly TimedLine[]): void {
    for (const line of said) this.lines.add(line);
  }
}

/** What one session says: its greeting, and the exchange under way where somebody wants to see it. */
export class Transcript implements Trace {
  on = true;
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

  startExchange(wanted: boolean): void {
    this.on = wanted;
    this.exchange = [];
  }

  copyTo(dialogue: Dialogue | null): void {
    dialogue?.add(this.greeting);
    dialogue?.add(this.exchange);
  }
}
