import { exitStatuses, Failure } from '../../../model/failure.js';
import { type Check, ok } from '../../../service/diagnosis/check.js';
import { type DiagnosisOptions, diagnose } from '../../../service/diagnosis/diagnosis.js';
import type { SettingsFacts } from '../../../service/diagnosis/machine.js';
import { parseProbe } from '../../../service/diagnosis/mail-port.js';
import { findFolders } from '../../../settings/folders.js';
import { containsSecret, readSettingsFile } from '../../../settings/read-file.js';
import { resolveSettings, type Settings } from '../../../settings/resolve.js';
import { maskSecret } from '../../../settings/secrets.js';
import type { Context } from '../../context.js';
import type { CommonFlags } from '../../flags/flags.js';
import type { FormatFlags } from '../../flags/output-flags.js';
import { printRecords, showsTable } from '../../results/print-records.js';
import { withSpinner } from '../../terminal/progress.js';

interface DoctorOptions {
  flags: Pick<CommonFlags, 'settings' | 'set'>;
  /** The hosts of `--probe`; null with `--no-probe`. */
  probes: readonly string[] | null;
  format: FormatFlags;
}

const defaultTimeoutMs = 5_000;

/** Runs all checks and shows each as it ends. The first failure determines the exit status. */
export async function runDoctor(context: Context, options: DoctorOptions): Promise<number> {
  const { stdout } = context.terminal;
  const asTable = showsTable(context, options.format);
  const { renderCheck, renderConclusion, toJson } = await import('../../render/diagnosis.js');
  const checks: Check[] = [];
  const found = settingsOf(context, options.flags);
  const show = async (check: Check): Promise<void> => {
    checks.push(check);
    if (asTable) await stdout.write(renderCheck(check, stdout));
  };
  const diagnosis = diagnosisOptions(context, options, found);
  await withSpinner(context, 'checking …', async () => {
    context.signal.throwIfAborted();
    await show(backEndCheck(found.settings, found.keySource));
    for await (const check of diagnose(diagnosis)) await show(check);
  });
  const failure = checks.find(({ state }) => state === 'fail')?.code ?? null;
  if (asTable) await stdout.write(renderConclusion(checks, stdout));
  else {
    const document = toJson(checks);
    await printRecords(context, options.format, { rows: document.checks, document, screen: String });
  }
  return failure === null ? 0 : exitStatuses[failure];
}

/** Which back end answers, with which key, as the first finding. */
function backEndCheck({ mode, profile, baseUrl, apiKey, level, dataDir }: Settings, keySource: string): Check {
  if (mode === 'local') {
    const facts = { back_end: mode, profile, level, data_directory: dataDir };
    return ok('back_end', `local, level ${level}, profile ${profile}; no account is needed.`, { facts });
  }
  const key = apiKey === null ? null : maskSecret(apiKey);
  const facts = {
    back_end: mode,
    profile,
    ...(mode === 'hybrid' && { level }),
    base_url: baseUrl,
    key,
    key_source: keySource,
  };
  return ok('back_end', `${mode}, ${baseUrl ?? ''}, key ${key ?? 'none'} (${keySource}).`, { facts });
}

function diagnosisOptions(
  context: Context,
  { flags, probes }: DoctorOptions,
  { settings, facts }: ReturnType<typeof settingsOf>,
): DiagnosisOptions {
  const { baseUrl, apiKey } = settings;
  const inUse = settings.mode !== 'local';
  // With --local, no remote service is contacted.
  const isConfigured =
    inUse || (apiKey !== null && baseUrl !== null && (flags.settings.mode ?? flags.set.mode) !== 'local');
  const timeoutMs = settings.timeoutMs ?? defaultTimeoutMs;
  const candidate: Settings = { ...settings, mode: 'remote', timeoutMs, retries: 0 };
  return {
    ...settings,
    ...{ home: settings.dataDir, settings: facts, timeoutMs, signal: context.signal },
    probes: probes === null ? null : probes.map(parseProbe),
    remote: { inUse, baseUrl, open: isConfigured ? () => context.openService(candidate) : null },
  };
}

/** The settings in force. A settings file that cannot be used is a finding, and the other checks run without it. */
function settingsOf(
  context: Context,
  { settings: flags, set }: DoctorOptions['flags'],
): { settings: Settings; facts: SettingsFacts; keySource: string } {
  const { environment, profile } = context;
  const path = findFolders(environment).configFile;
  try {
    const file = readSettingsFile(path);
    const { settings, sources, notes } = resolveSettings({ flags, set, environment, file, profile });
    const { from, name } = sources.apiKey;
    return {
      settings,
      keySource: from === 'environment' ? name : `profile ${settings.profile}`,
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
    const { settings } = resolveSettings({ flags, set, environment, file, profile, newProfile: true });
    return {
      settings,
      keySource: `profile ${settings.profile}`,
      facts: { path, problem, containsSecret: false, notes: [] },
    };
  }
}
