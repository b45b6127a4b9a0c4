/** What became of the tables of a store. */
export interface MigrationReport {
  /** The database, without user and password. */
  name: string;
  from: number;
  to: number;
}

/** What was found of a store. */
export interface StoreReport {
  /** The database, without user and password, or the file. */
  name: string;
  /** How long a write took. */
  write_ms: number;
  jobs: number;
  keys: number;
  /** What cannot be; an empty list is good news. */
  damage: string[];
}

/** How much was copied, by table; as much was found in the end. */
export interface CopyReport {
  name: string;
  rows: Record<string, number>;
  files: number;
  bytes: number;
}
