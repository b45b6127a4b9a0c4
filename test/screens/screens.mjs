const people = ['ada', 'jane.doe', 'bob', 'li.wei', 'mia', 'omar'];
const row = (email, name = 'Somebody', other = '') => `${name},${email},${other}\n`;
const repeatRows = (count, make) => Array.from({ length: count }, (_, index) => make(index)).join('');

/** The lists that the screens are about. */
export const lists = {
  'newsletter.csv': [
    'Name,Email,Alt. mail\n',
    repeatRows(24, (index) =>
      row(`${people[index % 6]}.${index}@contoso.com`, 'Ada Lovelace', index % 8 === 0 ? 'ada@gmail.com' : ''),
    ),
    repeatRows(9, (index) => row(`${people[index % 6]}${index}@northwindtraders.com`)),
    repeatRows(7, (index) => row(`someone${index}@fabrikam.com`)),
    repeatRows(6, (index) => row(`former${index}@woodgrovebank.com`)),
    repeatRows(3, (index) => row(`guest${index}@litwareinc.com`)),
    row('li.wei@gmial.com') + row('two..dots@gmail.com') + row('nobody@contoso.com') + row('x7k2@mailinator.com'),
    row('info@contoso.com') + row('ada.0@contoso.com') + row('', 'No address'),
  ].join(''),
  'last.csv': [
    'Name,Email,Alt. mail,mailvet_status,mailvet_sub_status,mailvet_confidence,mailvet_safe_to_send,mailvet_did_you_mean\n',
    repeatRows(20, (index) => `Ada Lovelace,${people[index % 6]}.${index}@contoso.com,,valid,,0.97,true,\n`),
    repeatRows(6, (index) => `Somebody,former${index}@woodgrovebank.com,,valid,,0.97,true,\n`),
    'Somebody,left@contoso.com,,valid,,0.97,true,\n',
  ].join(''),
  'greylisted.csv': [
    'Name,Email\n',
    repeatRows(5, (index) => `Ada,${people[index]}@contoso.com\n`),
    repeatRows(6, (index) => `Bob,${people[index]}@tailspintoys.com\n`),
  ].join(''),
  'long.csv': [
    'Name,Email\n',
    'Ada,ada.lovelace.analytical.engine@contoso.com\n',
    'Ada,Ada.Lovelace.Analytical.Engine@contoso.com\n',
    'Bob,former.employee.of.the.northern.branch@woodgrovebank.com\n',
    'Li,li.wei@gmial.com\n',
  ].join(''),
};

const everyWidth = [40, 80, 120];

/** The recorded commands: the most common ones, and the most common errors. `until`: record while the program still runs; `picture`: also as docs/images/NAME.svg. */
export const screens = [
  { name: 'validate-valid', words: ['validate', 'ada@contoso.com'] },
  { name: 'validate-risky', words: ['validate', 'li.wei@gmial.com'], widths: everyWidth },
  { name: 'validate-invalid', words: ['validate', 'nobody@contoso.com'] },
  { name: 'validate-unknown', words: ['validate', 'guest@litwareinc.com'] },
  { name: 'validate-missing-domain', words: ['validate', 'ada@nosuchcompany.com'] },
  { name: 'validate-unreachable', words: ['validate', 'ada@wingtiptoys.com', '--timeout', '5s'] },
  { name: 'validate-json', words: ['validate', 'ada@contoso.com', '--json'] },
  { name: 'validate-explain', words: ['validate', 'jane.doe@woodgrovebank.com', '--explain'], picture: 'explain' },
  { name: 'validate-several', words: ['validate', 'ada@contoso.com', 'li.wei@gmial.com', 'a..b@gmail.com'] },
  { name: 'bulk-table', words: ['bulk', 'newsletter.csv', '--limit', '12'] },
  { name: 'bulk-dry-run', words: ['bulk', 'newsletter.csv', '--dry-run', '--hybrid'] },
  { name: 'bulk-waiting', words: ['bulk', 'greylisted.csv', '-o', 'waiting.csv'], until: 'next try' },
  {
    name: 'bulk-interrupted',
    words: ['bulk', 'greylisted.csv', '-o', 'stopped.csv'],
    keys: [{ after: 'next try', press: 'C-c' }],
  },
  { name: 'bulk-output', words: ['bulk', 'newsletter.csv', '-o', 'vetted.csv'], widths: everyWidth },
  { name: 'bulk-clean', words: ['bulk', 'newsletter.csv', '--clean'] },
  { name: 'upload-wait', words: ['upload', 'newsletter.csv', '--yes', '--wait', '-o', 'vetted.csv'] },
  {
    name: 'upload-questions',
    words: ['upload', 'newsletter.csv', '--wait', '-o', 'vetted.csv'],
    keys: [
      { after: 'Which column', press: 'Enter' },
      { after: 'Start?', press: 'Enter' },
    ],
  },
  { name: 'upload-column', words: ['upload', 'newsletter.csv'], until: 'navigate' },
  { name: 'jobs-list', words: ['jobs', 'list'], widths: everyWidth },
  { name: 'jobs-get', words: ['jobs', 'get', 'latest'] },
  { name: 'doctor', words: ['doctor'] },
  { name: 'explain', words: ['explain', 'catch_all'] },
  { name: 'config-list', words: ['config', 'list'] },
  { name: 'keys-list', before: [['keys', 'create', '--name', 'billing', '--json']], words: ['keys', 'list'] },
  {
    name: 'completion',
    words: [],
    isShell: true,
    keys: [
      { after: '$', press: 'mailvet explain greyl' },
      { after: 'explain greyl', press: 'Tab' },
      { after: 'explain greylisted', press: 'C-c' },
      { after: '^C', press: 'mailvet validate --level=s' },
      { after: '--level=s', press: 'Tab' },
      { after: '--level=s', press: 'Tab' },
    ],
    until: 'syntax',
  },
  { name: 'help-exit-codes', words: ['help', 'exit-codes'] },
  { name: 'bad-level', words: ['bulk', 'newsletter.csv', '--level', 'sintax'] },
  { name: 'help', words: [] },
  { name: 'help-bulk', words: ['bulk', '-h'], widths: everyWidth },
  { name: 'diff', words: ['diff', 'last.csv', 'vetted.csv'] },
  { name: 'mistyped', words: ['validat', 'ada@contoso.com'] },
];
