import { Chalk, type ChalkInstance } from 'chalk';

/** Chalk with or without color. */
export function paint(color: boolean): ChalkInstance {
  return new Chalk({ level: color ? 1 : 0 });
}

/** The properties of a screen. */
export interface Style {
  color: boolean;
  columns: number;
  /** Whether it shows more than ASCII. */
  unicode: boolean;
}

/** The color of a status; none for an unknown one. */
export function statusPaint(chalk: ChalkInstance, status: string): ChalkInstance {
  const paints: Record<string, ChalkInstance> = {
    valid: chalk.green,
    invalid: chalk.red,
    risky: chalk.yellow,
    unknown: chalk.magenta,
  };
  return (Object.hasOwn(paints, status) ? paints[status] : undefined) ?? chalk.reset;
}
