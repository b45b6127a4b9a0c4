import { titleOf } from '../../service/diagnosis/check.js';
import type { Finding, StatusView } from '../../wire/app.js';
import type { Handlers } from '../routes/router.js';
import { serverFacts, type WebContext } from './web-context.js';

/** Maximum age of findings: of all checks, and of those without network traffic. */
const maxAgeMs = 60 * 60_000;
const quickMaxAgeMs = 10_000;

interface Findings {
  findings: Finding[];
  checkedAt: number;
  complete: boolean;
}

/** The Status page: `doctor`. */
export function statusHandlers(context: WebContext) {
  const diagnose = createDiagnosisCache(context);
  return {
    status: async () => viewOf(context, await diagnose(false)),
    runAllChecks: async () => viewOf(context, await diagnose(true)),
  } satisfies Partial<Handlers>;
}

/** Runs each kind of diagnosis once at a time. A quick one does not replace a complete one that is still fresh. */
export function createDiagnosisCache({
  web,
  log,
}: Pick<WebContext, 'log'> & { web: Pick<WebContext['web'], 'diagnose'> }): (dial: boolean) => Promise<Findings> {
  let latest: Findings | null = null;
  const inFlight = new Map<boolean, Promise<Findings>>();
  const ageMs = (): number => (latest === null ? Number.POSITIVE_INFINITY : Date.now() - latest.checkedAt);
  const run = async (dial: boolean): Promise<Findings> => {
    const findings: Finding[] = [];
    for await (const { name, subject, state, message, hint } of web.diagnose({
      dial,
      signal: AbortSignal.timeout(timeoutMs),
    })) {
      findings.push({ name, title: titleOf(name), subject, state, message, hint });
    }
    // A complete diagnosis may have ended while this quick one ran.
    if (dial || latest?.complete !== true || ageMs() >= maxAgeMs) {
      latest = { findings, checkedAt: Date.now(), complete: dial };
    }
    return latest;
  };
  return async (dial) => {
    if (latest !== null && !dial && ageMs() < (latest.complete ? maxAgeMs : quickMaxAgeMs)) return latest;
    const running = inFlight.get(dial);
    if (running !== undefined) return running;
    const started = run(dial).finally(() => inFlight.delete(dial));
    inFlight.set(dial, started);
    started.catch(log.error);
    return started;
  };
}

const timeoutMs = 60_000;

async function viewOf(context: WebContext, { findings, checkedAt, complete }: Findings): Promise<StatusView> {
  const { web, startedAt } = context;
  return {
    findings,
    looked_at: new Date(checkedAt).toISOString(),
    complete,
    server: { ...(await serverFacts(context)), started_at: new Date(startedAt).toISOString(), store: web.storeName },
  };
}
