import { titleOf } from '../../service/diagnosis/check.js';
import type { Finding, StatusView } from '../../wire/app.js';
import type { Handlers } from '../routes/router.js';
import type { WebContext } from './web-context.js';

/** Maximum age of findings: of all checks, and of those without network traffic. */
const maxAgeMs = 60 * 60_000;
const quickMaxAgeMs = 10_000;

/** The Status page: `doctor`. */
export function statusHandlers(context: WebContext) {
  const diagnose = createDiagnosisCache(context);
  return {
    status: () => diagnose(false),
    runAllChecks: () => diagnose(true),
  } satisfies Partial<Handlers>;
}

/** Runs each kind of diagnosis once at a time. A quick one does not replace a complete one that is still fresh. */
export function createDiagnosisCache({
  web,
  log,
}: Pick<WebContext, 'log'> & { web: Pick<WebContext['web'], 'diagnose'> }): (dial: boolean) => Promise<StatusView> {
  let latest: StatusView | null = null;
  const inFlight = new Map<boolean, Promise<StatusView>>();
  const ageMs = (): number => (latest === null ? Number.POSITIVE_INFINITY : Date.now() - Date.parse(latest.looked_at));
  const run = async (dial: boolean): Promise<StatusView> => {
    const findings: Finding[] = [];
    for await (const { name, subject, state, message, hint } of web.diagnose({
      dial,
      signal: AbortSignal.timeout(timeoutMs),
    })) {
      findings.push({ name, title: titleOf(name), subject, state, message, hint });
    }
    // A complete diagnosis may have ended while this quick one ran.
    if (dial || latest?.complete !== true || ageMs() >= maxAgeMs) {
      latest = { findings, looked_at: new Date().toISOString(), complete: dial };
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
