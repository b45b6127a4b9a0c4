import { readDevelopment, readKeptAside } from './accounts/files.mjs';
import { nameCorpora } from './corpora.mjs';
import { developmentFormats, developmentSayable } from './development-kinds.mjs';
import { keptFormats, keptSayable } from './kept-aside.mjs';
import { machineHalf } from './machines.mjs';
import { peopleHalf } from './people.mjs';
import { seededRandom } from './random.mjs';
import { allNames } from './samples.mjs';

/** What to steer by: people and machine-made names that neither train nor tune. */
export function developmentSet(folder) {
  const made = { folder, file: 'machines.ndjson', formats: developmentFormats, sayable: developmentSayable };
  return bothHalves(readDevelopment(folder), made, 2026);
}

/** What is looked at once. */
export function keptAsideSet(folder) {
  const made = { folder, file: 'kept-machines.ndjson', formats: keptFormats, sayable: keptSayable };
  return bothHalves(readKeptAside(folder), made, 2027);
}

function bothHalves(accounts, made, seed) {
  const names = allNames(nameCorpora()).filter((name) => name.length >= 5);
  return [...peopleHalf(accounts), ...machineHalf(seededRandom(seed), made, names, accounts.length)];
}
