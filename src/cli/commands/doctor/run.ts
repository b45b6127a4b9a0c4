import { exitStatuses, Failure } from '../../../model/failure.js';
import { type Check, firstFailure } from '../../../service/diagnosis/check.js';
import { type DiagnosisOptions, diagnose } from '../../../service/diagnosis/diagnosis.js';
import type { SettingsFacts } from '../../../service/diagnosis/machine.js';
import { parseProbe } from '../../../service/diagnosis/probe-target.js';
import { findFolders } from '../../../settings/folders.js';
import { containsSecret, readSettingsFile } from '../../../settings/read-file.js';
import { type FlagValues, resolveSettings, type Settings } from '../../../settings/resolve.js';
import type { Context } from '../../context.js';
import { withSpinner } from '../../terminal/progress.js';

interface DoctorOptions {
  flags: FlagValues;
  /** The hosts of `--probe`; null with `--no-probe`. */
  probes: readonly string[] | null;
  /** Null: a table on a terminal, else JSON. */
  format: 'table' | 'json' | null;
}

const defaultTimeoutMs = 5_000;

/** Runs all checks and shows each as it ends. The first failure determines the exit status. */
export async function runDoctor(context: Context, options: DoctorOptions): Promise<number> {
  const { stdout } = context.terminal;
  const asTable = (options.format ?? (stdout.isTty ? 'table' : 'json')) === 'table';
  const { renderCheck, renderConclusion, toJson } = await import('../../render/diagnosis.js');
  const checks: Check[] = [];
  await withSpinner(context, 'checking …', async () => {
    for await (const check of diagnose(diagnosisOptions(context, options))) {
      checks.push(check);
      if (asTable) await stdout.write(renderCheck(check, stdout));
    }
  });
  const failure = firstFailure(checks);
  if (asTable) await stdout.write(renderConclusion(checks, stdout));
  else await stdout.write(`${JSON.stringify(toJson(checks), null, stdout.isTty ? 2 : 0)}\n`);
  return failure === null ? 0 : exitStatuses[failure];
}

function diagnosisOptions(context: Context, { flags, probes }: DoctorOptions): DiagnosisOptions {
  const { settings, facts } = settingsOf(context, flags);
  const { level, resolvers, smtpPort, ehloName, mailFrom, proxy, sourceIp, allowNetworks, baseUrl, apiKey } = settings;
  const inUse = settings.mode === 'remote';
  // With --local, no remote service is contacted.
  const isConfigured = inUse || (apiKey !== null && baseUrl !== null && flags.mode !== 'local');
  const timeoutMs = settings.timeoutMs ?? defaultTimeoutMs;
  const candidate: Settings = { ...settings, mode: 'remote', timeoutMs, retries: 0 };
  return {
    level,
    resolvers,
    smtpPort,
    ehloName,
    proxy,
    sourceIp,
    allowNetworks,
    mailFrom,
    timeoutMs,
    signal: context.signal,
    home: settings.dataDir,
    store: settings.store,
    settings: facts,
    probes: probes === null ? null : probes.map(parseProbe),
    remote: { inUse, baseUrl, open: isConfigured ? () => context.openService(candidate) : null },
  };
}

/** The settings in force. A settings file that cannot be used is a finding, and the other checks run without it. */
function settingsOf(context: Context, flags: FlagValues): { settings: Settings; facts: SettingsFacts } {
  const { environment, profile } = context;
  const path = findFolders(environment).configFile;
  try {
    const file = readSettingsFile(path);
    const { settings, sources, notes } = resolveSettings({ flags, environment, file, profile });
    return {
      settings,
      facts: {
        path,
        problem: null,
        containsSecret: containsSecret(file.stored),
        notes: notes.slice(file.notes.length),
        variables: Object.values(sources).flatMap(({ from, name }) => (from === 'environment' ? [name] : [])),
      },
    };
  } catch (problem) {
    if (!(problem instanceof Failure)) throw problem;
    const file = { path, stored: { profile: 'default', profiles: {} }, notes: [] };
    // A bad flag or variable fails again here.
    const { settings } = resolveSettings({ flags, environment, file, profile, newProfile: true });
    return { settings, facts: { path, problem, containsSecret: false, notes: [] } };
  }
}
