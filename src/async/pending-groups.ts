/** Probes that run at the same time; once one waits for the group, later probes form the next group. */
class Group {
  pending = 0;
  isClosed = false;
  /** Resolves once they and all earlier groups are answered. */
  readonly done: Promise<void>;
  end: () => void = () => {};

  constructor(earlierGroups: Promise<void> | undefined) {
    const ownProbes = new Promise<void>((resolve) => {
      this.end = resolve;
    });
    this.done = earlierGroups === undefined ? ownProbes : earlierGroups.then(() => ownProbes);
  }
}

/** Tracks probes that run together: the answer for one mailbox may be evidence for another, in any order of the list. */
export class PendingGroups {
  private readonly groups = new Map<string, Group>();

  /** Adds a probe; the returned function marks it as answered. */
  join(key: string): () => void {
    const last = this.groups.get(key);
    const group = last === undefined || last.isClosed ? new Group(last?.done) : last;
    this.groups.set(key, group);
    group.pending++;
    return () => {
      if (--group.pending > 0) return;
      group.isClosed = true;
      group.end();
      group.done.then(() => {
        if (this.groups.get(key) === group) this.groups.delete(key);
      });
    };
  }

  /** Waits for all probes that are pending now. */
  async waitForAnswers(key: string): Promise<void> {
    const group = this.groups.get(key);
    if (group === undefined) return;
    group.isClosed = true;
    await group.done;
  }
}
