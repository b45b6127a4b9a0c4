// Groups accounts by shape, source, length and language, for reports.
const languageGroups = {
  germanic: 'de nl af nds lb fy li als bar gsw ksh pfl stq vls zea frr pdc yi',
  nordic: 'sv da nb nn no is fo',
  english: 'en sco',
  romance: 'fr es it pt ro ca gl ast oc an wa fur sc scn nap vec lmo pms lij frp ext mwl eml rup',
  slavic: 'ru uk be pl cs sk sl hr sr bs mk bg csb hsb dsb crh szl rue sh',
  'baltic and finnic': 'fi et lv lt se vep vro krl olo ltg sgs fit',
  hungarian: 'hu',
  greek: 'el pnt',
  albanian: 'sq aln',
  'armenian and georgian': 'hy hyw ka xmf',
  basque: 'eu',
  turkic: 'tr az kk ky uz tt ug ba cv sah tk gag azb lki',
  'semitic, persian, kurdish': 'ar arz ary arq aeb he am ti mt fa ku ckb ps tg diq kiu sdh lrc mzn glk',
  indic: 'hi bn pa pnb gu mr or as ne si ta te kn ml ur sa mai dz bo bho new gom sd skr tcy sat',
  chinese: 'zh yue gan nan hak cdo wuu lzh',
  'japanese and korean': 'ja ko',
  'southeast asian': 'vi th id ms fil tl km lo my jv su ban bjn min map ace ilo ceb war bcl pam mnw shn',
  celtic: 'ga gd cy br kw gv',
  african: 'sw ha ig yo zu xh so rw ln wo sn tn ts st nso ss ve ny lg om',
};
const groupOfLanguage = Object.fromEntries(
  Object.entries(languageGroups).flatMap(([group, codes]) => codes.split(' ').map((code) => [code, group])),
);

/** Accounts as samples { text, label, groups }. */
export function groupedAccountSamples(accounts) {
  return accounts.map(({ account, shape, source, languages }) => ({
    text: account,
    label: 1,
    groups: [
      `shape: ${shape}`,
      `source: ${source}`,
      `length: ${lengthGroup(account.length)}`,
      ...new Set(languages.map((language) => `language: ${groupOfLanguage[language] ?? 'others'}`)),
    ],
  }));
}

function lengthGroup(length) {
  if (length <= 4) return '2 to 4';
  if (length <= 6) return '5 and 6';
  if (length <= 8) return '7 and 8';
  return length <= 12 ? '9 to 12' : '13 and more';
}
