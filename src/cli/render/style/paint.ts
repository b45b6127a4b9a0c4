import { Chalk, type ChalkInstance } from 'chalk';

/** Chalk with colour or without, as the sink wants it. */
export function paint(colour: boolean): ChalkInstance {
  return new Chalk({ level: colour ? 1 : 0 });
}

/** The colour of a verdict; a word that we do not know has none. */
export function statusPaint(chalk: ChalkInstance, status: string): ChalkInstance {
  const paints: Record<string, ChalkInstance> = {
    valid: chalk.green,
    invalid: chalk.red,
    risky: chalk.yellow,
    unknown: chalk.magenta,
  };
  return paints[status] ?? chalk.reset;
}
