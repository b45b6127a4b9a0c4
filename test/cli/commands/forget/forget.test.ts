import { describe, expect, test } from 'vitest';
import { Failure } from '../../../../src/model/failure.js';
import type { ForgetReport } from '../../../../src/model/job.js';
import type { JobControl } from '../../../../src/model/service.js';
import { fakeService } from '../../../fakes/service.js';
import { type CliRun, runCli } from '../../run-cli.js';

const ownList = '3f2a';
const nothing: ForgetReport = { cached: 0, lists: 0, rows: 0, unfinished: [] };

describe('forget', () => {
  const run = async (
    report: ForgetReport,
    args: string[],
    tty = false,
    environment = {},
  ): Promise<CliRun & { forgotten: string[] }> => {
    const forgotten: string[] = [];
    const forget: JobControl['forget'] = async (email) => {
      forgotten.push(email);
      return report;
    };
    const getJob = async (id: string) => {
      if (id !== ownList) throw new Failure('not_found', 'There is no such job.');
      return { id, status: 'running' };
    };
    const service = fakeService({ getJob, jobs: { forget } as JobControl });
    return { ...(await runCli(['forget', ...args], { service, tty, environment })), forgotten };
  };

  test('needs --yes in a script, and deletes nothing without it', async () => {
    expect(await run(nothing, ['ann@x.example'])).toMatchObject({
      ...{ status: 2, forgotten: [], err: expect.stringContaining('Add --yes.') },
    });
  });

  test('prints a report as JSON, and uses the local store even in remote mode', async () => {
    const report = { ...nothing, cached: 1, lists: 2, rows: 3 };
    const remote = { MAILVET_MODE: 'remote' };
    const { status, out, err, forgotten, opened } = await run(report, [' ann@x.example', '--yes'], false, remote);
    expect(err).toContain('on this machine only; the remote service may still have it.');
    expect({ status, report: JSON.parse(out), forgotten }).toEqual({ status: 0, report, forgotten: ['ann@x.example'] });
    expect(opened).toMatchObject([{ mode: 'local' }]);
  });

  test.each([
    { report: nothing, says: 'No list that has ended contains the address.\n' },
    {
      report: { ...nothing, cached: 1, lists: 1, rows: 2 },
      says: 'Deleted: 2 rows in 1 list, 1 cached verdict. The counts of jobs stay.\n',
    },
  ])('prints on a terminal: $says', async ({ report, says }) => {
    expect(await run(report, ['ann@x.example', '--yes'], true)).toMatchObject({ status: 0, out: says });
  });

  test('a list that has not ended causes status 6, and its id is printed', async () => {
    const { status, err } = await run({ ...nothing, unfinished: ['77aa', ownList] }, ['ann@x.example', '-y']);
    expect(status).toBe(6);
    expect(err).toContain(`mailvet jobs cancel ${ownList}`);
  });

  test('the message for a list of the service suggests no command to cancel it', async () => {
    const { status, err } = await run({ ...nothing, unfinished: ['77aa'] }, ['ann@x.example', '-y']);
    expect(status).toBe(6);
    expect(err).toContain('It belongs to a key or a member of the service.');
    expect(err).not.toContain('jobs cancel');
  });

  test.each(['ann', 'ann@', ''])('refuses %j', async (text) => {
    expect(await run(nothing, [text, '--yes'])).toMatchObject({ status: 2, forgotten: [] });
  });
});
