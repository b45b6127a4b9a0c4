import { amount } from '../../model/amount.js';
import type { ClusterReport } from '../../model/store-report.js';
import { renderAge } from '../../model/text/time.js';
import { type Check, ok, skipped, warn } from './check.js';

const name = 'workers';
/** Named in the message; the facts have all. */
const mostNamed = 5;

/** Checks that the workers of a shared store are alive and not refused by mail servers. */
export function checkWorkers({ members, blocks, waiting_jobs: waiting }: ClusterReport): Check {
  const facts = { members, blocks, waiting_jobs: waiting };
  const alive = members.filter((member) => member.alive);
  const silent = members.filter(({ kind, alive: lives }) => kind === 'worker' && !lives);
  if (waiting > 0 && alive.every(({ kind }) => kind === 'command')) {
    return warn(name, `${amount(waiting, 'job')} wait, and nobody who could run them gives signs of life.`, {
      hint: 'Start "mailvet worker" or "mailvet serve" with the same --store.',
      facts,
    });
  }
  if (silent.length > 0) {
    const who = listed(silent.map((each) => `${each.name} on ${each.host} for ${renderAge(each.silent_ms)}`));
    return warn(name, `No sign of life from ${who}. Others have taken over its work.`, {
      hint: 'See whether its machine runs, and start it again.',
      facts,
    });
  }
  if (blocks.length > 0) {
    const who = listed(blocks.map(({ worker, party }) => `${worker} by ${party}`));
    return warn(name, `Mail servers refuse some workers: ${who}. Others ask there instead.`, {
      hint: 'Look at what they said (--json), at blocklists, and at the reverse name of the address.',
      facts,
    });
  }
  const workers = alive.filter(({ kind }) => kind === 'worker');
  if (workers.length === 0) {
    return skipped(name, 'No worker is signed in; each "mailvet serve" runs jobs itself, unless --no-jobs.', { facts });
  }
  const who = listed(workers.map((each) => (each.source_ip === null ? each.name : `${each.name} (${each.source_ip})`)));
  return ok(name, `${amount(workers.length, 'worker')} at work: ${who}.`, { facts });
}

function listed(words: readonly string[]): string {
  const more = words.length - mostNamed;
  return more > 0 ? `${words.slice(0, mostNamed).join(', ')} and ${more} more` : words.join(', ');
}
