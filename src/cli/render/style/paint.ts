import { Chalk, type ChalkInstance } from 'chalk';

/** Chalk with color or without, as the sink wants it. */
export function paint(color: boolean): ChalkInstance {
  return new Chalk({ level: color ? 1 : 0 });
}

/** How much a screen can show. */
export interface Style {
  color: boolean;
  columns: number;
  /** Whether it shows more than ASCII. */
  unicode: boolean;
}

/** The color of a verdict; a word that we do not know has none. */
export function statusPaint(chalk: ChalkInstance, status: string): ChalkInstance {
  const paints: Record<string, ChalkInstance> = {
    valid: chalk.green,
    invalid: chalk.red,
    risky: chalk.yellow,
    unknown: chalk.magenta,
  };
  return (Object.hasOwn(paints, status) ? paints[status] : undefined) ?? chalk.reset;
}
