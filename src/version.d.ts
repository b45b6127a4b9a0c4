/** The package's version; the build puts it in. */
declare const __VERSION__: string;

/** The code of the thread that reads workbooks, inserted by the build. */
declare const __WORKBOOK_WORKER__: string;
