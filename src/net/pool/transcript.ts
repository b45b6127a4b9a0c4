import type { Clock } from '../../async/clock.js';
import type { DialogueLine } from '../../model/evidence.js';
import type { Trace } from '../smtp/connection.js';

/** One line of a dialogue, and when it came, by the clock to measure by. */
export interface TimedLine {
  at: number;
  from: DialogueLine['from'];
  text: string;
}

/** All that was said about one mailbox, over the sessions that it took. */
export class Dialogue {
  readonly lines: TimedLine[] = [];
  private readonly sessions = new Set<number>();

  /** What a session said of the mailbox; its greeting comes with the first of it. */
  add(session: number, greeting: readonly TimedLine[], said: readonly TimedLine[]): void {
    if (!this.sessions.has(session)) this.lines.push(...greeting);
    this.sessions.add(session);
    this.lines.push(...said);
  }
}

/** What one session says: its greeting, and the exchange under way where somebody wants to see it. */
export class Transcript implements Trace {
  on = true;
  private greeting: readonly TimedLine[] = [];
  private said: TimedLine[] = [];

  /** `session` is its number in this run, from 1. */
  constructor(
    private readonly session: number,
    private readonly clock: Clock,
  ) {}

  line(from: TimedLine['from'], text: string): void {
    this.said.push({ at: this.clock.elapsed(), from, text });
  }

  endGreeting(): void {
    this.greeting = this.said;
    this.said = [];
  }

  begin(wanted: boolean): void {
    this.on = wanted;
    this.said = [];
  }

  copyTo(dialogue: Dialogue | null): void {
    dialogue?.add(this.session, this.greeting, this.said);
  }
}
