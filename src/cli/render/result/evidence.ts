import type { ValidationResult } from '../../../model/result.js';
import { type EvidenceLine, evidenceSections, whySection } from '../../../model/text/evidence-lines.js';
import { sanitize } from '../../terminal/sanitize.js';
import { paint } from '../style/paint.js';
import type { Style } from '../style/verdict-style.js';
import { hang } from '../style/wrap.js';

const indent = '    ';

/** The evidence for people, within the width of the screen. */
export function renderEvidence(result: ValidationResult, { color, columns }: Omit<Style, 'unicode'>): string {
  const { evidence } = result;
  const chalk = paint(color);
  if (evidence === undefined) return `\n  ${chalk.bold('Evidence')}\n${indent}The service gives none.\n`;
  const line = ({ label, text, from }: EvidenceLine): string => {
    const safe = sanitize(label);
    const first = `${indent}${from === undefined ? safe : chalk.dim(safe)}`;
    return hang(first, indent.length + safe.length, sanitize(text), columns);
  };
  return [...evidenceSections(evidence), whySection(result, evidence)]
    .map(({ title, lines }) => `\n  ${chalk.bold(title)}\n${lines.map(line).join('')}`)
    .join('');
}
