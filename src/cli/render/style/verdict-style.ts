import type { ChalkInstance } from 'chalk';

/** How much a screen can show. */
export interface Style {
  colour: boolean;
  columns: number;
  /** Whether it shows more than ASCII. */
  unicode: boolean;
}

const signs: Record<string, { sign: string; ascii: string }> = {
  valid: { sign: '✔', ascii: '+' },
  risky: { sign: '▲', ascii: '!' },
  invalid: { sign: '✖', ascii: 'x' },
  unknown: { sign: '?', ascii: '?' },
};

/** The four statuses in the order in which they are always shown. */
export const statusOrder = ['valid', 'risky', 'invalid', 'unknown'] as const;

/** The sign that stands beside a status, so that colour is never needed; a word that we do not know counts as unknown. */
export function signOf(status: string, unicode: boolean): string {
  const { sign, ascii } = (Object.hasOwn(signs, status) ? signs[status] : undefined) ?? { sign: '?', ascii: '?' };
  return unicode ? sign : ascii;
}

/** The colour of a verdict; a word that we do not know has none. */
export function statusPaint(chalk: ChalkInstance, status: string): ChalkInstance {
  const paints: Record<string, ChalkInstance> = {
    valid: chalk.green,
    invalid: chalk.red,
    risky: chalk.yellow,
    unknown: chalk.magenta,
  };
  return (Object.hasOwn(paints, status) ? paints[status] : undefined) ?? chalk.reset;
}

/** A share for people: `97 %`, in every table and card alike. */
export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
