import { Failure } from '../../../model/failure.js';
import type { Job } from '../../../model/job.js';
import type { ValidationService } from '../../../model/service.js';

const pageSize = 100;
/** Enough to find any job that somebody still has in mind. */
const maxPages = 20;
/** An id as it is given out; it need not be looked for. */
const wholeId = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** The id that somebody means by `latest`, by the beginning of an id, or by the whole of it. */
export async function findJobId(service: ValidationService, text: string, signal: AbortSignal): Promise<string> {
  if (wholeId.test(text)) return text;
  if (text.trim() === '') {
    throw new Failure('usage', 'The id of the job is empty.', {
      hint: 'Give the beginning of one, or latest. mailvet jobs list shows all jobs.',
    });
  }
  if (text === 'latest') {
    const { jobs } = await service.listJobs({ skip: 0, limit: 1 }, { signal });
    const [newest] = jobs;
    if (newest === undefined) {
      throw new Failure('not_found', 'There are no jobs.', { hint: 'Upload a list with: mailvet upload FILE.csv' });
    }
    return listId(newest);
  }
  const found = new Map<string, Job>();
  for await (const job of allJobs(service, signal)) {
    // A service may give ids of any shape, and one of its ids wins over beginnings of others.
    if (job.id === text || job.group_id === text) return text;
    if (job.id.startsWith(text.toLowerCase())) found.set(job.id, job);
    else if (job.group_id?.startsWith(text.toLowerCase())) found.set(job.group_id, job);
  }
  const [only, ...others] = found.keys();
  // What is not in the list may still be known: the back end has the last word.
  if (only === undefined) return text;
  if (others.length === 0) return only;
  const shown = [...found].slice(0, 5).map(([id, { filename }]) => `${id}${filename ? ` (${filename})` : ''}`);
  throw new Failure('usage', `${found.size} jobs begin with ${text}.`, {
    hint: `Give more of the id: ${shown.join(', ')}`,
  });
}

/** Of a list in several parts, the whole list is meant. */
function listId(job: Job): string {
  return job.group_id ?? job.id;
}

async function* allJobs(service: ValidationService, signal: AbortSignal): AsyncGenerator<Job> {
  for (let page = 0; page < maxPages; page++) {
    const { jobs } = await service.listJobs({ skip: page * pageSize, limit: pageSize }, { signal });
    yield* jobs;
    if (jobs.length < pageSize) return;
  }
}
