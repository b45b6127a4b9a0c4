import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/** Gives the whole run one temporary folder and removes it at the end, so that no test leaves files behind. */
export default function setUp(): () => void {
  // Each project of the run calls this function; one folder is enough.
  if (basename(tmpdir()).startsWith('mailvet-run-')) return () => {};
  const folder = mkdtempSync(join(tmpdir(), 'mailvet-run-'));
  // Others may enter it, so that the modes of what tests create count.
  chmodSync(folder, 0o711);
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
