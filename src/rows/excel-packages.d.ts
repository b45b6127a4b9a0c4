/** What mailvet uses of the packages for Excel workbooks, whose own types need those of a browser. */
declare module 'read-excel-file/universal' {
  type CellValue = string | number | boolean | Date | null;
  export function readSheet(
    input: ArrayBuffer,
    sheet?: string | number,
    options?: { trim?: boolean },
  ): Promise<CellValue[][]>;
}

declare module 'write-excel-file/universal' {
  export default function writeXlsxFile(rows: readonly (readonly (string | null)[])[]): {
    toBlob(): Promise<{ arrayBuffer(): Promise<ArrayBuffer> }>;
  };
}
