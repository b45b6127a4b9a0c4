import { strFromU8, strToU8, type Unzipped, unzipSync, zipSync } from 'fflate';
import { attribute, elements } from './workbook-xml.js';

/** A sheet that is not read, and how many of its rows have an address. */
export interface UnreadSheet {
  name: string;
  rows: number;
}

/** Finds what the reader of a workbook leaves out: cells with an error, number formats, and other sheets. */
export function inspectWorkbook(archive: Uint8Array, sheet: string | undefined) {
  const isNeeded = (name: string): boolean =>
    isSheet(name) || isIndex(name) || [stringsPath, stylesPath].includes(name);
  const files = unzipSync(archive, { filter: ({ name }) => isNeeded(name) });
  const sheets = listSheets(files);
  const chosen = sheet === undefined ? sheets[0] : sheets.find(({ name }) => name === sheet);
  const others = sheets.filter((each) => each !== chosen && !each.isHidden);
  const isAddress = others.length === 0 ? () => false : addressStrings(textOf(files, stringsPath));
  const unread = others.map(({ name, path }) => ({ name, rows: countAddressRows(textOf(files, path), isAddress) }));
  return {
    archive: chosen === undefined ? archive : withErrorTexts(archive, chosen.path, textOf(files, chosen.path)),
    unread: unread.filter(({ rows }) => rows > 0),
    sheet: textOf(files, chosen?.path ?? ''),
    styles: textOf(files, stylesPath),
    has1904Dates: elements(textOf(files, 'xl/workbook.xml'), 'workbookPr').some((element) =>
      ['1', 'true'].includes(attribute(element, 'date1904')),
    ),
  };
}

const stringsPath = 'xl/sharedStrings.xml';
const stylesPath = 'xl/styles.xml';
const isSheet = (name: string): boolean => /^xl\/worksheets\/[^/]+\.xml$/.test(name);
const isIndex = (name: string): boolean => name === 'xl/workbook.xml' || name === 'xl/_rels/workbook.xml.rels';

function textOf(files: Unzipped, path: string): string {
  const bytes = files[path];
  return bytes === undefined ? '' : strFromU8(bytes);
}

/** The sheets in the order of their tabs. */
function listSheets(files: Unzipped): { name: string; path: string; isHidden: boolean }[] {
  const targets = new Map(
    elements(textOf(files, 'xl/_rels/workbook.xml.rels'), 'Relationship').map((element) => [
      attribute(element, 'Id'),
      attribute(element, 'Target').replace(/^(?:\/?xl\/)?/, 'xl/'),
    ]),
  );
  return elements(textOf(files, 'xl/workbook.xml'), 'sheet').map((element) => ({
    name: attribute(element, 'name'),
    path: targets.get(attribute(element, '\\w+:id')) ?? '',
    isHidden: attribute(element, 'state') !== '' && attribute(element, 'state') !== 'visible',
  }));
}

/** Returns a function that tests by index whether a shared string contains an address. */
function addressStrings(xml: string): (index: string) => boolean {
  const strings = xml.split(/<(?:\w+:)?si[\s>]/).slice(1);
  return (index) => strings[Number(index)]?.includes('@') ?? false;
}

function countAddressRows(xml: string, isAddress: (index: string) => boolean): number {
  const rows = xml.split(/<(?:\w+:)?row[\s>]/).slice(1);
  return rows.filter((row) => {
    const shared = row.matchAll(/\st=["']s["'][^>]*>\s*<(?:\w+:)?v>(\d+)</g);
    return row.includes('@') || [...shared].some(([, index = '']) => isAddress(index));
  }).length;
}

/** The reader takes an error (`#N/A`) for an empty cell; as the text of a formula it is kept. */
function withErrorTexts(archive: Uint8Array, path: string, xml: string): Uint8Array {
  const withErrorText = xml.replace(/(<(?:\w+:)?c\s(?:[^>]*\s)?t=)(["'])e\2/g, '$1$2str$2');
  if (withErrorText === xml) return archive;
  const files = unzipSync(archive, { filter: ({ name }) => /\.xml(?:\.rels)?$/.test(name) });
  return zipSync({ ...files, [path]: strToU8(withErrorText) }, { level: 0 });
}
