/** What mailvet uses of the package, whose own types need those of a browser. */
declare module 'read-excel-file/universal' {
  type CellValue = string | number | boolean | Date | null;
  export function readSheet(
    input: ArrayBuffer,
    sheet?: string | number,
    options?: { trim?: boolean },
  ): Promise<CellValue[][]>;
}
