/** The package's version; the build puts it in. */
declare const __VERSION__: string;
