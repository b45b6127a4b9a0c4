import { formatNumber } from '../../../model/amount.js';
import type { Account } from '../../../model/service.js';
import { maskSecret } from '../../../settings/secrets.js';
import type { Context } from '../../context.js';
import { hang } from '../../render/style/text-layout.js';
import { sanitize } from '../../terminal/sanitize.js';

const labelWidth = 10;

/** Shows the back end that the settings select. Throws if a remote service refuses the key or cannot be reached. */
export async function runWhoami(context: Context, { json }: { json?: boolean }): Promise<number> {
  const { settings, sources } = context.resolved();
  const { mode, profile, baseUrl, apiKey, level, dataDir } = settings;
  const isRemote = mode === 'remote';
  const { signal } = context;
  const account = isRemote ? ((await (await context.service()).account?.({ signal })) ?? null) : null;
  const source = sources.apiKey.from === 'environment' ? sources.apiKey.name : `profile ${profile}`;
  const key = apiKey === null ? null : maskSecret(apiKey);
  const { stdout } = context.terminal;
  if (json || !stdout.isTty) {
    const remote = isRemote
      ? { base_url: baseUrl, key, key_source: source, account: account === null ? null : toJson(account) }
      : { level, data_directory: dataDir };
    await stdout.write(`${JSON.stringify({ back_end: mode, profile, ...remote })}\n`);
    return 0;
  }
  const lines: [string, string][] = isRemote
    ? [
        ['Back end', `remote, ${baseUrl ?? ''}`],
        ['Key', `${key ?? 'none'} (${source})`],
        ...(account === null
          ? [['Credits', 'the service does not say'] satisfies [string, string]]
          : accountLines(account)),
      ]
    : [
        ['Back end', `local, level ${level}; no account is needed`],
        ['Data', dataDir],
        ['Profile', profile],
      ];
  const text = lines.map(([name, value]) => hang(name.padEnd(labelWidth), labelWidth, sanitize(value), stdout.columns));
  await stdout.write(text.join(''));
  return 0;
}

function toJson({ maxRows, maxFileBytes, ...account }: Account): Record<string, unknown> {
  return {
    ...account,
    ...(maxRows !== undefined && { max_rows: maxRows }),
    ...(maxFileBytes !== undefined && { max_file_bytes: maxFileBytes }),
  };
}

function accountLines({ name, plan, credits }: Account): [string, string][] {
  return [
    ['Name', name],
    ['Plan', plan],
    ['Credits', credits === null ? 'no limit' : formatNumber(credits)],
  ];
}
