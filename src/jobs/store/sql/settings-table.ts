import { readText } from '../records.js';
import type { RetentionStore } from '../store.js';
import { get, run, type SqlBackend } from './steps.js';

const keepDays = 'keep_days';

export function settingsTable(backend: SqlBackend): RetentionStore {
  return {
    keepDays: async () => {
      const row = await backend.read(() => get('SELECT value FROM settings WHERE name = ?', keepDays));
      return row === null ? undefined : (JSON.parse(readText(row, 'value')) as number | null);
    },
    setKeepDays: async (days) => {
      const set = `INSERT INTO settings (name, value) VALUES (?, ?)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
      await backend.writeRepeatable(() => run(set, keepDays, JSON.stringify(days)));
    },
  };
}
