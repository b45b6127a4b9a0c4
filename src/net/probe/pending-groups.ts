/** Mailboxes that are asked for at the same time; once somebody waits for them, newcomers form the next group. */
class Group {
  left = 0;
  closed = false;
  /** Fulfilled once they are answered, and those of the groups before. */
  readonly over: Promise<void>;
  end: () => void = () => {};

  constructor(before: Promise<void> | undefined) {
    const own = new Promise<void>((resolve) => {
      this.end = resolve;
    });
    this.over = before === undefined ? own : before.then(() => own);
  }
}

/** Which mailboxes are asked for together: what a host says of one may be evidence for another, whichever stands first in a list. */
export class PendingGroups {
  private readonly groups = new Map<string, Group>();

  /** One more is asked for; the returned function says that it was answered. */
  join(key: string): () => void {
    const last = this.groups.get(key);
    const group = last === undefined || last.closed ? new Group(last?.over) : last;
    this.groups.set(key, group);
    group.left++;
    return () => {
      if (--group.left > 0) return;
      group.closed = true;
      group.end();
      group.over.then(() => {
        if (this.groups.get(key) === group) this.groups.delete(key);
      });
    };
  }

  /** Waits for all that are asked for now. */
  async answered(key: string): Promise<void> {
    const group = this.groups.get(key);
    if (group === undefined) return;
    group.closed = true;
    await group.over;
  }
}
