import { defaultNote, definitionOf, settingFields } from '../../settings/definitions.js';
import { formatExtensions, formatNames } from './rows/formats.js';
import { hang } from './style/text-layout.js';

type Entry = readonly [name: string, text: string];

/** The pages of `mailvet help TOPIC` that are not about a command. */
const topics: Record<string, { introduction: string; entries(): readonly Entry[] }> = {
  'exit-codes': {
    introduction: 'The exit status of every command:',
    entries: () => [
      ['0', 'done (validate: all addresses are valid), also if you answered no to a question'],
      [
        '1',
        'answered, and some address is not valid (validate), or a guard rejected the output (--fail-on, --max-unknown …)',
      ],
      ['2', 'usage, or input that cannot be read'],
      ['3', 'no valid key, or no credits'],
      ['4', 'network or remote trouble'],
      ['5', 'not found, such as a job'],
      ['6', 'storage: a full disk, a damaged store, or the same run twice'],
      ['70', 'a bug in mailvet'],
      ['130', 'interrupted: Ctrl-C, also at a question; or the job that it waited for was canceled'],
    ],
  },
  formats: {
    introduction: `Formats of results, by --format or the extension of -o (${formatExtensions.join(' ')}): ${formatNames.join(', ')}. A terminal gets a table, a pipe one JSON object a line. plain is the addresses alone, so that --only chooses which. Lists are read in these formats, recognized by their content:`,
    entries: () => [
      ['lines', 'one address per line, or several'],
      [
        'csv',
        'any delimiter, with or without a header; every column is kept, and so is the delimiter; only -o NAME.tsv always has tabs, and -o NAME.csv commas in their place',
      ],
      ['xlsx', 'an Excel workbook; --sheet names the sheet'],
      ['json, ndjson', 'strings or objects; an object comes back as the input of its result'],
      ['text', 'any other text with addresses in it: mail, vCard, LDIF, web pages'],
    ],
  },
  settings: {
    introduction:
      'Stored settings, by "mailvet config set NAME VALUE"; "mailvet config list" shows their values. A flag or a variable wins over them:',
    entries: () => settingFields.map((field): Entry => [definitionOf(field).key, describeSetting(definitionOf(field))]),
  },
  environment: {
    introduction: 'Variables; a flag wins over a variable, a variable over a stored setting:',
    entries: () => [
      ['MAILVET_KEY', 'each setting by its name in capitals, such as MAILVET_TIMEOUT: mailvet help settings'],
      ['MAILVET_PROFILE', 'the profile of stored settings'],
      ['MAILVET_CONFIG_DIR', 'the folder of the settings file'],
      ['MAILVET_HOME', 'the folder of jobs, results and keys'],
      ['HTTPS_PROXY, NO_PROXY', 'the proxy for a remote service'],
      ['NO_COLOR, FORCE_COLOR', 'no color, or color also in a pipe'],
    ],
  },
};

export const topicNames: readonly string[] = Object.keys(topics);

/** Outside of a command line, lists are separated by commas. */
function describeSetting(definition: ReturnType<typeof definitionOf>): string {
  const { description, kind, flag } = definition;
  const allowed = kind.choices === undefined ? '' : `: ${kind.choices.join(', ')}`;
  const note = `${defaultNote(definition)}${flag === undefined ? '' : ` [${flag}]`}`;
  return `${description.replace('(repeatable)', '(several with commas)')}${allowed}${note}`;
}

/** The page of a topic; null if there is none. */
export function renderTopic(name: string, columns: number): string | null {
  const topic = Object.hasOwn(topics, name) ? topics[name] : undefined;
  if (topic === undefined) return null;
  const entries = topic
    .entries()
    .filter(([entry], index, all) => all.findIndex(([other]) => other === entry) === index);
  const widest = Math.max(...entries.map(([entry]) => entry.length));
  const isNarrow = columns - widest - 4 < 30;
  const lines = entries.map(([entry, text]) =>
    isNarrow
      ? `  ${entry}\n${hang('      ', 6, text, columns)}`
      : hang(`  ${entry.padEnd(widest)}  `, widest + 4, text, columns),
  );
  return `${hang('', 0, topic.introduction, columns)}\n${lines.join('')}`;
}
