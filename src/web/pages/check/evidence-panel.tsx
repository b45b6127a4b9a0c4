import { type EvidenceLine, type EvidenceSection, evidenceSections } from '../../../model/text/evidence-lines.js';
import { Foreign } from '../../../report/components/foreign.js';
import type { CheckAnswer } from '../../../wire/app-check.js';
import { CopyButton } from '../../parts/copy-button.js';
import { asCli, asCurl } from '../../parts/shell-line.js';

/** The evidence in the order of the checks, with the SMTP transcript. */
export function EvidencePanel({ answer }: { answer: CheckAnswer }) {
  const { result, evidence, why_not: whyNot } = answer;
  const sections = evidence === null ? [] : evidenceSections(evidence);
  const talk = sections.filter(({ title }) => /^(Dialogue|Reading)/.test(title));
  const rest = sections.filter((section) => !talk.includes(section));
  const why = { title: 'Why not another verdict?', lines: whyNot.map((text) => ({ label: '', text })) };
  const columns = [[...rest, ...(whyNot.length > 0 ? [why] : [])], talk].filter((column) => column.length > 0);
  return (
    <section class="panel" aria-label="How we know">
      <div class="apart evidence-head">
        <h2>How we know</h2>
        <div class="buttons">
          <CopyButton text={JSON.stringify(result, null, 2)}>Copy JSON</CopyButton>
          <CopyButton text={asCurl(location.origin, result.email)}>curl</CopyButton>
          <CopyButton text={asCli(result.email)}>CLI</CopyButton>
        </div>
      </div>
      {columns.length === 0 ? (
        <p class="muted">Nothing was asked of anybody: the address itself says it all.</p>
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
          <Foreign text={line.text} class={`breaks${toneOf(line)}`} />
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
