import { Failure } from '../../../model/failure.js';
import type { Job } from '../../../model/job.js';
import type { ValidationService } from '../../../model/service.js';

const pageSize = 1_000;
/** Limits the search at a service whose pages never end. */
const maxPages = 1_000;
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Resolves `latest`, the beginning of an id, or an id; at a service also several, with commas: the parts of a list. */
export async function findJobId(service: ValidationService, text: string, signal: AbortSignal): Promise<string> {
  if (service.jobs === undefined && text.includes(',')) {
    const ids: string[] = [];
    for (const each of text.split(',')) ids.push(await findJobId(service, each.trim(), signal));
    return ids.join(',');
  }
  if (uuid.test(text)) return service.jobs === undefined ? text : text.toLowerCase();
  if (text.trim() === '') {
    throw new Failure('usage', 'The job id is empty.', {
      hint: 'Give the beginning of one, or latest. mailvet jobs list shows all jobs.',
    });
  }
  if (text.toLowerCase() === 'latest') {
    const newest = await findNewest(service, signal);
    if (newest === null) {
      throw new Failure('not_found', 'There are no jobs.', { hint: 'Upload a list with: mailvet upload FILE' });
    }
    return newest.id;
  }
  const prefix = text.toLowerCase();
  const matches = new Map<string, Job>();
  for await (const job of allJobs(service, signal)) {
    // Ids of a remote service have any form; a full match wins.
    if (job.id === text) return text;
    if (job.id.toLowerCase().startsWith(prefix)) matches.set(job.id, job);
  }
  const [firstId, ...otherIds] = matches.keys();
  // The back end may have older jobs.
  if (firstId === undefined) return text;
  if (otherIds.length === 0) return firstId;
  const examples = [...matches].slice(0, 5).map(([id, { filename }]) => `${id}${filename ? ` (${filename})` : ''}`);
  throw new Failure('usage', `${matches.size} jobs begin with ${text}.`, {
    hint: `Give more of the id: ${examples.join(', ')}`,
  });
}

/** The newest job: the first one locally, and by time at a service, whose order is unknown. */
async function findNewest(service: ValidationService, signal: AbortSignal): Promise<Job | null> {
  if (service.jobs !== undefined) return (await service.listJobs({ skip: 0, limit: 1 }, { signal })).jobs[0] ?? null;
  let newest: Job | null = null;
  const timeOf = ({ created_at }: Job): number => Date.parse(created_at ?? '') || 0;
  for await (const job of allJobs(service, signal)) if (newest === null || timeOf(job) > timeOf(newest)) newest = job;
  return newest;
}

async function* allJobs(service: ValidationService, signal: AbortSignal): AsyncGenerator<Job> {
  let skip = 0;
  for (let page = 0; page < maxPages; page++) {
    const { jobs, total } = await service.listJobs({ skip, limit: pageSize }, { signal });
    yield* jobs;
    skip += jobs.length;
    // A service may send smaller pages than requested.
    if (jobs.length === 0 || (total === undefined ? jobs.length < pageSize : skip >= total)) return;
  }
}
