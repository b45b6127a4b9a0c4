import Papa from 'papaparse';

/** A workbook (xlsx) with one sheet that contains the records of a CSV, all of them as text. */
export async function encodeWorkbook(csv: string, delimiter: string): Promise<Uint8Array> {
  const { default: writeXlsxFile } = await import('write-excel-file/universal');
  const { data } = Papa.parse<string[]>(csv, { delimiter, skipEmptyLines: true });
  const blob = await writeXlsxFile(data.map((cells) => cells.map((cell) => (cell === '' ? null : cell)))).toBlob();
  return new Uint8Array(await blob.arrayBuffer());
}
