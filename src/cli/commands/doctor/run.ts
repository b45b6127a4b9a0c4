import { exitStatuses, Failure } from '../../../model/failure.js';
import { type Check, firstFailure } from '../../../service/diagnosis/check.js';
import { type DiagnosisOptions, diagnose } from '../../../service/diagnosis/diagnosis.js';
import type { SettingsFacts } from '../../../service/diagnosis/machine.js';
import { parseProbe } from '../../../service/diagnosis/probe-target.js';
import { findFolders } from '../../../settings/folders.js';
import { readSettingsFile, type SettingsFile } from '../../../settings/read-file.js';
import { type FlagValues, resolveSettings, type Settings } from '../../../settings/resolve.js';
import { readStoreAddress } from '../../../settings/secrets.js';
import type { Context } from '../../context.js';
import { withSpinner } from '../../terminal/waiting.js';

interface DoctorOptions {
  /** The settings of the command line. */
  flags: FlagValues;
  /** Hosts to dial as the user wrote them; null: nobody. */
  probes: readonly string[] | null;
  /** Null: a table on a terminal, else JSON. */
  format: 'table' | 'json' | null;
}

const usualTimeoutMs = 5_000;

/** Shows what works from here as it is found out; the first failure gives the exit status. */
export async function runDoctor(context: Context, options: DoctorOptions): Promise<number> {
  const { stdout } = context.terminal;
  const asTable = (options.format ?? (stdout.isTty ? 'table' : 'json')) === 'table';
  const { renderCheck, renderConclusion, toJson } = await import('../../render/diagnosis.js');
  const checks: Check[] = [];
  await withSpinner(context, 'looking at what works from here …', async () => {
    for await (const check of diagnose(diagnosisOptions(context, options))) {
      checks.push(check);
      context.live.clear?.();
      if (asTable) await stdout.write(renderCheck(check, stdout));
    }
  });
  const failure = firstFailure(checks);
  if (asTable) await stdout.write(renderConclusion(checks, stdout));
  else await stdout.write(`${JSON.stringify(toJson(checks), null, stdout.isTty ? 2 : 0)}\n`);
  return failure === null ? 0 : exitStatuses[failure];
}

function diagnosisOptions(context: Context, { flags, probes }: DoctorOptions): DiagnosisOptions {
  const parsed = probes === null ? null : probes.map(parseProbe);
  const { settings, facts } = settingsOf(context, flags);
  const { mode, baseUrl, apiKey, timeoutMs } = settings;
  const inUse = mode === 'remote';
  // Whoever says --local wants nothing remote asked.
  const configured = inUse || (apiKey !== null && baseUrl !== null && flags.mode !== 'local');
  const deadline = timeoutMs ?? usualTimeoutMs;
  const candidate: Settings = { ...settings, mode: 'remote', timeoutMs: deadline, retries: 0 };
  return {
    home: settings.dataDir,
    store: readStoreAddress(settings.store),
    settings: facts,
    level: settings.level,
    resolvers: settings.resolvers,
    probes: parsed,
    smtpPort: settings.smtpPort,
    ehloName: settings.ehloName,
    proxy: settings.proxy,
    sourceIp: settings.sourceIp,
    timeoutMs: deadline,
    remote: { inUse, baseUrl, open: configured ? () => context.openService(candidate) : null },
    signal: context.signal,
  };
}

/** The settings in force. A file that cannot be used is a finding, not the end: the rest is looked at without it. */
function settingsOf(context: Context, flags: FlagValues): { settings: Settings; facts: SettingsFacts } {
  const { environment, profile } = context;
  const path = findFolders(environment).configFile;
  const none: SettingsFile = { path, stored: { profile: 'default', profiles: {} }, notes: [] };
  const without = (problem: unknown) => {
    if (!(problem instanceof Failure)) throw problem;
    const { settings } = resolveSettings({ flags, environment, file: none, profile, newProfile: true });
    return { settings, facts: { path, problem, holdsKey: false, notes: [] } };
  };
  let file: SettingsFile;
  try {
    file = readSettingsFile(path);
  } catch (problem) {
    return without(problem);
  }
  try {
    const { settings, notes } = resolveSettings({ flags, environment, file, profile });
    const holdsKey = Object.values(file.stored.profiles).some((values) => 'api_key' in values);
    return { settings, facts: { path, problem: null, holdsKey, notes: notes.slice(file.notes.length) } };
  } catch (problem) {
    // What flags or variables say wrong fails again without the file, and is told at once.
    return without(problem);
  }
}
