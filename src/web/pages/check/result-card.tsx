import type { ComponentChildren } from 'preact';
import { formatPercent } from '../../../model/amount.js';
import type { ValidationResult } from '../../../model/result.js';
import { type EvidenceLine, type EvidenceSection, evidenceSections } from '../../../model/text/evidence-lines.js';
import { describeConfidence, headlineOf } from '../../../model/text/headline.js';
import { readableDomain } from '../../../model/text/readable-domain.js';
import { recordAnswers } from '../../../model/text/record-answers.js';
import { signOf } from '../../../model/text/status-sign.js';
import { renderDueTime, renderDuration } from '../../../model/text/time.js';
import { UntrustedText } from '../../../report/components/domain-name.js';
import { Badge } from '../../../report/components/status-bar.js';
import type { CheckAnswer } from '../../../wire/app.js';
import { Button, CopyButton } from '../../parts/button.js';
import { asCli, asCurl } from '../../parts/shell-line.js';

/** The verdict with advice, a suggested correction, and the facts. */
export function ResultCard({ answer, onTry }: { answer: CheckAnswer; onTry: (email: string) => void }) {
  const { result, verdict, reasons } = answer;
  const { sign, tone, caution } = headlineOf(result, true);
  const { did_you_mean: suggestion } = result;
  return (
    <section class="panel result" aria-label="Result">
      <div class="result-head">
        <Badge sign={sign} word={result.status} tone={tone} />
        <h2 class="breaks">
          <UntrustedText text={result.email} />
        </h2>
        <p class="muted">
          {describeConfidence(result).join(' ')} · {renderDuration(result.performance.response_time_ms)}
        </p>
      </div>
      {caution !== '' && <p class="muted">{capitalize(caution)}.</p>}
      <p class="says">
        {verdict.means} {verdict.advice}
      </p>
      {suggestion !== null && (
        <p>
          <Button onClick={() => onTry(suggestion)}>
            Try <UntrustedText text={suggestion} />
          </Button>
        </p>
      )}
      {result.retry_at !== undefined && <p>Try again after {renderDueTime(result.retry_at * 1000)}.</p>}
      {reasons.length > 0 && (
        <ul class="next-steps">
          {reasons.map(({ code, means }) => (
            <li key={code}>{means}</li>
          ))}
        </ul>
      )}
      <dl class="facts">
        {factsOf(answer).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

type Fact = [name: string, value: ComponentChildren];

/** Shows only what was checked. */
function factsOf({ result, evidence }: CheckAnswer): Fact[] {
  const { details, reasons } = result;
  if (!details.syntax_valid) return [['Syntax', markedText('invalid', 'not an address')]];
  const askedDns = !reasons.includes('dns_not_checked');
  const askedMailbox = askedDns && !reasons.includes('smtp_not_checked');
  const notAsked = <span class="muted">not asked</span>;
  const records = recordAnswers(result);
  return [
    ['Syntax', markedText('valid', 'fine')],
    [
      'Provider',
      details.provider === '' ? <span class="muted">none known</span> : <UntrustedText text={details.provider} />,
    ],
    ['Domain', askedDns ? domainFact(result, evidence) : notAsked],
    ['DNS records', askedDns ? records.map(({ label, answer }) => `${label} ${answer ?? '?'}`).join(' · ') : notAsked],
    ['Mailbox', askedMailbox ? mailboxFact(result) : notAsked],
    ['Disposable', details.is_disposable ? markedText('risky', 'yes') : 'no'],
    ['Catch-all', askedMailbox ? catchAllFact(result) : notAsked],
    ['Role address', details.is_role_based ? markedText('risky', 'yes') : 'no'],
  ];
}

function domainFact({ details, sub_status: subStatus }: ValidationResult, evidence: CheckAnswer['evidence']) {
  if (subStatus === 'dns_error') return markedText('unknown', 'DNS gave no usable answer');
  const route = evidence?.route;
  const host = route?.state === 'passed' ? route.detail.hosts[0]?.name : undefined;
  return (
    <>
      {details.dns_valid ? markedText('valid', 'takes mail') : markedText('invalid', 'accepts no mail')}{' '}
      <UntrustedText text={host ?? readableDomain(details.domain)} class="muted breaks" />
    </>
  );
}

function mailboxFact({ details, catchall, status, sub_status: subStatus }: ValidationResult) {
  const code = details.smtp_code > 0 ? ` (${details.smtp_code})` : '';
  if (details.smtp_valid)
    return catchall.is_catchall
      ? markedText('unknown', `accepts everything${code}`)
      : markedText('valid', `accepted${code}`);
  if (status === 'invalid' && subStatus.startsWith('mailbox_')) return markedText('invalid', `refused${code}`);
  return markedText('unknown', `nothing learned${code}`);
}

function catchAllFact({ catchall, details }: ValidationResult) {
  const certainty = catchall.confidence === null ? '' : `, confidence ${formatPercent(catchall.confidence)}`;
  if (catchall.is_catchall) return markedText('risky', `yes${certainty}`);
  return details.smtp_valid && catchall.confidence !== null ? (
    markedText('valid', `no${certainty}`)
  ) : (
    <span class="muted">unknown</span>
  );
}

function markedText(status: string, text: string) {
  return (
    <span class={`text-${status}`}>
      <span aria-hidden="true">{signOf(status, true)} </span>
      {text}
    </span>
  );
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** The evidence in the order of the checks, with the SMTP transcript, folded. */
export function EvidencePanel({ answer }: { answer: CheckAnswer }) {
  const { result, evidence, why_not: whyNot } = answer;
  const sections = evidence === null ? [] : evidenceSections(evidence);
  const dialogueSections = sections.filter(({ title }) => /^(Dialogue|Interpretation)/.test(title));
  const otherSections = sections.filter((section) => !dialogueSections.includes(section));
  const whySection = { title: 'Why not another verdict?', lines: whyNot.map((text) => ({ label: '', text })) };
  const columns = [[...otherSections, ...(whyNot.length > 0 ? [whySection] : [])], dialogueSections].filter(
    (column) => column.length > 0,
  );
  return (
    <section class="panel" aria-label="How we know">
      <details>
        <summary>How we know</summary>
        {columns.length === 0 ? (
          <p class="muted">No server was contacted: the syntax decides.</p>
        ) : (
          <div class="evidence">
            {columns.map((column) => (
              <div key={column[0]?.title}>
                {column.map((section) => (
                  <Section key={section.title} section={section} />
                ))}
              </div>
            ))}
          </div>
        )}
      </details>
      <div class="buttons">
        <CopyButton text={JSON.stringify(result, null, 2)}>Copy JSON</CopyButton>
        <CopyButton text={asCurl(location.origin, result.email)}>curl</CopyButton>
        <CopyButton text={asCli(result.email)}>CLI</CopyButton>
      </div>
    </section>
  );
}

function Section({ section: { title, lines } }: { section: EvidenceSection }) {
  return (
    <div class="evidence-part">
      <h3>{title}</h3>
      {lines.map((line, at) => (
        <p key={at} class="mono">
          {line.label !== '' && <span class={line.from === undefined ? 'label' : 'label muted'}>{line.label}</span>}
          <UntrustedText text={line.text} class={`breaks${toneOf(line)}`} />
        </p>
      ))}
    </div>
  );
}

/** The severity of a reply by its first digit (RFC 5321 §4.2.1). */
function toneOf({ from, text }: EvidenceLine): string {
  if (from === 'note') return ' muted';
  if (from !== 'host') return '';
  const tones: Record<string, string> = { '2': ' text-valid', '4': ' text-risky', '5': ' text-invalid' };
  return tones[text[0] ?? ''] ?? '';
}
