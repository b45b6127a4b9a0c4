import { existsSync } from 'node:fs';
import { exitNotAllValid, Failure } from '../../../model/failure.js';
import { NetworkHealth } from '../../../model/network-health.js';
import type { ValidationResult } from '../../../model/result.js';
import type { Step, ValidationService } from '../../../model/service.js';
import { quotedName } from '../../../model/text/shell-word.js';
import { readAddresses } from '../../../rows/read/find-addresses.js';
import type { Context } from '../../context.js';
import { refuseRemoteFlag } from '../../flags/flags.js';
import { type Format, formatKind, openRowWriter } from '../../render/rows/formats.js';
import { addressLayout } from '../../render/rows/row-writer.js';
import { openHashField } from '../../results/hash-field.js';
import { canShowProgress } from '../../terminal/terminal.js';
import type { SeveralOptions } from './several.js';

interface ValidateOptions extends SeveralOptions {
  useGet: boolean;
}

/** Vets the addresses of the command line or of stdin, in order. Returns the exit status: 0 if all are valid. */
export async function runValidate(context: Context, rawOptions: ValidateOptions): Promise<number> {
  const options = { ...rawOptions, emails: rawOptions.emails.flatMap(readAddresses) };
  const { emails } = options;
  const fromStdin = emails.includes('-') || emails.length === 0;
  const { stdin } = context.terminal;
  // "validate $ADDRESS && send" must not succeed if the variable is empty.
  if (emails.length === 0 && (stdin.isTty || stdin.isNullDevice)) {
    throw new Failure('usage', 'There is no address to validate.', {
      hint: 'Pipe them in, one per line, or give one or several: mailvet validate ada@python.org',
    });
  }
  const file = emails.find((email) => !email.includes('@') && existsSync(email));
  if (file !== undefined && !fromStdin) {
    throw new Failure('usage', `${quotedName(file)} is a file, but validate takes addresses.`, {
      hint: `Write: ${context.command('bulk', file)}`,
    });
  }
  if (emails.length > 1 && emails.includes('-')) {
    throw new Failure('usage', '- stands for stdin and cannot be combined with addresses.');
  }
  if (options.output.format === 'xlsx') {
    throw new Failure('usage', 'validate writes no workbooks.', { hint: 'Vet a list: mailvet bulk FILE -o FILE.xlsx' });
  }
  if (context.settings().mode === 'local') refuseRemoteFlag('--get', options.useGet);
  const { stdout } = context.terminal;
  const format = options.output.format ?? (stdout.isTty ? 'table' : 'json');
  const service = await context.service(options.useGet ? { useGet: true } : {});
  const [email] = emails;
  if (!fromStdin && emails.length === 1 && email !== undefined)
    return validateOne(context, service, format, email, options);
  const { validateSeveral } = await import('./several.js');
  return validateSeveral(context, service, format, options);
}

async function validateOne(
  context: Context,
  service: ValidationService,
  format: Format,
  email: string,
  { explain, output: { only, fields } }: ValidateOptions,
): Promise<number> {
  const sink = context.terminal.stdout;
  const asCard = formatKind(format) === 'screen' && fields === null;
  // The card marks a syntax error, whose position is in the evidence.
  const validateOptions = { explain: explain || (asCard && service.jobs !== undefined), signal: context.signal };
  const result =
    canShowProgress(context) || context.verbose
      ? await validateWithSpinner(context, service, email, validateOptions)
      : await service.validate(email, validateOptions);
  if (only === null || only.has(result.status)) {
    if (asCard) {
      const { renderCard, renderEvidence } = await import('../../render/result/card.js');
      await sink.write(renderCard(result, sink));
      if (explain) await sink.write(renderEvidence(result, sink));
    } else {
      const writer = await openRowWriter(format, { ...sink, subject: 'address', fields });
      const row = { cells: [result.email], email: result.email };
      await sink.write(writer.begin(addressLayout));
      const withHash = await openHashField(fields);
      await sink.write(writer.rows([row], withHash([{ result, duplicate: false }])));
    }
  }
  const health = new NetworkHealth(service.isResolverDown);
  health.count(result);
  const trouble = health.trouble();
  if (trouble !== null) throw trouble;
  return result.is_valid ? 0 : exitNotAllValid;
}

async function validateWithSpinner(
  context: Context,
  service: ValidationService,
  email: string,
  options: { explain: boolean; signal: AbortSignal },
): Promise<ValidationResult> {
  const { withSpinner } = await import('../../terminal/progress.js');
  return withSpinner(context, `${email} · asking …`, (show) => {
    const onStep = (step: Step): void => {
      context.trace(renderStep(step));
      show(`${email} · ${renderStep(step)}`);
    };
    return service.validate(email, { ...options, onStep });
  });
}

function renderStep({ asking, target }: Step): string {
  const texts = {
    dns: `looking up ${target}`,
    mailbox: `asking ${target} for the mailbox`,
    service: `asking ${target}`,
  };
  return `${texts[asking]} …`;
}
