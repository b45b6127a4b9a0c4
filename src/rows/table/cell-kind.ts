import type { CellFormat } from '../../model/job.js';

const dateText = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{3}Z)?)?$/;

/** The kind of value that a text stands for, as workbooks are read; null for other text, such as a number with leading zeros. */
export function kindOfText(text: string): CellFormat['kind'] | null {
  if (text === 'TRUE' || text === 'FALSE') return 'boolean';
  if (dateText.test(text) && !Number.isNaN(timeOf(text))) return 'date';
  const number = Number(text);
  return Number.isFinite(number) && String(number) === text ? 'number' : null;
}

/** The days since the epoch of Excel, 1899-12-30, for the text of a date. */
export function dateSerial(text: string): number {
  return timeOf(text) / 86_400_000 + 25_569;
}

function timeOf(text: string): number {
  return Date.parse(text.endsWith('Z') || !text.includes('T') ? text : `${text}Z`);
}
