// Mailboxes in countries where the usual shapes do not apply.
import { ownNames } from '../corpora/own-names.mjs';

const list = (text) => text.trim().split(/\s+/);

const vietnamese = {
  family: list(
    'nguyen nguyen nguyen tran tran le le pham hoang huynh phan vu vo dang bui do ho ngo duong ly dao doan vuong trinh truong dinh lam mai cao ha luu luong ta thai tang chu chau kieu mac to quach',
  ),
  middle: list(
    'van van thi thi duc huu minh quang thanh ngoc xuan hoang tuan anh quoc dinh cong the gia bao phuong thu khanh kim my hong nhat trung viet hai tien manh dang thuy',
  ),
  given: list(
    `anh an bach bang bao bich binh canh chau chi chien chinh chung cong cuong dai dan danh dao dat diem diep dong du duc dung duong duy
    giang ha hai han hang hanh hao hau hien hiep hieu hoa hoai hoan hoang hoc hoi hong hop hue hung huong huy huyen khai khang khanh
    khiem khoa khoi kien kim ky lam lan lap lien linh loan loc loi long luan luat luc luong ly mai man manh mi minh my nam nga ngan
    nghi nghia ngoc nguyen nguyet nhan nhat nhi nhien nhu nhung oanh phat phi phong phu phuc phung phuoc phuong quan quang que quoc
    quy quyen quyet quynh sang sinh son su suong tai tam tan tang thach thai tham than thang thanh thao the thi thien thiep thinh tho
    thoa thong thu thuan thuat thuc thuong thuy tien tiep tin tinh toan toai tra trai tram trang tri triet trieu trinh trong truc
    trung truong tu tuan tue tung tuoi tuyen tuyet uyen van vi viet vinh vu vuong vy xuan yen`,
  ),
};

/** The given name with the initials of the others before or after it, as schools and companies do, or syllables in a row. */
export function vietnameseMailbox(random) {
  const { pick, between, chance } = random;
  const [family, given] = [pick(vietnamese.family), pick(vietnamese.given)];
  const middles = Array.from({ length: pick([1, 1, 1, 2]) }, () => pick(vietnamese.middle));
  const initials = family[0] + middles.map((middle) => middle[0]).join('');
  const separator = pick(['', '', '.', '_']);
  const number = (least, most) => String(between(10 ** (least - 1), 10 ** most - 1));
  const form = pick([
    () => given + initials,
    () => given + initials,
    () => given + initials,
    () => `${given}.${initials}`,
    () => initials + given,
    () => initials + given,
    () => initials + separator + middles[0] + given,
    () => family + separator + middles.join('') + separator + given,
    () => [family, ...middles, given].join('.'),
    () => `${given}.${family}${middles.join('')}`,
    () => middles.join('') + given,
    () => middles[0] + given + separator + family,
    () => given + separator + family,
    () => family + given,
    () => given + initials + pick(['se', 'he', 'ph', 'ce', 'hs', 'ss', 'pd']) + number(5, 6),
    () => `${given}.${initials}${number(6, 6)}`,
  ])();
  return chance(0.3) ? form + pick([between(1, 9), between(1, 99), between(80, 99), between(1980, 2006)]) : form;
}

const indonesian = {
  heads: list(
    'muh muhammad mohammad moh m abd abdul ahmad nur nurul siti sri dwi tri eka putra putri ade tengku raden andi i.gede made',
  ),
  names: [
    ...ownNames.indonesian,
    ...ownNames.malay,
    ...list(
      `abiyyu adiputra adji afifah agnan akbar alamsyah aldy alfarizi alfian alif alya amalia ananda angga anggoro annisa aprilia aqila
      ardhi ardiansyah arfan arga ariandi arya aryo asyrofi atmaja aufa aulia aziz azka azzahra bachtiar bagaskara baihaqi bhadrika bintang
      cahyadi chairul choirul daffa damar daniswara darma darmawan davin dewanto dhani dhiya dimasqi dirga dzaki edbert fachri fadhil
      fadhilah fadhlan fadillah fahmi fahrul faisal faiz fakhran fakhri farhan faris farras fathur fatimah fauzan fauziah febrian ferdi
      fikri firman firmansyah fitrah fitrianto ghani ghifari gustian habibie hafidz hafizh haidar hakim hamzah hanif hanifah harist haris
      haryono hasanah hasna helmi hermawan hidayah hidayatullah ibnu ihsan ikhsan ilham imaduddin irsyad iskandar ismail izza jamal junaedi
      juniardi kamil kautsar khairul khairunnisa kharisma khoirul krisnawan kristanto kristian kusnadi laksana laksono latif luthfi
      mahardika maharani marwan maulida maulidya mubarak mufid muhaimin mukhlis mulia munawar mustofa muttaqin nabila nadhif nadia nafis
      najib nanda naufal nisa novan novianti nugraha nuzul oktavian padmawan perdana permata pradana pradipta prakoso pramana pramudya
      pranata prasetya pratiwi prayoga prayogo priyanto purnama puspitasari putranto rachmawati raditya rafi rafli rahadian rahardjo
      rahmadi rahmat raihan raka ramadan ramadhan ramadhani rasyid razan reza rezky rifai rifki rifqi rijal risky riyadi rizaldi rizky
      rizqi robi romadhon rosyid sabrina salsabila salman samudra sandi santika santosa saripudin satrio setyawan shafira sholeh
      sidik siddiq subagyo sudarmono sudirman sugiarto suhada sukma sulaiman sulistyowati sumarno suprapto suryana suryono susilowati
      sutanto suwandi syafii syahputra syahrial syarif syauqi tanuwijaya taufiq tirta triawan ubaidillah ulya umam vania wahid wahyudi
      wardana wardhana wibawa wicaksono widianto widiyanto wijayanto winata wiratama wiyono yasin yoga yudha yudhistira yudistira yulianti
      yusril zahra zaki zakaria zaky zidan zulfa zulham`,
    ),
  ],
};

/** One or several names, with a prefix, repeated, or with some vowels left out. */
export function indonesianMailbox(random) {
  const { pick, between, chance } = random;
  const [one, two, three] = Array.from({ length: 3 }, () => pick(indonesian.names));
  const head = pick(indonesian.heads);
  const separator = pick(['', '', '', '.', '_']);
  const bare = (name) => name[0] + name.slice(1).replaceAll(/[aiueo]/g, '');
  const form = pick([
    () => one,
    () => one + separator + two,
    () => one + separator + two,
    () => one + two,
    () => one + two + three,
    () => [one, two, three].join('.'),
    () => head + separator + one,
    () => head + one + two,
    () => one[0] + two + three,
    () => one + two[0],
    () => one.slice(0, between(3, 4)) + two.slice(0, between(3, 4)),
    () => `${one.slice(0, 4)}_${bare(two)}`,
    () => one.slice(0, 3) + one.slice(0, 3),
    () => `${one}.${between(14, 24)}${between(1, 9)}${between(10, 99)}`,
  ])();
  return chance(0.25) ? form + pick([between(1, 9), between(1, 99), between(1990, 2006), `0${between(1, 9)}`]) : form;
}

/** Beginnings and endings of compound names, in languages with more names than any list. */
const compounds = [
  [
    // Yoruba
    'ade ola olu oluwa ayo ifa ogun omo ore tolu temi dami bola fola iyi aki akin akan oye owo ibi bami fun olorun',
    'bayo bisi bola bowale dapo dayo deji dele dipo femi funmi gbenga jide kemi kola kunle lade lanke leke leye lola lowo niyi nike paul pelumi peju rinde rotimi sanya seun seyi shola sola tade tayo tobi tola tope tosin tunde wale wande wole wunmi yemi yinka joke diran ronke biyi toyin sesan simi',
  ],
  [
    // Igbo
    'chi chukwu chidi nna nne nwa obi oge ogo oko oke ike ife ugo uzo uche ama eze kele kene somto mma olu onye',
    'amaka azor chi chukwu dera dozie ebube emeka fechi ka kachi kaodili ma mdi na nazo ndu ne nma nna nso nwe nyere oma sim tochi wendu zoba debe gozie belu chinedu',
  ],
  [
    // Malagasy
    'rakoto rasoa randria andria razafi rabe rabe rama ratsi ravo raza ran an tovo hery',
    'arisoa arivelo ndrabe manana manjato mamonjy mahefa nirina noro soa tiana vololona harisoa malala lala malaza miharisoa naivo nantenaina tsoa fetra herisoa',
  ],
  [
    // Ethiopia and Eritrea
    'gebre haile wolde tesfa habte welde tekle fikre mulu zer ab ber ale desta yoha mes',
    'mariam michael selassie giorgis meskel hiwot yesus kidan egziabher tsadik medhin ab worku lassie nesh tu work mikael abzgi',
  ],
  [
    // Great Lakes
    'habi haki mana niyo ndayi nsengi uwi muka twagira nshimi hara bizi ntaki baka ingabire iraku kayi mugi maso uwa umu',
    'mana yimana zimana ngabo shaka rabagiza mungu yezu shimiye ruti tesi mahoro rwema gisha nzayo tete rera hoza sanga nkusi',
  ],
  [
    // Southern Bantu
    'ntho no nku nko thando si li siya mlu tha tshe ma le ke ra mo ko bo sibu ndu',
    'kozo thando luleko sinathi lwethu bonga kile ndiwe ngisi mba bang pho gofatso boho lesedi tumetse ne bile swa siswe miso mpilo khaya nga zile thembiso',
  ],
];

const compoundParts = compounds.map(([heads, ends]) => [list(heads), list(ends)]);

export function compoundName(random) {
  const [heads, ends] = random.pick(compoundParts);
  const name = random.pick(heads) + random.pick(ends);
  return name.length >= 4 ? name : compoundName(random);
}
