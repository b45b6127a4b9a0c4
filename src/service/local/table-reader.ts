import type { TableReader } from '../../jobs/uploads/upload-dependencies.js';

/** How the job store reads files: by csv, loaded at first use. */
export const csvReader: TableReader = {
  preview: async (path, filename, reading) => {
    const { previewCsv } = await import('../../rows/preview.js');
    const found = await previewCsv(path, { filename, ...reading });
    return {
      columns: found.columns,
      suggested_email_column: found.suggestedEmailColumn ?? '',
      ...(found.suggestedIndex !== null && { suggested_email_column_number: found.suggestedIndex + 1 }),
      sample_rows: found.sampleRows,
      row_count: found.rowCount,
      row_count_exact: found.rowCountExact,
    };
  },
  open: async (path, column, filename, reading) => {
    const { openUpload } = await import('../../rows/open-rows.js');
    return openUpload(path, { column, filename, ...reading });
  },
};
