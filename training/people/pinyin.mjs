// Hanyu Pinyin without tones: syllables, and the most common surnames.
const finalsOf = {
  '': 'a ai an ang ao e en er o ou',
  b: 'a ai an ang ao ei en eng i ian iao ie in ing o u',
  p: 'a ai an ang ao ei en eng i ian iao ie in ing o ou u',
  m: 'a ai an ang ao ei en eng i ian iao ie in ing iu o ou u',
  f: 'a an ang ei en eng o ou u',
  d: 'a ai an ang ao e ei eng i ian iao ie ing iu ong ou u uan ui un uo',
  t: 'a ai an ang ao e eng i ian iao ie ing ong ou u uan ui un uo',
  n: 'a ai an ang ao e ei en eng i ian iang iao ie in ing iu ong u uan uo v',
  l: 'a ai an ang ao e ei eng i ian iang iao ie in ing iu ong ou u uan un uo v',
  g: 'a ai an ang ao e ei en eng ong ou u ua uai uan uang ui un uo',
  k: 'a ai an ang ao e en eng ong ou u ua uai uan uang ui un uo',
  h: 'a ai an ang ao e ei en eng ong ou u ua uai uan uang ui un uo',
  j: 'i ia ian iang iao ie in ing iong iu u uan ue un',
  q: 'i ia ian iang iao ie in ing iong iu u uan ue un',
  x: 'i ia ian iang iao ie in ing iong iu u uan ue un',
  zh: 'a ai an ang ao e en eng i ong ou u ua uan uang ui un uo',
  ch: 'a ai an ang ao e en eng i ong ou u uan uang ui un uo',
  sh: 'a ai an ang ao e ei en eng i ou u ua uan uang ui un uo',
  r: 'an ang ao e en eng i ong ou u uan ui un uo',
  z: 'a ai an ang ao e en eng i ong ou u uan ui un uo',
  c: 'a ai an ang ao e en eng i ong ou u uan ui un uo',
  s: 'a ai an ang ao e en eng i ong ou u uan ui un uo',
  y: 'a an ang ao e i in ing ong ou u uan ue un',
  w: 'a ai an ang ei en eng o u',
};

export const syllables = Object.entries(finalsOf).flatMap(([initial, finals]) =>
  finals.split(' ').map((final) => initial + final),
);

/** Most common first. */
export const surnames =
  `wang li zhang liu chen yang huang zhao wu zhou xu sun ma zhu hu guo he gao lin luo zheng liang xie song tang deng han
  feng cao peng zeng xiao tian dong pan yuan cai jiang yu du ye cheng wei su lu ding ren shen yao cui tan fan fu zhong wan liao jin
  bai dai shi qiu hou zou xiong meng qin yin xue yan duan lei long tao hao kong mao shao lai qi qian wen mo kang pang zhuang ge gu
  qiao niu ouyang`
    .trim()
    .split(/\s+/);

const known = new Set(surnames);
const given = new RegExp(`^(?:${[...syllables].sort((one, other) => other.length - one.length).join('|')}){1,3}$`);

/** Whether a name such as `Xiaoming Wang` has Chinese syllables and a Chinese surname. */
export function isChinese(name) {
  const parts = name.toLowerCase().replaceAll('-', '').split(/\s+/);
  if (parts.length < 2 || !parts.every((part) => /^[a-z]+$/.test(part) && given.test(part))) return false;
  return known.has(parts[0]) || known.has(parts.at(-1));
}

const luckyNumbers = ['520', '666', '888', '168', '123', '1314', '007', '521'];

/** A Chinese mailbox: full names, or initials of the given or the full name, perhaps with a number. */
export function chineseMailbox(random) {
  const { pick, between, chance } = random;
  const surname = pick(surnames.slice(0, pick([20, 50, surnames.length])));
  const parts = Array.from({ length: pick([1, 2, 2, 2]) }, () => pick(syllables));
  const given = parts.join('');
  const initials = parts.map((part) => part[0]).join('');
  const separator = pick(['', '', '', '.', '_', '-']);
  const form = pick([
    () => surname + separator + given,
    () => given + separator + surname,
    () => initials + separator + surname,
    () => surname + separator + initials,
    () => surname[0] + initials,
    () => surname[0] + given,
    () => given,
    () => `${pick(['xiao', 'lao', 'da', 'a', 'ah'])}${chance(0.5) ? surname : parts[0]}`,
    () => parts[0] + parts[0],
  ])();
  if (!chance(0.3)) return form;
  return form + pick([pick(luckyNumbers), between(1, 99), between(1970, 2005), between(70, 99), between(100, 9999)]);
}
