// Everyday words of languages without a dictionary package, in Latin letters: general knowledge, collected by us. MIT.

/** Language → words that handles, shops and clubs use. */
const ownWords = Object.fromEntries(
  Object.entries({
    albanian: `shtepi dritare gjuha xhami qyteti fshati rruga drita hena dielli ylli deti mali lumi lule trendafil zemra jeta bukuria
      dashuria shqiponja luani ujku qeni macja zogu peshku buka qumeshti djathi kafja shkolla libri mesuesi nxenesi gjyshi gjyshja
      motra vellai vajza djali burri gruaja femija miku shoqja gezim lumturi fjala kenga vallja muzika loja futbolli skuadra fitore
      puna zyra shitje blerje ndihma kontakti sherbimi xhepi xhaketa xhuxh qershi qiell qumesht gjelber kuqe zeze bardhe verdhe
      vjeshte pranvere vere dimer vjen vjollce yjet ylber hyrje dyqan byrek kryqytet gjak gjumi njeri njohuri enderr bjeshke
      ushqimi bashkia kryetari kryesia qendra mireseerdhet faleminderit besimi nderi gjykata njoftim shpirti zjarri akulli fqinji
      thjeshte dhurata dhoma thika thesari qytetari krahu kurora tryeza karrige dyer celes makina rrota fluturim aeroport dardhe molle
      kumbull rrush fiku ulliri gruri misri bima pylli gjethe dega rrenja guri rera vala stuhi shiu bora ngrica vapa moti java muaji
      viti dita nata mengjes mbremje sot neser dje tani gjithmone kurre ndoshta pyetje pergjigje gazeta lajme fakulteti mjeku spitali
      barna shendeti trupi koka floket syte veshi hunda goja dora gishti kemba zemerimi paqja lufta liria drejtesia atdheu flamuri
      qershor korrik gusht shtator tetor nentor dhjetor hene marte merkure enjte premte shtune diele njeqind mije gjashte shtate
      nente dhjete pare dyte trete shpejt ngadale larg afer lart poshte djathtas majtas brenda jashte plot bosh ftohte ngrohte lagesht
      thate rende lehte forte dobet pasur varfer zgjuar bukur shemtuar vjeter rinj xhepat xhade xhami xhaxhai axha nxehte nxitim ndihme
      ndjenja ngjyra ngjarje njesi nyje qafa qelqi qen qetesi qumeshtor fqinjesi fytyra gjerdan gjinkalla gjysme hyjnor krijues
      kryevepra kthim lahuta llampa lloji lluksi mbreti mbretereshe mjalte mjegull mjeshter pjeshke pyjor rrezja rrjeti rrobat
      shpetimi shqip shtegtar shtrat sjellje skifter sokoli thelb thirrje trim urti urdher vdekje vellazeri vendlindje yndyre zanafille
      zbulim zgjedhje zhurma zhvillim zyrtar zemergjere fatbardhe fatlum besnik dritesim agimi bardhesi lirishte mirenjohje shkelqim`,
    arabic: `salam habibi noor qamar shams bahr sama warda kitab madrasa bayt souk qahwa sahra nakheel hilal hayat amal farah zaytoun
      yasmeen asad saqr nasr khair baraka dunya rooh qalb sadiq`,
    basque: `etxe etxea mendi mendia itsaso itsasoa hondartza zuhaitz lore eguzki ilargi izar haize euri elur ibaia harri txakur txori
      katu zaldi otso hartz lagun maitasun bihotz gazte zahar berri txiki handi gorri beltz zuri urdin berde ikastola eskola liburu
      hizkuntza euskara herri hiri kale plaza denda jatetxea sagardo ardo gazta ogi arrain txokolate dantza musika abesti pilota`,
    czech: `dum okno mesto ulice slunce mesic hvezda more hora reka kvetina ruze srdce zivot laska orel lev vlk pes kocka ptak ryba chleba
      mleko syr kava skola kniha ucitel zak dedecek babicka sestra bratr pritel stesti pisnicka hudba fotbal vitezstvi prace obchod
      prvni ctvrtek zmrzlina smrk krtek trdelnik vlk zluty cerveny`,
    filipino: `bahay bintana araw buwan bituin dagat bundok ilog bulaklak puso buhay mahal agila aso pusa ibon isda tinapay gatas kape
      paaralan aklat guro lolo lola kapatid kaibigan ligaya kanta sayaw laro tagumpay trabaho tindahan kalabaw sampaguita mabuhay`,
    finnish: `talo ikkuna kaupunki katu aurinko kuu tahti meri vuori joki kukka ruusu sydan elama rakkaus kotka leijona susi koira kissa
      lintu kala leipa maito juusto kahvi koulu kirja opettaja isoisa sisko veli ystava onni laulu musiikki jalkapallo voitto tyo kauppa
      yo hyva poyta kynttila lumi jaa mokki sauna metsa`,
    greek: `spiti parathiro poli dromos ilios fegari asteri thalassa vouno potami louloudi kardia zoi agapi aetos lykos skylos gata
      psomi gala tyri kafes sxoleio vivlio daskalos pappous giagia adelfos filos xara tragoudi mousiki podosfairo niki douleia`,
    hindi: `ghar khidki sheher sadak suraj chand sitara samundar pahad nadi phool gulab dil jeevan pyaar sher kutta billi machli roti doodh
      chai vidyalaya kitab guru dada dadi behen bhai dost khushi geet sangeet khel jeet kaam dukaan mithai dhoop barish rang deepawali`,
    hungarian: `haz ablak varos utca nap hold csillag tenger hegy folyo virag rozsa sziv elet szerelem sas oroszlan farkas kutya macska
      madar hal kenyer tej sajt kave iskola konyv tanar nagyapa nover fiver barat boldogsag enek zene foci gyozelem munka bolt egyszer
      gyerek hegyek szep nagyon kicsi piros fekete`,
    indonesian: `rumah jendela kota jalan matahari bulan bintang laut gunung sungai bunga mawar hati hidup cinta elang singa serigala anjing
      kucing burung ikan roti susu keju kopi sekolah buku guru kakek nenek kakak adik teman bahagia lagu musik bola menang kerja toko
      nyanyian sejahtera berkah warung`,
    irish: `teach fuinneog cathair sraid grian gealach realta farraige sliabh abhainn blath ros croi beatha gra iolar leon madra cat ean iasc
      aran bainne cais caife scoil leabhar muinteoir seanathair deirfiur deartheair cara sonas amhran ceol peil bua obair siopa dubh
      gaeilge eire oiche maidin fathach leprechaun ceilidh craic slainte failte cearnog bothar inbhear coill
      oilean tra loch gleann droichead eaglais caislean feirm caora capall muc gabhar cearc lacha beach mil ull im feoil pratai anraith
      beoir fion uisce seomra leaba cathaoir doras eochair aimsir baisteach gaoth scamall crann duilleog nollaig samhradh geimhreadh
      fomhar earrach saoire turas eitlean traein carr rothar cluiche imreoir foireann cumann oifig dochtuir ospideal gaelscoil naisiunta`,
    japanese: `sakura hoshi tsuki taiyo umi yama kawa hana kokoro inochi taka shishi ookami inu neko tori sakana gohan gyunyu gakko hon sensei
      tomodachi uta ongaku yakyu shori shigoto mise ramen sushi onigiri kitsune tanuki ninja samurai fujisan natsu fuyu haru aki yuki`,
    korean: `haneul bada byeol dal haetnim namu kkot sarang maeum hoseong goyangi gangaji sae mulgogi bap uyu keopi hakgyo chaek seonsaeng
      harabeoji halmeoni chingu haengbok norae eumak chukgu seungri gage kimchi bulgogi mandu hanbok hangeul`,
    persian: `khane panjere shahr khiaban khorshid mah setareh darya kuh rud gol del zendegi eshgh oghab shir gorg sag gorbeh parandeh mahi
      nan panir chai madreseh ketab pedar madar khahar baradar doost shadi ahang musighi bazi piruzi kar maghaze`,
    polish: `dom okno miasto ulica slonce ksiezyc gwiazda morze gora rzeka kwiat roza serce zycie milosc orzel lew wilk pies kot ptak ryba
      chleb mleko ser kawa szkola ksiazka nauczyciel dziadek babcia siostra brat przyjaciel szczescie piosenka muzyka pilka zwyciestwo
      praca sklep chrzaszcz szczypta wszystko dzwiek brzeg krzyk przyroda trzmiel jezyk zolw zrodlo swierszcz`,
    russian: `dom okno gorod ulitsa solntse luna zvezda more gora reka tsvetok roza serdtse zhizn lyubov orel lev volk sobaka koshka ptitsa ryba
      khleb moloko syr kofe shkola kniga uchitel dedushka babushka sestra brat drug schastye pesnya muzyka futbol pobeda rabota magazin
      zhuravl yozhik shchuka vzglyad mechta skazka privet vsyo`,
    samoan: `fale faamalama taulaga auala masina fetu vasa mauga vaitafe fugalaau loto ola alofa maile pusi manu ia falaoa susu aoga tusi
      faiaoga tama tina tuafafine uso uo fiafia pese musika lakapi manumalo galuega faleoloa talofa faafetai aiga tamaititi`,
    hawaiian: `hale puka kaona alanui hoku kai kahakai mauna kahawai pua lokelani puuwai ola aloha iole ilio popoki manu ia palaoa waiu kope
      kula puke kumu kupuna makuahine kaikuaana hoa hauoli mele hula lanakila hana halekuai mahalo ohana keiki wahine kanaka honu nalu
      humuhumu pohaku kukui malama pono ululoa`,
    maori: `whare matapihi taone huarahi ra marama whetu moana maunga awa putiputi ngakau oranga aroha kuri ngeru manu ika paraoa miraka
      kura pukapuka kaiako koroua kuia tuahine tungane hoa hari waiata puoro whutuporo wikitoria mahi toa whanau tamariki wahine tangata
      rangatira kaitiaki tui kereru pounamu tangaroa haka marae whenua rongoa`,
    swahili: `nyumba dirisha mji barabara jua mwezi nyota bahari mlima mto ua moyo maisha upendo tai simba mbwa paka ndege samaki mkate maziwa
      kahawa shule kitabu mwalimu babu bibi dada kaka rafiki furaha wimbo muziki mpira ushindi kazi duka habari karibu asante mtoto mzee
      chakula ndoto mvua nguvu`,
    swedish: `hus fonster stad gata sol mane stjarna hav berg flod blomma ros hjarta liv karlek orn lejon varg hund katt fagel fisk brod mjolk
      ost kaffe skola bok larare farfar mormor syster bror van lycka sang musik fotboll seger arbete butik skog sjo kvall nyckel gladje
      bjorn kyckling smorgas`,
    tswana: `ntlo lefensetere motse tsela letsatsi ngwedi naledi lewatle thaba noka sethunya pelo botshelo lorato ntsu tau phiri ntsa katse
      nonyane tlhapi borotho mashi kofi sekolo buka morutabana rremogolo kgaitsadi tsala boitumelo pina mmino kgwele phenyo tiro
      lebenkele dumela pula tlou nkwe motlhaba kgomo tlhogo ngwana mosadi monna mmabana`,
    turkish: `ev pencere sehir sokak gunes ay yildiz deniz dag nehir cicek gul kalp hayat ask kartal aslan kurt kopek kedi kus balik ekmek sut
      peynir kahve okul kitap ogretmen dede nine kardes arkadas mutluluk sarki muzik futbol zafer is dukkan yagmur cikolata dusunce
      ozgurluk gokyuzu buyuk kucuk`,
    vietnamese: `nha cuaso thanhpho duong mattroi mattrang sao bien nui song hoa hong trai tim cuocsong tinhyeu cho meo chim ca banhmi sua caphe
      truong sach thay ong ba chi anh ban hanhphuc baihat nhac bongda chienthang congviec cuahang xinchao vietnam pho`,
    welsh: `ty ffenestr dinas stryd haul lleuad seren mor mynydd afon blodyn rhosyn calon bywyd cariad eryr llew blaidd ci cath aderyn pysgodyn
      bara llaeth caws coffi ysgol llyfr athro taid nain chwaer brawd ffrind hapusrwydd can cerddoriaeth peldroed buddugoliaeth gwaith
      siop cwmni cymru cymraeg draig ddraig eisteddfod llan llyn nant cwm bryn pentref gwyrdd coch gwyn ddu hwyl croeso diolch nos dydd
      gwlad ffermwr cwtch ysbyty swyddfa hyfforddiant llwybr rhaglen
      llythyr cyfrifiadur cyngor heddlu tywydd eira glaw gwynt cwmwl coeden deilen aber traeth ynys pont eglwys capel castell twr fferm
      dafad ceffyl mochyn gafr iar hwyaden gwenyn mel afal eirin menyn cig tatws cawl te cwrw gwin dwr ystafell gwely cadair drws allwedd`,
    yoruba: `ile ferese ilu ona oorun osupa irawo okun oke odo ododo okan aye ife idi kiniun aja ologbo eye eja buredi wara kofi ileiwe iwe oluko
      baba iya egbon aburo ore ayo orin ilu boolu isegun ise itaja ekaabo oluwa olorun adun omo agba oba ijoba ounje`,
    xhosa: `indlu ifestile isixeko isitalato ilanga inyanga inkwenkwezi ulwandle intaba umlambo intyatyambo intliziyo ubomi uthando ukhozi
      ingonyama inja ikati intaka intlanzi isonka ubisi ikofu isikolo incwadi utitshala umhlobo uvuyo ingoma umculo ibhola uloyiso umsebenzi
      ivenkile molweni enkosi umntwana abantwana ixesha iqanda iqhiya ixhegwazana umxhosa ucingo uqhagamshelwano nceda`,
    zulu: `indlu ifasitela idolobha umgwaqo ilanga inyanga inkanyezi ulwandle intaba umfula imbali inhliziyo impilo uthando ukhozi ibhubesi
      impisi inja ikati inyoni inhlanzi isinkwa ubisi ikhofi isikole incwadi uthisha umkhulu ugogo udadewethu umfowethu umngane injabulo
      iculo umculo ibhola ukunqoba umsebenzi isitolo sawubona ngiyabonga hlala hlengo mhlaba mzansi nhlobo nqola qhude xoxo ndlovu ndaba
      ubuntu umuntu abantu izwe amandla inkosi indaba mkhonto`,
  }).map(([language, text]) => [language, text.trim().split(/\s+/)]),
);

/** The word lists alone, one per language. */
export const ownVocabularies = Object.values(ownWords);
