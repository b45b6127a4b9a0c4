/** Counters for Prometheus. */
export interface Metrics {
  answered(method: string, route: string, status: number, seconds: number): void;
  judged(status: string, count?: number): void;
  underWay(change: 1 | -1): void;
  requestsUnderWay(): number;
  /**
   * The text exposition format, version 0.0.4. `storeSeconds`: response time of the store; null where it did not
   * respond.
   */
  render(jobs: Readonly<Record<string, number>>, storeSeconds: number | null): string;
}

interface Tally {
  method: string;
  status: number;
  count: number;
  seconds: number;
}

export function openMetrics(): Metrics {
  const requests = new Map<string, Tally[]>();
  const verdicts = new Map<string, number>();
  const startedAt = Date.now() / 1000;
  let underWay = 0;
  return {
    answered: (method, route, status, seconds) => {
      const tally = tallyOf(requests, method, route, status);
      tally.count++;
      tally.seconds += seconds;
    },
    judged: (status, count = 1) => verdicts.set(status, (verdicts.get(status) ?? 0) + count),
    underWay: (change) => {
      underWay += change;
    },
    requestsUnderWay: () => underWay,
    render: (jobs, storeSeconds) => {
      const { rss } = process.memoryUsage();
      const { user, system } = process.cpuUsage();
      const all = labelled(requests);
      return [
        ...family('mailvet_http_requests_total', 'counter', 'Requests answered.'),
        ...all.map(([labels, { count }]) => `mailvet_http_requests_total{${labels}} ${count}`),
        ...family('mailvet_http_request_seconds_total', 'counter', 'Time taken to answer them.'),
        ...all.map(([labels, { seconds }]) => `mailvet_http_request_seconds_total{${labels}} ${seconds.toFixed(6)}`),
        ...family('mailvet_http_requests_under_way', 'gauge', 'Requests being answered.'),
        `mailvet_http_requests_under_way ${underWay}`,
        ...family('mailvet_verdicts_total', 'counter', 'Verdicts of single and bulk validation.'),
        ...[...verdicts].map(([status, count]) => `mailvet_verdicts_total{status="${status}"} ${count}`),
        ...family('mailvet_jobs', 'gauge', 'Jobs in the store, by state.'),
        ...Object.entries(jobs).map(([state, count]) => `mailvet_jobs{state="${state}"} ${count}`),
        ...family('mailvet_store_up', 'gauge', 'Whether the store answers.'),
        `mailvet_store_up ${storeSeconds === null ? 0 : 1}`,
        ...family('mailvet_store_seconds', 'gauge', 'Time that the store took to answer, just now.'),
        ...(storeSeconds === null ? [] : [`mailvet_store_seconds ${storeSeconds.toFixed(6)}`]),
        ...family('process_start_time_seconds', 'gauge', 'When the server started.'),
        `process_start_time_seconds ${startedAt}`,
        ...family('process_resident_memory_bytes', 'gauge', 'Memory held.'),
        `process_resident_memory_bytes ${rss}`,
        ...family('process_cpu_seconds_total', 'counter', 'Processor time used.'),
        `process_cpu_seconds_total ${((user + system) / 1e6).toFixed(3)}`,
        '',
      ].join('\n');
    },
  };
}

function tallyOf(requests: Map<string, Tally[]>, method: string, route: string, status: number): Tally {
  const tallies = requests.get(route) ?? [];
  for (const tally of tallies) if (tally.status === status && tally.method === method) return tally;
  const tally = { method, status, count: 0, seconds: 0 };
  requests.set(route, [...tallies, tally]);
  return tally;
}

function labelled(requests: ReadonlyMap<string, readonly Tally[]>): [string, Tally][] {
  return [...requests].flatMap(([route, tallies]) =>
    tallies.map((tally): [string, Tally] => [
      `method="${tally.method}",route="${route}",status="${tally.status}"`,
      tally,
    ]),
  );
}

/** The header lines of a metric. */
export function family(name: string, type: 'counter' | 'gauge', help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}
