const people = ['ada', 'jane.doe', 'bob', 'li.wei', 'mia', 'omar'];
const row = (email, name = 'Somebody', other = '') => `${name},${email},${other}\n`;
const many = (count, make) => Array.from({ length: count }, (_, index) => make(index)).join('');

/** The lists that the screens are about. */
export const lists = {
  'newsletter.csv': [
    'Name,Email,Alt. mail\n',
    many(24, (at) => row(`${people[at % 6]}.${at}@contoso.com`, 'Ada Lovelace', at % 8 === 0 ? 'ada@gmail.com' : '')),
    many(9, (at) => row(`${people[at % 6]}${at}@northwindtraders.com`)),
    many(7, (at) => row(`someone${at}@fabrikam.com`)),
    many(6, (at) => row(`former${at}@woodgrovebank.com`)),
    many(3, (at) => row(`guest${at}@litwareinc.com`)),
    row('li.wei@gmial.com') + row('two..dots@gmail.com') + row('nobody@contoso.com') + row('x7k2@mailinator.com'),
    row('info@contoso.com') + row('ada.0@contoso.com') + row('', 'No address'),
  ].join(''),
  'last.csv': [
    'Name,Email,Alt. mail,mailvet_status,mailvet_sub_status,mailvet_confidence,mailvet_safe_to_send,mailvet_did_you_mean\n',
    many(20, (at) => `Ada Lovelace,${people[at % 6]}.${at}@contoso.com,,valid,,0.97,true,\n`),
    many(6, (at) => `Somebody,former${at}@woodgrovebank.com,,valid,,0.97,true,\n`),
    'Somebody,left@contoso.com,,valid,,0.97,true,\n',
  ].join(''),
  'greylisted.csv': [
    'Name,Email\n',
    many(5, (at) => `Ada,${people[at]}@contoso.com\n`),
    many(6, (at) => `Bob,${people[at]}@tailspintoys.com\n`),
  ].join(''),
  'long.csv': [
    'Name,Email\n',
    'Ada,ada.lovelace.analytical.engine@contoso.com\n',
    'Ada,Ada.Lovelace.Analytical.Engine@contoso.com\n',
    'Bob,former.employee.of.the.northern.branch@woodgrovebank.com\n',
    'Li,li.wei@gmial.com\n',
  ].join(''),
};

/** What is recorded: the commonest commands, and what goes wrong most often. `until`: the program still runs. */
export const screens = [
  { name: 'validate-valid', words: ['validate', 'ada@contoso.com'] },
  { name: 'validate-risky', words: ['validate', 'li.wei@gmial.com'] },
  { name: 'validate-invalid', words: ['validate', 'nobody@contoso.com'] },
  { name: 'validate-unknown', words: ['validate', 'guest@litwareinc.com'] },
  { name: 'validate-full', words: ['validate', 'ada@adatum.com'] },
  { name: 'validate-missing-domain', words: ['validate', 'ada@nosuchcompany.com'] },
  { name: 'validate-unreachable', words: ['validate', 'ada@wingtiptoys.com', '--timeout', '5s'] },
  { name: 'validate-verbose', words: ['validate', 'ada@contoso.com', '--verbose'] },
  { name: 'validate-json', words: ['validate', 'ada@contoso.com', '--json'] },
  { name: 'shorthand', words: ['--level', 'syntax', 'ada@contoso.com'] },
  { name: 'validate-explain', words: ['validate', 'someone@fabrikam.com', '--explain'] },
  { name: 'validate-several', words: ['validate', 'ada@contoso.com', 'li.wei@gmial.com', 'a..b@gmail.com'] },
  { name: 'bulk-table', words: ['bulk', 'newsletter.csv', '--limit', '12'] },
  { name: 'bulk-long', words: ['bulk', 'long.csv'] },
  { name: 'bulk-dry-run', words: ['bulk', 'newsletter.csv', '--dry-run'] },
  { name: 'bulk-waiting', words: ['bulk', 'greylisted.csv', '-o', 'waiting.csv'], until: 'next try' },
  {
    name: 'bulk-interrupted',
    words: ['bulk', 'greylisted.csv', '-o', 'stopped.csv'],
    keys: [{ after: 'next try', press: 'C-c' }],
  },
  { name: 'bulk-output', words: ['bulk', 'newsletter.csv', '-o', 'vetted.csv'] },
  { name: 'bulk-clean', words: ['bulk', 'newsletter.csv', '--clean'] },
  { name: 'bulk-since', words: ['bulk', 'newsletter.csv', '-o', 'vetted.csv', '--since', 'last.csv'] },
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
  { name: 'upload-background', words: ['upload', 'long.csv', '--yes'] },
  { name: 'jobs-failed', words: ['jobs', 'list', '--status', 'failed'] },
  { name: 'jobs-prune', words: ['jobs', 'prune', '--older-than', '1h', '--dry-run'] },
  { name: 'jobs-list', words: ['jobs', 'list'] },
  { name: 'jobs-get', words: ['jobs', 'get', 'latest'] },
  { name: 'doctor', words: ['doctor'] },
  { name: 'explain', words: ['explain', 'catch_all'] },
  { name: 'config-list', words: ['config', 'list'] },
  { name: 'keys-list', before: [['keys', 'create', '--name', 'billing', '--json']], words: ['keys', 'list'] },
  { name: 'whoami', words: ['whoami'] },
  { name: 'config-profiles', words: ['config', 'profiles'] },
  {
    name: 'completion',
    words: [],
    isShell: true,
    keys: [
      { after: '$', press: 'mailvet explain gma' },
      { after: 'explain gma', press: 'Tab' },
      { after: 'explain gmail', press: 'C-c' },
      { after: '^C', press: 'mailvet validate --level=s' },
      { after: '--level=s', press: 'Tab' },
      { after: '--level=s', press: 'Tab' },
    ],
    until: 'syntax',
  },
  { name: 'help-exit-codes', words: ['help', 'exit-codes'] },
  { name: 'bad-level', words: ['bulk', 'newsletter.csv', '--level', 'sintax'] },
  { name: 'help', words: [] },
  { name: 'help-bulk', words: ['bulk', '--help'] },
  { name: 'mistyped', words: ['validat', 'ada@contoso.com'] },
];
