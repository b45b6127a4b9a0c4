interface LruOptions {
  maxEntries: number;
  /** The limit for the sum of all weights given to `setWeight`. */
  maxWeight?: number;
  /** How long an entry is valid unless `set` says otherwise; forever by default. */
  ttlMs?: number;
  /** Milliseconds; never jumps. */
  now?: () => number;
}

interface Entry<Value> {
  value: Value;
  expiresAt: number;
  weight: number;
}

/**
 * A bounded map that evicts entries that were not used recently, and does not return expired ones. The most recent half of
 * `maxEntries` is always kept, unless it is too heavy.
 */
export class LruMap<Value> {
  // Two generations approximate the order of use. V8 makes it slow to delete the oldest entry of a Map one by one.
  private young = new Map<string, Entry<Value>>();
  private old = new Map<string, Entry<Value>>();
  private readonly generationSize: number;
  private readonly generationWeight: number;
  private youngWeight = 0;
  private readonly ttlMs: number;
  private readonly now: () => number;

  constructor({
    maxEntries,
    maxWeight = Number.POSITIVE_INFINITY,
    ttlMs = Number.POSITIVE_INFINITY,
    now = () => performance.now(),
  }: LruOptions) {
    this.generationSize = Math.max(1, Math.floor(maxEntries / 2));
    this.generationWeight = maxWeight / 2;
    this.ttlMs = ttlMs;
    this.now = now;
  }

  /** Entries held, expired ones included; at most `maxEntries`. */
  get size(): number {
    return this.young.size + this.old.size;
  }

  /** Entries that have not expired; scans all of them. */
  countValid(): number {
    const now = this.now();
    let count = 0;
    for (const { expiresAt } of this.young.values()) if (expiresAt > now) count++;
    for (const [key, { expiresAt }] of this.old) if (expiresAt > now && !this.young.has(key)) count++;
    return count;
  }

  get(key: string): Value | undefined {
    const entry = this.size === 0 ? undefined : (this.young.get(key) ?? this.promote(key));
    if (entry === undefined) return undefined;
    if (entry.expiresAt === Number.POSITIVE_INFINITY || this.now() < entry.expiresAt) return entry.value;
    this.delete(key);
    return undefined;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  set(key: string, value: Value, ttlMs: number = this.ttlMs): void {
    const expiresAt = ttlMs === Number.POSITIVE_INFINITY ? ttlMs : this.now() + ttlMs;
    this.insert(key, { value, expiresAt, weight: 0 });
  }

  /** The value of a key, created if there is none. */
  getOrCreate(key: string, create: (key: string) => Value): Value {
    const existing = this.get(key);
    if (existing !== undefined) return existing;
    const value = create(key);
    this.set(key, value);
    return value;
  }

  /** Sets the weight of a stored value, in any unit, and evicts others if the sum is too much. */
  setWeight(key: string, weight: number): void {
    const entry = this.young.get(key) ?? this.old.get(key);
    if (entry === undefined) return;
    if (this.young.has(key)) this.youngWeight += weight - entry.weight;
    entry.weight = weight;
    if (this.youngWeight > this.generationWeight) this.startGeneration();
  }

  delete(key: string): void {
    this.youngWeight -= this.young.get(key)?.weight ?? 0;
    this.young.delete(key);
    this.old.delete(key);
  }

  *values(): Generator<Value> {
    for (const { value } of this.young.values()) yield value;
    for (const [key, { value }] of this.old) if (!this.young.has(key)) yield value;
  }

  private promote(key: string): Entry<Value> | undefined {
    const entry = this.old.get(key);
    if (entry !== undefined) this.insert(key, entry);
    return entry;
  }

  private insert(key: string, entry: Entry<Value>): void {
    let replaced = this.young.get(key);
    const weight = this.youngWeight + entry.weight - (replaced?.weight ?? 0);
    if ((this.young.size >= this.generationSize && replaced === undefined) || weight > this.generationWeight) {
      this.startGeneration();
      replaced = undefined;
    }
    this.youngWeight += entry.weight - (replaced?.weight ?? 0);
    this.young.set(key, entry);
  }

  private startGeneration(): void {
    this.old = this.young;
    this.young = new Map();
    this.youngWeight = 0;
  }
}
