import type { TableReader } from '../jobs/uploads.js';

/** How the job store reads files: by csv, loaded at first use. */
export const csvReader: TableReader = {
  preview: async (path, signal) => {
    const { previewCsv } = await import('../csv/preview.js');
    const found = await previewCsv(path, signal === undefined ? {} : { signal });
    return {
      columns: found.columns,
      suggested_email_column: found.suggestedEmailColumn ?? '',
      sample_rows: found.sampleRows,
      row_count: found.rowCount,
      row_count_exact: found.rowCountExact,
    };
  },
  open: async (path, column, signal) => {
    const { openRows } = await import('../csv/open-rows.js');
    return openRows({ path }, { format: 'csv', column, ...(signal && { signal }) });
  },
};
