// Common given and family names in Latin letters: general knowledge, collected by us, no list of persons. MIT.

/** Language group → sorted names. */
export const ownNames = Object.fromEntries(
  Object.entries({
    albanian: `
      adem afrim agim agron ahmeti albana albert alija altin amarildo arben ardian ardit arjan armend arta artan
      astrit avni bajram bajrami balaj basha bashkim begaj berisha besa besart besian besnik blerim blerta bujar
      burim bytyqi cani cela dardan dema dervishi dhimiter drita dritan driton duka edi edona eduart elezi elira
      elona endrit enkeleda ergys erion erjon ermal ermira fadil fatbardha fatjon fatmir fatos fazliu fitim flamur
      flutra frasheri gashi gent gentian gezim gjergj gjini gjoka gjon gjonaj gjyla granit hajdari hamdi hasani
      haxhiu hoti hoxha hysa hysen hyseni ibrahimi ilir ismail ismet jashari jetmir jeton jorida kadriu kastriot
      klajdi klea klodian krasniqi kreshnik kryeziu kujtim kurti kushtrim lavdim leke leonora leutrim lika liridon
      lirie llalloshi lleshi luan lule lulzim mema mirela mirjeta morina mucaj muja murati mustafa nderim ndricim
      nexhat nexhmije nikolli osmani pacolli paqesor pasha pellumb petrit pranvera prifti qemal qendrim qosja rama
      ramiz redon refik rexha rexhep rexhepi rinor rozafa rugova sabri sadiku sejdiu selim selimi shala shehu
      shkelqim shkelzen shpend shpetim shpresa shqipe shyti skender sokol syla tahiri taulant teuta thaci topalli
      toska ukaj uran valbona valdet valmir valon vata veliu vesa vjollca vjosa xhafa xhaka xhemajli xhemal xheni
      xhevahir xhevdet ylber ylli yllka ymeri zamir zana zef zeka zeneli zija zogaj`,
    arabic: `
      abd abdallah abdel abdelaziz abdelhamid abdelkader abdelrahman abdu abdul abdulaziz abdulla abdullah
      abdulmajid abdulqader abdulrahman abuzaid adel ahmad ahmed aicha aisha alajmi alaoui alblooshi aldosari
      alenezi alghamdi alharbi alhashimi ali aljaber alketbi almansoori almutairi alnuaimi alomari alotaibi
      alqahtani alrashid alshammari alshehri alsubaie alsuwaidi alzaabi alzahrani amal amani amina amir amr anas
      ashraf asma ayman bakr barakat bashar basma bassam belkacem benali bensaid bilal bouazza boumediene chaoui
      dalia darwish dina elidrissi elmasry elsayed elshamy eman fadi fahad faisal fares fatima fatma firas ghada
      ghassan ghazi haddad haitham hala hamad hamdan hamza hanan hani hassan heba hind hoda huda hussein ibrahim
      iman jaber jamila jawad jihad kamal kareem karim khadija khaled khalid khalil khoury laila lamia layla leila
      lina luay lubna lutfi maha mahmoud manal mansour mariam marwan maryam mazen mhd mhmd mohamed mohammed mona
      muhammad muhannad muhd muna munir muntadhar mustafa nabil nada nader nadia nahla naji najwa nassar nasser
      nawal nizar noor nour omar osman qais qasim qassem qureshi qusay raed ragheb rami rana rania rashid reem
      riad rima ruba saad saeed safwan sahar said saif saleh salem salim salma samar sami samir samira sara shadi
      shaheen shaima sharif shukri siddiqui suha suhair sultan tarek tariq thamer trabelsi turki uday usama wael
      wafa waleed walid wissam yahya yasmin yasmine yasser yazan yousef youssef yusuf zahra zaid zainab zayed
      zaynab zerrouki ziad zuhair`,
    armenian: `
      abrahamyan adamyan aghajanyan aghasi aleksanyan anahit ani anush arakelyan araksya aram ararat arev arevik
      armen armine arpine arsen artak artur arusyak asatryan ashot astghik avagyan avet avetik avetisyan
      baghdasaryan barseghyan danielyan davit davtyan edgar gagik garegin garik gasparyan gayane gevorg gevorgyan
      ghazaryan gohar gor grigor grigoryan hakob hakobyan hambardzumyan harutyun harutyunyan hasmik hayk heghine
      hermine hovhannes hovhannisyan hovik hovsepyan hrachya hrant hripsime karapet karapetyan karen karine
      khachatryan khachatur khachik kirakosyan knarik kocharyan levon lilit lusine mane manukyan manushak
      margaryan mariam martin martirosyan melkonyan mher mihran mkhitar mkhitaryan mkrtchyan mkrtich mnatsakanyan
      muradyan naira nairuhi nare narek narine nazaryan nerses nersisyan norayr nune petrosyan poghosyan robert
      ruben ruzanna sahakyan samvel sargis sargsyan sarkis sasun satenik sevak shushan shushanik simonyan siranush
      smbat sona spartak stepanyan styopa suren tadevosyan tatevik tatul terpetrosyan tigran torosyan tsovinar
      vahagn vahan vahe vardan vardanyan varduhi varuzhan vazgen vigen yeghiazaryan yervand zabel zakaryan zara
      zaruhi zaven zohrab`,
    azeri: `
      abbas abbasov abdullayev adil afgan agayev akif aliyev anar araz arif arzu asgarov aslan aydin aygun aynur
      aysel ayten azer babayev bagirov bahar bahruz bayramov cafarov cavid ceyhun cicek dilara elchin eldar eliyev
      elmar elnara elnur elshad emin esmira etibar eyvaz farid fariz fidan fuad guliyev gulnar gunay gunel gurban
      hajiyev hasanov heydar huseyn huseynov huseynzade ibrahimov ilgar ilham ilkin ilqar intigam irada ismayilov
      jafarov jamila kamran kenan kerimov konul lala lamiya leyla mahir mammadli mammadov mammadova mehdiyev
      mehman mehriban murad mustafayev nabiyev namazov namiq nargiz narmin natiq nicat nigar nihad nizami novruzov
      nurana orkhan orucov orxan parviz pashayev pervane qasimov quliyev qurban rafiq ramil ramin rashad rasim
      rauf rena rovshan rufat ruslan rustamov rzayev sabina sabir safarov sahib salmanov samir samira sevda sevinc
      seymur shabnam shahin shamil suleymanov tagiyev tahir tarana tariyel teymur togrul tural turan turqay
      ulviyya vagif valiyev vasif veliyev vugar vusal vusala xatira xayal xumar yashar yegana zarifa zaur zeynalov
      zumrud`,
    baltic: `
      adomaitis agne agnese aiga aigars aija aiste aivars akvile algimantas algirdas alvydas ance andris andrius
      anita anna antanas antra arta arturs arunas arvids arvydas asta atis audrius audrone aurimas ausra baiba
      balciunas balodis baranauskas berzins birute bite butkus celmins cerniauskas dace daiga daina dainis dainius
      daiva dalia dambrauskas danute darius deividas diana didzis donatas dovydas dumpis edgars eduards edvinas
      egils egle eglitis eimantas elina elmars evaldas evija freimanis gailitis gatis gediminas giedre giedrius
      gintaras gintare gints girts gita grazina grigaitis guna gundega guntis gustavs ieva ignas ilga ilze imants
      indre inese inga ingrida inguss irena ivars iveta jana janis jankauskas janson jansons jekabs jolanta jolita
      jonaitis jonas juozas jurate jurgita juris justinas kalnins karklins karlis karolis kaspars kavaliauskas
      kazlauskas kazys kestutis klavins krisjanis krista kristaps kristina kristine krumins kruze kubilius lacis
      laima laimonas laimonis laura laurynas liene liepins liga lina linas linda loreta lukas lukosius lusis
      madara malinauskas mantas mara maris marius marta martins martynas mazeika mickevicius migle mikelis milda
      mindaugas modestas modris nauris navickas nerijus nijole norkus normunds ona oskars ozolins ozols paulauskas
      paulius peteris petersons petras petrauskas pocius povilas pukitis purins raimonds raivis ralfs ramanauskas
      ramunas rasa rasma renars renata ricards rihards rimantas rimante rimkus rita roberts rokas rolands
      romualdas roze rudzitis ruta sabonis sandis sandra sanita santa sarmite saulius savickas sigita sigitas
      signe silins silva simkus simona simonas skaidrite skaiste skuja smits solvita stankevicius stasys stonkus
      strazdins tadas tomas toms ugne uldis una upitis urbonas urte vaida vaidas vaitkus valancius valdas valdis
      vanags vasiliauskas veinbergs velta vidas viesturs vija viktorija vilius vilma vilnis violeta virginijus
      vita vitols vytautas vytenis zalgiris zane zarins zenta zigmars zigmas zilinskas zivile zukauskas zvaigzne
      zydrunas`,
    basque: `
      abrisketa agirre agirretxe ainara ainhoa aitor aizpurua alazne alberdi altuna amaia amezketa ander andoni
      ane aner antxon aramburu arana aranburu arantxa arantza argi aritz arrate arregi arriaga arrieta
      arruabarrena artetxe asier atxaga aurrekoetxea azkarate azpilicueta barrenetxea begona belaustegi benat
      bengoetxea beristain bidegain bittor bixente edurne egana egoitz eider ekaitz ekhi elixabete elizalde
      elizondo elorriaga enara endika eneko eneritz errazti erreka estibaliz etcheverry etxahun etxaniz etxeandia
      etxebarria etxeberria ezkerra fermin gaizka galarraga garazi garikoitz garmendia gaztanaga gaztelu
      goikoetxea goni gorka gorostiaga gotzon haizea haritz hodei ibai iban ibarguren ibarretxe idoia igone igor
      ihintza iker inaki inchausti inigo iraola irati irigoien irune itsaso iturbe iturralde iturri itxaro itxaso
      itziar ixone izagirre izar izaro izaskun jagoba jauregi joanes jokin jon josu josune julen kepa kerman koldo
      koldobika laia lander larranaga larrazabal lasa legarreta leire lekuona lexuri lizarraga lorea maialen
      maider maite maren markel mendizabal mikel miren mirentxu mugica muguruza nahia naia naiara naroa nekane
      nerea oiarzabal oier oihan oihana olabarria olaizola olatz onintza orbegozo oroitz otegi otxandiano pello
      peru sabin sarasola sorkunde txaber txapartegi txema txomin ugarte unai unax uranga urdangarin uribe urko
      urkullu urrutia urrutikoetxea urtzi uxue xabat xabi xabier xuban yeray zabala zabaleta zigor zorion zubeldia
      zubizarreta zuhaitz zulaika zuri`,
    bengali: `
      abdul abhijit abhishek abir acharya adhikary aditi ahamed akhtar akter alam alamgir amartya amitava anamika
      anik animesh anirban anisur anupam aparajita arijit arindam arpita arunava ashim ashraful asif atanu ayan
      bagchi baidya bandyopadhyay banik bappa barman barnali barua basak begum bhattacharjee bhowmik bhuiyan
      bibhas bidhan bijoy bikash bipasha biplab biswajit biswas bithi chakrabarti chanda chandan chandana
      chattopadhyay chowdhury deb debabrata debasish debjani debnath deepankar dey dhar dipak dipankar dipannita
      dutt emdad fahim farhana faruk fazlul gangopadhyay ganguly gautam ghoshal gobinda goswami gourab guha
      habibur haldar hasina hazra himadri hoque hossain howlader humayun indrajit indrani ishita islam jahan
      jahanara jahangir jannatul jasim jayanta jhuma joydeb joydeep kabir kakoli kallol kamrul kanika kanjilal kar
      karmakar kaushik kazi khatun koushik krishnendu kundu kuntal lahiri liton madhab mahato mahbub mahfuz
      mahmuda maiti majhi majumdar malabika malakar mallick mamun mandal manik manzur masud mehedi mia miah mita
      mitra mizanur mohua moinul moitra mojumder mollah moloy mondal monirul mosharraf moumita mousumi mridha
      mrinal mrittika mukhopadhyay munmun munshi mushfiqur nabanita nandi nasima naskar nasrin nazmul nilanjana
      nilima nirmal nirupam nurul paik pal palash partha parthasarathi pathak paul pijush piyali poddar prabir
      pramanik pranab prasenjit probal prodip purkayastha purnima rabeya rabindra rafiqul rahaman rahman rajib
      ranjan rashida ray rezaul riad rituparna rokeya roy rubel ruma rumana sabbir sabina sadia saha saiful sajal
      samanta samaresh samiran sanchita sandip sanjib sarbani sarkar sarker satyajit saurav sayan sayani selina
      sen shafiqul shahana shahidul shakib shamim shampa shantanu sharmila sharmin shibani shikdar shiladitya
      shimul shipra shirajul shohag shreyasi shubhankar sikder sil sirajul sohel soma somnath soumen soumitra
      soumya sourav sraboni subhajit subhash subir subrata sudip sudipta sufia sujan sujit sukanta sukla sultana
      suman sumon supratik surajit sushmita sutapa sutradhar swapan talukdar tamanna tamim tanjina tanmoy tapan
      tapas tarek tarun taslima tathagata titas tithi tofazzal tuhin uddin ujjal ujjwal urmila utpal zahid zakir
      ziaur`,
    breton: `
      alan anna annaig armel azenor bertrand bihan bleuenn briac briec budoc cadiou corentin corre divi donatien
      efflam eflamm enora erwan fanch floch gael gaelig gaid gall glenn goff goulven goulwen guillou guivarch
      gurvan gweltaz gwenael gwenaelle gwenn gwenola herve hoel jakez jaouen jezequel jil joran judikael katell
      kerguelen kermarrec kerouac kervella kevin kireg klervi koulm landry lebihan lebras legall legoff lena
      leroux loeiz loig madec mael maela maelle maiwenn malo malou mari mathurin melaine moal morgan morvan
      nedelec noluen nolwenn nominoe padrig penven per perig ploumen pol primael quemeneur quere riou riwal ronan
      rozenn rumon salaun soazig solenn stefan talec tanguy tepod tifenn trevidic tudal tugdual yann yannick youn
      yuna yves yvon`,
    burmese: `
      aung aungkyaw aungmin aungmyint aungsan aye bo chan chaw cherry cho eaindra ei gyi hein hla hlaing hlaingmin
      hnin htay htet htethtet htike htin htoo htun htut htwe kaung kay khaing khant khin khine khinkhin khinmaung
      khun ko kyaw kyawkyaw kyawswar kyawthu kyi kywe lay lin linn lwin ma mar maung may mie min minaung mintun mo
      moe moemoe mon mu mya myat myatnoe myint myintmyint myitzu myo naing naingwin nan nanda nandar naw nay nge
      nilar nu nwe nyan nyein nyeinchan nyi nyo nyunt ohn ohnmar oo pa phone phyo phyophyo phyu poe pwint pyae
      pyay pyone sabai san sandar sandarwin saw sein shein shwe soe soewin su suu suusuu swe thandar thander thant
      thaung thawdar thazin thein theingi thet thida thidar thiha thin thinzar thiri thu thura thuzar thwe thwin
      tin tinmaung tinoo tint toe tun wah wai waing wana win winhtein winmyint wut wutyi yadanar yamin yan ye yee
      yeyint yi yin yu yupar yuzana zar zarni zaw zawmin zawzaw zayar zeyar zin zwe`,
    chinese: `
      auyeung bai bo cai cao chan chang chao chen cheng cheung chiang chiu chow chuang chunhua deng ding dong
      dongmei du duan fang fei feng fung gang gao gu guiying guo guohua han hao haoran haoyu he hong hou hsieh hsu
      hu huang hui jiang jianguo jianhua jiayi jie jing jun junjie kong kuo kwan kwok lai lam lan lei leung li
      liang liao lihua lin liu long lu luo ma mak mao meiling meng mengyao min ming ng ouyang pan peng ping poon
      qin qiu ren ruoxi shao shen shi shuang sima siu siyu song su sun szeto tan tang tao tian tianyu tsai tsang
      tseng tsui wan wang wei weidong weiming wen wenjie wong wu xiao xiaohong xiaoli xiaoming xie xinyi xinyue
      xiong xiuying xu xue xuemei yan yang yao ye yeh yichen yifan ying yip yong yu yuan yulan yumei yuxuan zeng
      zhang zhao zheng zhenhua zhigang zhihao zhiqiang zhou zhu zhuge zihan zixuan`,
    dravidian: `
      aadhira abbaiah abhilash abirami achari achuthan achyuta adilakshmi aiswarya ajith akhil akilan akkineni
      alagappan allu ambili ammini amudha anandhi anantha anbazhagan anbu anjaneyulu annamalai annapurna anoop
      apparao appukuttan aravind aravindan arivazhagan arjunan arul arulmozhi arumugam aruna arunachalam asha
      ashwin aswathy athira ayyappan babu balaji balakrishna balakrishnan balamurugan bandaru barathi basava
      basavaraj bhanu bharathi bhaskara bhat bhavani bheemanna bhimavarapu bhuvana bhuvaneswari biju bindu binoy
      boddu bommareddy chacko chaganti challa chandrababu chandran chandrasekar chandrasekhara chandrika
      channabasava chellappan cherian cherukuri chidambaram chinnamma chinnaswamy chinta chiranjeevi chitra chitti
      daggubati damodar dasari devaki devarakonda devegowda devi dhanalakshmi dhanush dileep divakaran dodda durai
      durgaprasad eapen elango eswaran ezhil ezhilarasi gadde ganapathy ganesan ganga garikapati gayathri geetha
      gireesh gomathi gopalakrishnan gopi gopichand govinda gowda gowri gudipati gunasekaran gunturu hanumantha
      hari hariharan haritha hegde honnappa huchappa hymavathi ilakkiya ilango ilayaraja indhu indulekha indumathi
      iniyan jagadeesan jagan jagannadha jagapathi janaki janardhan jayalakshmi jayan jayanthi jayasree jeeva
      jhansi jibin jijo jithin joji jonnalagadda joy kaimal kakarla kalaivani kaliappan kalyan kalyani kamala
      kamaraj kamath kameswari kanakadurga kannan kanneganti karthikeyan karunakaran karunanidhi kathiravan
      katragadda kavin kavitha keerthana kempegowda keshava kini kishore kochumon kolli komatireddy kondaiah
      konidela kosaraju kota koteswara kotha krishnaveni kumaran kumaresan kunchacko kunjumol kuppusamy kurian
      kurup kuruvilla kuttan kuttappan lakshmana lal lalitha lavanya lekha lijo lingaiah lokanathan madhavan
      madhumitha madhusudhan mahalakshmi mahesh malarvizhi mallela mallesh mallikarjuna mammootty manchu mandava
      manga manickam manikandan manimekalai manju manjunath manjunatha mannadiar maran marar mariappan mathai
      mathew mathivanan meda meenakshi mini mohana mohanlal mounika mozhi mudigonda mugilan mukilan mullapudi
      muniyandi muppalaneni murali murugesan muthu muthukumar muthulakshmi muthuraman muthusamy mutyala nachiappan
      nagalakshmi nagaraja nagarajan nagarjuna nagendra nageswara nallamothu nallathambi nambiar namboothiri
      nampoothiri nandamuri nandhini naresh narsimha natarajan nayak nedunchezhiyan nila nimmagadda ningappa nisha
      nithya noby oommen oviya padmaja padmavathi pai paladugu palani palaniappan palanisamy pandian pandiyan
      panicker pappachan paramasivam parambil parameshwara parthiban parvataneni parvathi parvathy pavan pavithra
      peddireddy penmetsa perumal philipose ponnusamy poongodi pothineni prabhakar prabhakaran prabhu pradeepa
      prasanna prasanth praveena premalatha pugazhendhi pullaiah purushottam puthenpurayil puthiyedath puttaraju
      puvvada radhakrishnan raghava raghu rai raja rajagopal rajalakshmi rajasekar rajashekar rajeevan rajendran
      rajeswari rajitha rallapalli ramaiah ramakrishna ramalingam ramanathan ramasamy rambabu ramegowda ramya
      ranga ranganathan raveendran ravichandran ravindra ravipudi rejith remya renjith rudresh sajan sajith
      samantha sambasiva sangeetha sanoop saraswathi saravanan saritha sathish sathya sathyamoorthy sattenapalli
      satyanarayana seetharama selvakumar selvam selvaraj selvi sentamizh senthilkumar seshadri shaji shankarappa
      shanmugam sheela shekhar shenoy shibu shivakumar shivanna shyju siddappa siddaramaiah sindhu sirivennela
      siva sivagami sivan sivaraman smitha snigdha sobha somasundaram soorya soundararajan soundarya sravani
      sreeja sreejith sreekumar sreelakshmi sridevi srihari srikanth srilatha srinivas srinu sruthi subba subbiah
      subbulakshmi subrahmanyam subramani sudha sudhakar sudheesh suja sujatha sukumar sumathi sundar sundaram
      sundararajan sunitha suresh suriya surya swapna swathi tadikonda talluri tamil tamilarasan tamilselvi
      tammineni tejaswi thamarai thampi thangaraj thangavel thankachan thankappan thekkekara thenmozhi
      thilagavathi thimmaiah thirumal thirumalai thomaskutty thottathil tirupathi trivikram uday udhaya
      udhayanidhi umamaheswari unni unnikrishnan uppalapati vadakkedath vadivel vaithiyanathan valarmathi
      valiyaveettil valli vamsi vangaveeti vanitha varadarajan varalakshmi varghese varkey vasantha vasanthi
      veerabhadra veeranna velagapudi velmurugan velu vemuri venkaiah venkata venkatesan venkateswarlu vetri
      vetrivel vidhya vignesh vigneshwaran vijaya vijayakumar vijayalakshmi vineeth vipin vishnu vysakh warrier
      yadagiri yalamanchili yarlagadda yashoda yathindra yazhini yeddyurappa yellaiah yerramilli yogeshwaran
      yuvaraj`,
    'east african': `
      abdi abdirahman abebe abera achieng achola adan addisu adhiambo ahmednur akello akinyi aklilu alemayehu
      alemu almaz amani amanuel anyango apio asefa asha aster atieno atim aturinda auma awino awuor ayaan ayele
      babirye bakari baraka barasa barre bekele bereket berhane bezawit biniam birhanu birtukan bizimana
      byaruhanga chausiku chebet chepkemoi chepngetich cherono cheruiyot dahir daniel dawit deeqa demissie desta
      eden elias ephrem eyerusalem farah fartun fasil feven fikre fikru fundikira gakuo gasana gathoni gatwiri
      gebre gebremedhin getachew getnet ghirmay gichuru girma githinji guled habiba habimana habtamu habyarimana
      haile hailemariam hakizimana hamisi hamza hassan helen henok hiwot hodan ifrah ingabire irakoze ismail
      jakaya jama juma kabuye kagame kaggwa kagwe kajiru kakooza kaleb kalule kamanzi kamau karanja kariuki kassim
      kato katumba kayihura kayitesi kebede keino khadra khamis kibet kidane kidist kiggundu kikwete kimani
      kimutai kintu kinyanjui kinyua kipchoge kipkemboi kipkorir kiplagat kiprotich kipruto kirui koech korir
      kosgei kyeyune langat lemlem liban lidya lowassa lubega lule lwanga macharia magufuli mahad maina makamba
      makau makonnen malecela mamo masanja massawe mbugua mbwana mehari mekdes mekonnen melaku meles meron meseret
      mesfin mikias mire mkapa mkwawa mohamud mollel mrisho msuya mtei mueni mugabo mugisha mugo muiruri mukamana
      mukami mukandayisenga mukasa mukhtar mulindwa mulugeta mumbi muna munene munyaneza murekatete muriithi
      murungi museveni mushi musyoka mutebi mutesi mutheu muthoni mutinda mutisya mutua mutuku muwonge muyingo
      mwakasege mwangi mwaniki mwenda mwende mwinyi nabirye nakato nakawunde nalubega namukasa namuli nankya
      nanyonga nassuna ndayisaba ndayishimiye ndegwa nderitu ndirangu nduta neema negash negussie ngabo nganga
      ngowi ngugi niyonzima njenga njeri njoroge nkurunziza nsengiyumva ntaganda nur nyambura nyerere nyiramana
      nyokabi ochieng odhiambo odinga odongo ogola ojwang okello okoth oloo oluoch omar omolo omondi ongeri
      onyango opiyo osman otieno oyugi pombe rahel rashidi robel rukundo rutayisire ruto rwigema saado sahra salum
      samatar samrawit selam selamawit senait shabani shewit siad sibomana simiyu sisay solomon ssebunya ssekandi
      ssemakula ssempa swai tadesse tanui tariku tarimo tekle temba tesfaye tewodros tibebu tigist tilahun tsegaye
      tsehay tsige tumusiime twagirayezu umutoni uwase uwera uwimana wafula wairimu waithera wambui wangari
      wanjala wanjiku wanyama warsame wasswa wekesa wondimu wondwosen worku yared yasin yemane yohannes yonas
      yusuf zawadi zelalem zenebe zewdu`,
    filipino: `
      abad abalos abanilla abaya abella abueva agbayani aguinaldo aiza alcantara alcaraz alonto alvarado amihan
      amurao analyn andal ang angara angelito annalyn antonio apolinario aragon arceo ariel arlene arnel arroyo
      atienza avancena baby bacani badoy balagtas baltazar banaag bangayan batumbakal batungbakal bayani bayot
      belmonte benigno bernadette bernal bienvenido binay bituin bong bongbong bonifacio boyet buenaventura
      buenviaje bulacan cabaluna cabral cabrera cadiz calderon calungsod caparas capistrano capulong carandang
      cariaga castillo catacutan catapang cayabyab cayetano cherry cherrylyn chito cojuangco concepcion corazon
      cosico crisanto crispin cruz cunanan dacanay dagohoy dalangin dalisay danilo darna david dayrit decastro
      deguzman delacruz delapena delarosa deleon delgado delrosario detorres dimaandal dimaano dimaguiba
      dimaunahan dimayuga diokno diosdado divina divinagracia diwata dizon dodong dolphy domingo donita dulay
      dumlao duterte edgardo edwin efren ejercito elmer emelita emilio enrile epifanio erlinda ernesto escudero
      espiritu estacio estrada estrellita eufemio evangeline evangelista fajardo fe ferdinand fernan fidel
      flordeliza florencio gabriela galang galvez gatchalian gatdula gatmaitan generoso geraldine gloria gonzaga
      gordon gregorio guingona guinto gutierrez hermogenes hilario honorato hontiveros ignacio ilagan imee imelda
      inday inocencio isagani isidro jalandoni javier jayson jejomar jennylyn jericho jerome jhoanna jhong jhun
      jocelyn joel jojo josefina joselito joven jovito jun junjun kalaw katigbak kidlat kris kristine lacson
      lacuesta lagman lakambini lakandula lani lapid lapulapu laurel legarda legaspi leila leni ligaya lim
      liwayway liza locsin lorna lourdes lozada lualhati lumaban luningning luz luzviminda macalintal macapagal
      macaspac madrigal magalona magbanua maglaya magno magpantay makalintal malabanan malixi manalastas manalo
      manansala mang mangubat manlapig manny manzano marasigan marcelo marcos maricar maricel marilou marites
      marivic marlyn maryjane matapang melchor menchu mercado mercedita michelle milagros montano mylene nakpil
      narciso navarro nenita nepomuceno nestor noel nograles nonoy norma noynoy ocampo ogie olaguer ongpin osmena
      pacheco pacquiao padilla palad pangilinan panlilio paquito pascual pelaez perla pilar pimentel pining poe
      princess puno punzalan quezon quiambao quiapo quimpo quirino quizon ramil randy raquel recto renato revilla
      reynaldo rhea rhodora rizalina robredo rodel rodrigo rodriguez rolando romeo rommel romualdez romulo ronaldo
      rosalinda rosario rowena roxas ruffa sabado salonga salvacion salvador samboy samonte sandoval santiago
      sarmiento sharon sheryl sison sixto socorro soliman sonny sotero sotto sumulong syjuco tabuena tagle tala
      tanada tanjuatco tecson teodoro teresita tiangco timoteo tiongson tirso tolentino tolits totoy trillanes
      trinidad tuason tulfo umali valdez velarde venus vergara vicencio villafuerte villar vilma virgie virgilio
      wilfredo willie wilma yap ybanez ylagan yulo yumul zamora zenaida zobel zosimo zubiri`,
    finnic: `
      aalto aarne aaro ahonen aila aino aivar aki aleksi anneli anniina antero ants antti anttila arto arttu arvo
      eero eetu eeva eija eino elina emmi ene enn ensio epp erkki esa essi eve hakala hamalainen hanna hannu harju
      harri heidi heiki heikki heikkila heikkinen heino helena helle hietala hilkka hiltunen hirvonen huttunen
      hyvonen ilkka ilmari ilves indrek inkeri irja jaakko jaan jaana jaanus janek jani janne jari jarkko jarmo
      jarvinen joesaar johanna jokinen joni jorma jouko jouni juha juhani jukka juri jussi kaarel kaarina kadri
      kai kaisa kaja kalev kalevi kaljurand kallas kalle kallio kari karin karjalainen karppinen kask katja katri
      katrin kauppinen keranen kersti kettunen kimmo kinnunen kirsi koivisto korhonen koskinen kristjan kristo
      kulli kuusk kyllikki laaksonen lahtinen laine laitinen lasse laura lauri leena lehto lehtonen leinonen
      lembit lepik leppanen liis liisa liisi luik maarit maarja magi maija mait makela makinen mall manninen marek
      margus mari marja marjatta markku marko mart mati matti mattila meelis merike merja miettinen mihkel mika
      mikko minna mirja mirva moilanen mustonen niemela niemi nieminen niina niko noora nurmi oja ojala oksanen
      oliver olli oona oskari osmo outi paavo paivi parn pasi peep pekka pentti pertti pesonen petri petteri piret
      pirjo pirkko pitkanen pold priit raimo raivo rantanen rasanen rasmus raudsepp rautio rebane reijo rein riho
      riikka riina riitta risto ruotsalainen saar saara saarinen saija sakari salla salminen salonen sami samuli
      sanna satu savolainen senja sepp seppala seppo siim sild simo sini sirje sirkka sirpa sisko suominen taavi
      taina tamm tanel tapani tapio tarja tarmo teder teemu teppo terhi tero tiina tiit tiiu timo toni tonis tonu
      toom toomas triin tuija tuomas tuominen tuomo turunen tuula tuulikki uibo ulla ulle urho urmas urve vaher
      vaino vaisanen vanhanen vares veikko vello vesa viljar ville villu virpi virtanen voitto vuorinen`,
    gaelic: `
      ailbhe ailsa aine aisling alasdair aodhan aoife aonghas bairre blathnaid brannigan breathnach brid brighid
      bronagh byrne cafferkey cahal calum caoimhe caoimhin caolan cathal catriona cian ciara ciaran cillian
      cliodhna clodagh coinneach colm colman conall conchobhar conor cormac cullinane dairine daithi dara darragh
      deirdre diarmuid doherty domhnall donnacha donnchadh dunleavy eabha eamon eilidh eilis eimear eimhear eithne
      emer enda eoghan eoin ewan fearghas fergal fiachra fiadh fintan fionn fionnlagh fionnuala fitzgerald fraser
      gallchobhair gearoid geoghegan geraghty grainne hamish heaney iain iarlaith isla kavanagh keohane kirsty
      lachlan laoise lorcan loughnane macaodha macdhonnchadha macmathuna maeve mairead mairi malachy
      maolsheachlann mccafferty mcconaughey mcdonagh mcdonnell mcgillicuddy mcglinchey mcgrath mchugh mckeown
      mcloughlin mcnamara meabh mhairi micheal morag moynihan muireann mulcahy murchadh murdo niall niamh
      nichonaill nighallchoir nuala obriain oconnell odonoghue oduibhir oflaherty ohalloran oisin okeeffe omahony
      oreilly orla orlaith oshaughnessy osuilleabhain padraic padraig peadar prendergast proinsias quigley roisin
      ruadhan ruairi ruaridh sadhbh saoirse scanlon seamus sean seanan seonaid sile sinead siobhan sorcha sorley
      struan tadhg tiarnan tomas torquil treasa turlough uisdean ultan una`,
    georgian: `
      abashidze akhalaia ana archil avtandil bachana badri baratashvili beka beridze besik bidzina bolkvadze
      chanturia chkheidze chkhikvadze davit dimitri dolidze eka ekaterine elene erekle eteri gabunia gela
      gelashvili gia giga giorgadze giorgi givi gocha gogoladze guram gvantsa gvasalia ilia inga irakli irma jaba
      jashi javakhishvili jemal jorjadze kakha kakhaber kapanadze ketevan khachidze khatia khatuna khutsishvili
      kiknadze koba kobakhidze konstantine kvaratskhelia kvirikashvili lado lali lamara lasha lela levan lia lika
      lomidze lortkipanidze luka maia maisuradze maka malkhaz mamardashvili mamuka margvelashvili mariam
      mchedlishvili meladze merab mgaloblishvili mikautadze mikheil mindia mkheidze mzia nadiradze nana nani
      natela nato nika nikoloz nino nodar nona nozadze nugzar nutsa okruashvili omar otar paata papuashvili
      ptskialadze revaz roin rusudan saakashvili saba salome sandro shalva sharashenidze shevardnadze shorena
      shota sopio soso sulkhan tamar tamaz tamta tariel tatia tea teimuraz temur tengiz teona tinatin tornike
      tsereteli tsiklauri tsisana tskhadadze tskhovrebadze tskitishvili vakhtang vano vaso vazha zaal zaza zhvania
      zubiashvili zurab zviad`,
    greek: `
      adamopoulos agapi aggeliki aggelos aikaterini alexandros alexiou alexis alkis anagnostopoulos anastasia
      anastasios anastasis andreas androulakis angelopoulos anna antoniou antonis apostolidis apostolos argyris
      argyro aris aristea aristidis arvanitis aspasia athanasios athanasiou athina bakogiannis charalampidis
      chatzidakis chatzis christina christodoulou christofi christos chrysa chrysanthi chrysoula dafni daskalakis
      despina diamantopoulos dimitra dimitriadis dimitrios dimitris dimopoulos dionysis dora drakos economou efi
      efthymiou eftychia eirini eleftheria eleftheriadis eleftherios eleni elisavet evangelia evangelos evdokia
      fani fotini fotis fotopoulos galanis garyfallia georgakopoulos georgia georgios georgiou giannis giorgos
      gkikas grigoris haralambos haris hatzigeorgiou hatzis ilias iliopoulos ioanna ioannidis ioannis irini iro
      kalliopi kalogeropoulos kanellopoulos karagiannis karamanlis karras katerina katsaros kazantzakis kokkinos
      konstantina konstantinos kontos kostas kostopoulos koutsoukos kyriaki kyriakidis kyriakos lambros lazaridis
      lefteris leonidas liakopoulos loukas magdalini makris manolis manolopoulos margarita maria marina marios
      markopoulos matina mavridis mavros michailidis michalis michalopoulos miltiadis mitsotakis mpakas mpousdekis
      myrto nefeli nektarios nikolaidis nikolaos nikoleta nikolopoulos nikos ntinos odysseas oikonomou olga
      orestis ourania panagiota panagiotis panagiotopoulos panos pantazis pantelis papadakis papadimitriou
      papadopoulos papaioannou papandreou papanikolaou papathanasiou pappas paraskevi pavlidis pavlos pelagia
      periklis petridis petros polyxeni prodromos psarras rallou sakis samaras sarris savvas sideris skouras
      smaragda sofia sotiris spyridon spyros stamatia stamatis stathopoulos stavropoulos stavros stavroula
      stefanidis stelios stella stratos stylianos takis tasos thanasis thanos themis theodora theodorakis
      theodoropoulos theodoros thodoris thomas triantafyllos triantafyllou tsakiris tsipras tsolakis tzeni
      vaggelis vana vasileios vasileiou vasiliki vasilis vasso venizelos vlachopoulos vlachos voulgaris xanthi
      xenakis xenia xenofon xydis yannis yannopoulos yiannis yiorgos zacharias zervas zisis zoe zografos zoi`,
    hebrew: `
      adi adler aharoni alon amir amit amos anat arad arieh ariel asaf avi aviad aviram avital aviv avner avraham
      ayelet azoulay azulay bar barak barel ben benami bendavid bengurion benny benshimon binyamin biton boaz
      carmel cohen dafna dagan dahan daniel danon david dov dror edri efraim efrat einat eitan elad eldad eli
      elinor ephraim eran erez ezra friedman gabay gadi gal galit gideon gil golan goldberg grinberg guy hadad
      hadas hagai haim hanan harel hila hod idan ido ilan ilana inbal itai itamar itay itzik kaplan katz keren
      kfir lavi lev levi levy liat limor lior liron malka maor matan maya meir menachem michal miri mizrahi moran
      moshe moti naama nadav naftali nahum nimrod nir nitzan noa noam noga nurit ofer ofra ohad ohayon omer ophir
      oren orit orly osnat paz peretz pinchas rachel rafi raz reuven rinat rivka roi ron roni ronit rosenberg ruth
      sagi sapir sarit segal segev shachar shai shaked shalev shalom shapira sharabi sharon shaul shimon shimshon
      shira shiri shlomo shmuel shoshana shulamit sigal smadar tal tali talia tamar tomer tzachi tzipi tzvika uri
      vered yaakov yael yafit yagil yair yaron yehonatan yehoshua yehuda yerushalmi yiftach yigal yishai yitzhak
      yoav yochanan yonatan yosef yossi yuval zeev zehavi ziv zohar zvi`,
    hindi: `
      aarav aditya agarwal ahuja aishwarya ajay akash amit amrita anand ananya anil anita anjali ankit anuj aparna
      archana arjun arun asha ashish ashok balasubramaniam banerjee bansal basu bhatt bhattacharya bhavna bose
      chakraborty chatterjee chaudhary chauhan choudhury das deepa deepak deepika desai deshmukh deshpande dinesh
      divya dutta gandhi ganesh gaurav gayatri geeta ghosh gokhale gopal goyal gupta harish hemant indira iyengar
      iyer jagdish jain jaya jha joshi jyoti kalpana kapoor karan karthik kaur kavita khanna kiran krishna
      krishnamurthy kulkarni kumar kunal lakshmi lata lokesh madhuri mahesh malhotra mamta manish manisha manoj
      meena megha mehta menon mishra mohan mukesh mukherjee murugan naidu nair nambiar namrata nandini narayanan
      naveen neha nikhil nisha nitin padma pallavi pandey pankaj patel patil pillai pooja prachi prakash pramod
      pranav prasad praveen preeti priya radha raghavan rahul raj rajeev rajesh rakesh ramachandran ramesh rao
      rashmi rathore ravi reddy rekha ritu rohit sachin sandeep sangeeta sanjay santosh sarita satish saxena seema
      sengupta senthil shah shalini shankar sharma shetty shreya shukla shweta shyam siddharth singh sinha sita
      sivakumar sneha sonia srinivasan srivastava subramanian sujata sunil sunita supriya suresh swamy swati tanvi
      thakur tiwari trivedi tushar uma umesh usha vandana varma varun venkataraman venkatesh verma vidya vijay
      vikas vikram vinay vinod vishal vivek yadav yash`,
    hungarian: `
      adam adel agnes agota akos aladar alajos andras andrea aniko anna antal aron arpad attila bakos balazs
      balint balogh barbara barnabas barta beata bela bence benedek bertalan bettina biro bodnar boglarka borbely
      boros botond brigitta csaba csaszar csenge csilla csongor csonka daniel deak denes dezso dominik domonkos
      dora dorina dorottya dudas edina edit elemer emese endre eniko erdelyi erik erika erno ervin erzsebet eszter
      etelka eva fanni farago farkas fazekas feher fekete ferenc flora fodor fruzsina fulop gabor gabriella gal
      gaspar gellert gergely gergo geza gizella gulyas gyongyi gyorgy gyula hajdu hajnalka halasz hanna hegedus
      hegyi helga henrietta horvath hunor ibolya ildiko illes ilona imre irma istvan ivett izabella jakab janos
      jeno jolan jozsef judit juhasz julia kalman karoly katalin kati katona kelemen keresztes kertesz kincso
      kinga kis kiss klara kocsis kornel kovacs kozma kriszta krisztian krisztina lajos lakatos laszlo lengyel
      lenke levente lilla lorand lorinc lujza lukacs magdolna magyar major marcell margit maria marianna mark
      marta marton mate matyas melinda meszaros mezei mihaly miklos molnar monika nandor nemes nemeth nikolett
      noemi nora norbert novak odon olah oliver orban orosz oroszi orsolya oszkar otto pal panna pap papp pasztor
      peter petho petra pinter piroska racz reka rezso rita robert roland rozalia rozsa rudolf sandor sara sarolta
      simon sipos soma somogyi soos szabina szabo szabolcs szalai szandra szanto szasz szekely szekeres szigeti
      szilagyi szilard szilveszter szilvia szoke szollosi szonja szucs takacs tamas tibor tihamer timea tivadar
      torok toth vadasz vajk valeria varga vass vegh veres veronika viktor viktoria vilmos vince vincze viola
      virag voros zalan zita zoltan zsanett zsigmond zsofia zsoldos zsolt zsombor zsuzsa zsuzsanna`,
    indonesian: `
      ade adi aditya agung agus ahmad aji andi andika andri anggi anggraini anisa anwar ari arief arif aris
      aritonang asep astuti ayu azizah bagus bambang batubara bayu budi cahya cahyono candra dadang damanik danang
      dani dedi deni dewi dian diana didik dimas dinda djoko dodi dwi edi eko elang endah endang erna ernawati evi
      fadli fajar fauzi febri ferdian fitri fitriani galih gatot gede gilang ginting gita gunawan guntur hadi
      halim handayani handoko hani harahap hari hartono haryanto hasan hasibuan hendra heri herlina herman heru
      hidayat hutabarat hutagalung hutapea iin ika imam iman indah indra intan irawan irfan irma iwan jaka jati
      joko jumadi kadek kartika kartini ketut komang krisna kurnia kurniawan kusuma kusumo kuswanto lestari lia
      lilis lubis luh lukman made mahendra manullang marpaung matondang maulana maya mega melati mulyadi mulyani
      mulyono nababan nainggolan napitupulu nasution nengah ningsih novi novita nugroho nunung nur nuraini
      nurhayati nurul nyoman oktaviani pandu pane pangestu panggabean panjaitan pasaribu permana pipit pohan
      prabowo prasetyo pratama puji purba purnomo purwanto puspita putra putri putu rachmat rahayu rahman
      rahmawati rajagukguk rangga rangkuti ratih ratna reni retno ria riana ridwan rina rini ritonga rizal rizki
      rudi rusdi ruslan rustam safitri samsul santoso sapto saputra saragih sari satria sekar sembiring septian
      setiadi setiawan sigit sihombing silaban silalahi simamora simanjuntak simarmata simatupang sinaga sinambela
      sinta siregar sitepu siti sitompul sitorus situmorang slamet soedirman soeharto soekarno soleh sri sugeng
      suharto suhartono sujatmiko sukarno sulastri sulistyo sumarni sumiati supardi suparman supriyadi supriyanto
      surya suryadi suryanto susanto susi susilo sutanto sutrisno suwarno syahrul syaiful syamsul tambunan
      tampubolon tanjung tarigan taufik tedi teguh tina titik tobing tono tri triyono tuti udin untung usman utami
      utomo wahyu waluyo waskita wati wawan wayan wibisono wibowo widjaja widodo widya wijaya winarno wirawan
      wulan wulandari yani yanti yanto yayan yogi yohanes yudhoyono yudi yulia yuliana yulianto yuni yusuf zaenal
      zainuddin zebua zulfikar zulkifli`,
    japanese: `
      abe akiko akira aoi aoki arai asuka atsuko ayaka chihiro chiyo daisuke emiko endo eri fujii fujita fukuda
      fumiko fuyumi goto hana haruka haruto hasegawa hashimoto hayashi hideki hiroki hiroshi hiroyuki hitomi honda
      ichiro ikeda imai inoue ishii ishikawa ito jiro junpei kaneko kaori kato kazuhito kazuki kazuko kazuya keiko
      keisuke kenichi kenji kenta kikuchi kimura kobayashi koichi koji kojima kondo kosuke kumiko kyoko maeda maki
      makoto mariko maruyama masahiro masaki masato masuda matsuda matsumoto mayumi megumi mei michiko midori mika
      miki minako misaki mitsuru miura miyazaki miyuki momoko mori morita murakami murata nakagawa nakajima
      nakamura nakano nanami naoki naoko natsumi nishimura noboru nobukazu nobuyuki noguchi nomura noriko ogawa
      okada okamoto ono osamu ota otsuka reiko ren rie rin risa ryo ryoko ryosuke ryota ryu sachiko saito sakai
      sakamoto sakura sasaki sato satoshi sayaka shibata shigeru shimada shimizu shingo shinji shiori shizuka
      shota shunsuke sota sugiyama susumu suzu suzuki tadashi takagi takahashi takako takashi takeda takeuchi
      takuya tamura tanaka taniguchi taro tatsuya tetsuya tomoko toru toshiaki tsubasa tsuyoshi uchida ueda ueno
      wada watanabe yamada yamaguchi yamamoto yamashita yamazaki yasuhiro yoko yokoyama yoshida yoshihiro yoshiko
      yosuke yui yukari yuki yumiko yuriko yusuke yuto`,
    kazakh: `
      abai abdrakhmanov abenov aibek aida aidar aidos aigerim aigul ainur akhmet akhmetov alibek alikhan aliya
      aliyev almas altynai amanzholov anel anuar arman asan asel askar assel ayaulym azamat baimukhanov balzhan
      baurzhan bauyrzhan bekmukhambetov berik bolat botagoz dana daniyar dauren dias dinara dosym dzhumabaev erbol
      erlan galymzhan gaukhar gulmira gulnar ibraimov ilyas indira iskakov kairat kamila kanat karlygash kassymov
      kenzhebekov kozhakhmetov kuanysh kuralay madi madina maksat malika marat meruert moldir mukanov mukhtar
      murat nazarbayev nazgul nurgaliyev nurlan nurmagambetov nursultan nurzhan olzhas omarov ospanov raushan
      rinat ruslan sabit sadykov saltanat samat sanzhar sarsenov saule seitkali serik serikbayev smagulov
      suleimenov talgat temirlan timur togzhan tokayev toktarov tulegenov yerlan yerzhan zarina zhakupov zhanar
      zhandos zhanibek zhanna zhuldyz zhumabayev zhunusov`,
    khmer: `
      ang bopha bora borey botum bun bunrong bunthan bunthoeun chamnan chan chanda chandara chandy channary
      chanthou chanthy chariya chea cheat chenda chhay chheang chhim chhit chhoeun chhun chivy chuon dalin dara
      darareaksmey davi davuth dith eang eung hak hang heang hem heng hok hong hor hun huot im in ing iv kalyan
      kanha kannitha kao kem keo khemara khieu khiev khim khin khlot khoun khun kim kimheng kimhong kimly kimsan
      kolab kong kosal koy kravann kunthea kunthy lach leakena leap leng lim lon long ly lyda lyhour makara malis
      mao meach mealea meas men mok mom mony monyroth muong narith nary nget nguon nhean nhem nimol nita nuon oeun
      ouch oudom ouk pech pen penh phalla phally phan phanna pheakdey phearum phirun phok pich pisey pisith pol
      ponleak ponlok pov prak prum puthy rachana ratanak rath rattana reach reasmey rithy romdoul ros roth rotha
      sak sam sambath samnang samphors samrin samrith sann sao sar sarin sarith saroeun sarom sary sathya savuth
      seila sen seng serey setha sieng sihanouk sim sin sina sinath sineth sinoun siv so socheat socheata sok
      sokchea sokha sokheng sokhom sokhon sokly sokunthea som somaly sombo son sophal sophat sophea sopheap
      sophorn sophy soriya sorn soth sothea sotheara sothy sou soun sovann sovanna sovannara sovath srey sreymom
      sreyneang sreypov sros srun suon suong suos svay tan tep thach than thavy thea theary thida thong tith tola
      touch toun tum ty uk un ung vann var veasna veata vibol vichea vicheka virak vireak visal visoth voeun vong
      vuth vuthy yaren yem yim yin yorn`,
    korean: `
      ahn bae baek bang boram byun byung byungchul cha chae chaewon chaeyoung cheolsu cho choi chulsoo chun dahyun
      dohyun donghyun dongwook doyoon eunhye eunji eunwoo gil gong gu gunwoo gwang ha haeun hajun han hana hayoon
      heo hong hoseok hwang hyejin hyeon hyun hyunjin hyunjung hyunsook hyunwoo inyoung jaehyun jaewon jaeyoung
      jang jeon jeong jiho jihoon jihye jimin jin jinwoo jinyoung jisoo jiwoo jiyeon jiyoo jongsuk joo joonho jung
      junghwan jungkook junseo juwon kang ki kim ko koo kwak kwangsoo kwon kyung kyungmin kyungsoo lee lim ma
      mikyung min minho minji minjun minseo misook moon myung myungsoo na nam namjoon nayeon noh oh park pyo ryu
      sanghoon sangmin sangwoo seo seoah seojun seok seokjin seonghyeon seoyeon seungho seungwoo shin sim siwoo
      son song soonja sooyoung soyeon suh sumin sung sunghoon sungmin sunmi taehyung taeyang taeyeon tak um won
      wonbin yang yejin yejun yeo yeon yeonjun yim yongjun yoo yoon yoona yoongi youngho youngja youngsoo yun yuna`,
    kurdish: `
      agha ako alan amedi arjen armanc aryan aso azad azadi babakir bahoz bajalan baran barwari barzan barzani
      bawer bedirxan behroz bejan berivan bextiyar botani cegerxwin ciwan ciya dara delal delil dersim dersimi
      dilan dilbirin diljin dilovan dilshad diyar doski dostki evin ezda ferhad ferhat ferman gelawej germiyani
      ghafoor goran guli gulistan hawar hawrami hejar hemin herki heval hevi hevin hewler hiwa hogir jaff jan
      jiwan jiyan kajal kakai karim karwan kawa kejal khabat khoshnaw khurshid kovan leyla lorin mazlum mem memo
      mirani mirza mizgin mukri nasrin nazdar nechirvan nergiz newroz nishtiman nizar nuri omerxalid perwin
      peshawa peshmerga peyman pirbal qazi rebaz rebin rebwar rejin renas rezan rizgar rojan rojbeyani rojda
      rojhat rojin ronahi rozhin salih sarkawt sazan serbest serdar serhat servan shalaw sharafkandi shekhani
      sherko shilan shirin shirzad shivan shwan siamand sindi sirwan sivan soran sorani surchi suzan talabani tara
      viyan welat xan xebat xece xelat xelil xewla xezal xidir xoshnaw zana zaza zebari zelal zengana zerin zinar
      zozan`,
    kyrgyz: `
      abdykadyrov abdyldaev abylgaziev adilet aibek aigerim aijan ainura aisuluu aitmatov aizada akaev akmatov
      aliya almaz almazbek altynay anara asanov asel askarbek atambaev ayana azamat azim bakiev baktybekov bakyt
      bakytbek begimai beishenaliev bekboev burul chingiz cholpon chyngyz daniyar dzhumabekov elnura emil ermek
      gulnara gulnur gulzada gulzat imanaliev isakov jamilya janyl japarov jeenbekov jibek jumabekov jusup jyldyz
      kadyrov kalysbek kanybek kasymov keneshbek kubanych kubat kulov kunduz kylychbek maksat mambetov mamytov
      manas maripov meerim mirgul mirlan moldobaev nazgul nazira nurbek nurdin nurgul nurlan nurmatov omurbek
      ormon orozbekov osmonov otunbaeva perizat roza rysbek sadyr saikal samara saryev satybaldiev shaarbek
      shadiev sooronbay sultanbek suranchiev suyunbek sydykov syimyk syrga taalaibek talant talantbek tashiev
      tattygul tekebaev temirov tilek toktogulov toktomushev tolgonai turat turdubaev turgunbaev tynchtyk ulan
      uluk urmat usubaliev venera zamira zarina zhyldyz`,
    malay: `
      abdul abdullah adam adnan afiq ahmad aidil aiman aina ainul ainun aishah aisyah aizat akmal aliff amalina
      amin amir amirah amirul ammar anis anuar anwar aqil arif ariff asmah asyraf atiqah awang ayu azalina azhar
      azim aziz azizah azizi azlan azli azlin azman azmi azreen azri azrul azura badrul baharom baharuddin bakar
      borhan chong chua dahlia dalila danial diyana ezzati fadhil fadilah fadzil faiz faizal farah farhan farid
      fariza fatin fauzi fazira fikri firdaus foo gan ghazali goh hadi hafiz hafizah hafizuddin haikal hakim halim
      halimah hamdan hamid hamidah hamzah haniff haris harith hashim haziq hazwan heng hidayah husna ibrahim idris
      ikhwan ilyas iman imran irfan ishak iskandar ismail izzat izzati izzuddin jamaluddin jamilah johari kamal
      kamaruddin kamarul khairi khairuddin khairul khalid khoo koh kok kong latifah lau leong liew liyana loh loke
      lokman low luqman mah mahathir mahmud maimunah maisarah malik mansor mardhiah mariam mastura mazlan moh
      mohamad mohd mokhtar muhaimin muhammad munirah musa mustafa nabila nabilah nadhirah nadia najib najwa najwan
      nasir nasrul natasha nazri neo nik nizam noor nooraini noraini norashikin norazlina norhayati norizan
      norlela normah nur nurain nurfarahin nurhaliza nurin nurshahirah nurulhuda omar ong ooi othman pang phang
      phua puteri qistina quek rafidah rahim rahmah rahman raihan raja rashid razak razali redzuan ridhwan ridzuan
      rizal roslan rosli rosmah rosnah rozita ruslan sabri safiah saiful salleh salmah sarah sazali seah shafie
      shahrizal shahrul shamsuddin shamsul sharifah sharina shuhada sim sofea sofia soh solehah suhaila suhaimi
      sulaiman suraya syafiq syahir syahira syahmi syahrul syakir syamsul syazwani syed tarmizi tay tengku teo
      tham thong ting tiong toh umairah umar voon wan yaakob yasmin yeo yew yong yusof yusri zahari zaid zaidi
      zainab zainal zaini zainuddin zaiton zakaria zaki zaleha zamri zarina zubaidah zul zulaikha zulhilmi
      zulkarnain zulkifli`,
    mongolian: `
      altan altangerel altansukh altantsetseg amar amarbayar amarsanaa amgalan anar ankhbayar anu ariun ariunaa
      ariunbold ariuntuya ariunzaya baasan baatar baatarsukh badamgarav badral bat bataa batbayar batbold
      batchimeg batdorj baterdene batjargal batkhuu batmunkh batsaikhan batsukh battogtokh battulga batzorig bayar
      bayarmaa bayarsaikhan bayartsetseg bilguun bold boldbaatar bolor bolormaa bolortuya burmaa buyan chimeg
      chinbat chingis chinzorig choijin chuluun chuluunbaatar dagva dashdorj davaa davaadorj davaajargal delger
      delgermaa dolgor dorj dulguun dulmaa enebish enerel enkh enkhbat enkhbayar enkhbold enkhjargal enkhmaa
      enkhsaikhan enkhtsetseg enkhtuul enkhtuya erdene erdenebat erdenechimeg gal galbadrakh galsan gan ganbaatar
      ganbat ganbold ganchimeg gankhuyag gansukh gantulga gantuya gerel gerelmaa gombo gombosuren hulan ider
      ikhbayar jargal jargalmaa jargalsaikhan javkhlan khaliun khash khishgee khongor khulan khurelbaatar
      khurelsukh khuslen lkhagva lkhagvasuren luvsan mandakh manlai mendbayar monkh munkh munkhbat munkhbayar
      munkhtsetseg munkhtuya munkhzul myagmar nandin nandintsetseg naran naranbaatar narangerel narantsetseg
      narantuya nergui nomin nyam nyamdorj nyamjav ochir ochirbat odbayar odgerel odon odontuya odval oktyabri
      otgon otgonbayar otgontuya oyun oyuna oyunbileg oyunchimeg oyuntuya purev purevdorj saikhan saikhanbileg
      sainbayar sanjaa sarangerel sarnai saruul solongo sukh sukhbaatar sukhbat sumiya suren tamir temujin
      temuulen togtokh tsend tsendayush tseren tserendorj tsetseg tsetsegmaa tsogt tsogtbaatar tsolmon tugs
      tugsbayar tumen tumur tumurbaatar tungalag tuul tuvshin tuvshinbayar tuya uchral ulzii undrakh unur
      uranchimeg urantsetseg uugan uuganbayar yanjmaa yesui zandan zaya zolboo zolzaya zorig zorigt zul zulaa`,
    nordic: `
      aagaard aas aegir agneta akerman amundsen anders andersson andreassen arne arni asbjorn asgeir aslaug asta
      astrid axel bakke bakken baldur bengt bente berg berggren bergstrom birgit birgitta birkir birna bjarki
      bjarne bjerke bjorklund bjorn bjornsdottir bjornstad blomqvist bo bodil borje brekke brynjar carina carlsson
      dag dagur dahl dahlberg danielsson edda eide einar einarsson eirik ekstrom eliasson elin ellinor elva
      engstrom erik eriksen erla erling eskil espen eydis eyglo fjeld forsberg fredrik freja freyr frida frode
      geir gisli gjerde gran granlund greger grettir gro gudjon gudlaug gudmundsdottir gudmundur gudni gudny
      gudrun gunilla gunnar gunnarsson gustafsson gustav gylfi haakon haaland hafdis hakon halldor hallgrimur
      halvor hans hansen harald haugen hedda hedlund hege hegge heidi helga helge henrik hilde hildur hjalti hjelm
      hjordis hjorth hlynur holm holmberg hrafn hrafnhildur hrefna hulda ibsen ida ingeborg inger ingi ingibjorg
      ingrid ingvar isaksson iselin ivar jacobsen jakobsson jens joakim joergen johan jokull jon jona jonas jonina
      jonsdottir jonsson jorgen jorgensen jorunn kare karin karlsson kaspar katrin ketill kjaer kjeldsen kjell
      kjersti kjetil knudsen knut kolbeinn kristbjorg kristensen kristin kristjan kristoffer kvist lars larsen
      lasse leif lene lind lindqvist lindstrom line linnea liv ljung ljungberg lotte lund lundgren lykke mads
      magne magnea magnus magnusson maja margit margrethe marit mats merete mette mikkel moen moller morten myhre
      niels nielsen nils nilsson nordin nyberg nygaard nystrom odd oddny oddvar ola olafsdottir olafur olav ole
      oskar ostergaard ottar ove oygard oyvind pal peder pedersen per pernille petter ragna ragnar ragnheidur
      ragnhild rasmus rasmussen roar ronja runar rune rye saemundur sandberg schou signe sigrid sigridur sigrun
      sigurbjorg sigurd sigurdardottir sigurdsson sigurdur sindre siri sissel siw sjogren sjostrom skjalg skjold
      skov snaefridur snorre snorri soderberg soeren solberg solveig soren sorensen stale stefan stefansdottir
      stein steinar steinunn sten stian stig strand sundberg svein sveinn sven svensson sverre terje thea thor
      thorarinsson thorbjorn thordardottir thordis thorgerdur thorsteinn thorunn thygesen tom tone tor tore
      torgeir torild torkel tormod torstein trine trond trygve turid tveit ulf ulrika unni unnur vala valdis
      vegard vera vestergaard vibeke vidar vigdis viggo vilhjalmur wahlberg wiik yngve yrsa`,
    persian: `
      abbasi abolfazl afshar ahmadi akbari alavi alireza amini amirhossein amirreza ansari arash arman asadi
      ashkan azadeh azizi babak bagheri bahareh bahram bahrami behnam behrouz behzad bijan bita dariush darya
      davoudi ebrahimi elaheh elham eskandari esmaeil fallahi farahani farhad farid farrokhzad farzad farzaneh
      fatemeh fereshteh ghaffari ghasemi ghazaleh ghorbani golnaz golzar habibi hadi hamed hamidreza hanieh
      hashemi hatami heidari homayoun hooman hossein hosseini iraj jafari jahangiri jamshid javad kamran karimi
      kaveh kazemi keyvan khalili khorasani khosrow kourosh laleh leyla mahdi mahnaz mahsa mahshid mahyar majid
      maleki mandana manouchehr marjan maryam masoud mehdi mehran mehrdad mina mirzaei mitra mohammadi
      mohammadreza mohsen mojtaba mokhtari moradi morteza mousavi nader naderi nahid najafi narges nasim nasrin
      navid nazanin nazari neda negar niloofar nima norouzi omid pahlavi parisa parsa parvaneh parvizi payam pegah
      pejman peyman pouya rahimi rajabi ramin ranjbar reza rezaei rostami rouzbeh roya sadeghi saeid safavi sahar
      salehi saman samira sanaz sara sepideh setareh shabnam shadi shahidi shahin shahla shahram shahryar shahrzad
      sharifi shima shirazi shirin shohreh siamak siavash simin sina soheil soltani soraya soroush taheri tahmineh
      taraneh tavakoli tehrani vahid vaziri yalda yasaman yazdani zahra zamani zand zarei zohreh`,
    polynesian: `
      afa afamasaga afu aholelei ahorangi ailani aisea aka akamu akauola akela alaka alamoti alana alani alapati
      aleki alika aloha amaia amanaki amosa ana anahera anela anuenue apelu aperahama apia aroha aroharoa asiata
      asofa ata aulii faalogo faamoe faasavalu fagamalo faiga fakafanua fakatava falaniko faleafa faleolo fata
      feleti fetu fetuao fiame fifita filimone filipo finau folau fonoti fonua fuimaono fusitua haami hakopa haku
      hala halaevalu hana haunani havea healani heilala hemi hiapo hina hine hinemoa hinewehi hirini hoala hoani
      hohepa hoku hokulani hone hopoate huia iekika ioana ioane iokua iolana iosefa irihapeti isaia kaapuni kahale
      kahananui kahawai kahealani kahele kahiau kahikina kaho kahoku kaholokula kahu kahurangi kai kaiakea kaikane
      kaila kailani kaili kainalu kainoa kaiulani kala kalani kalanianaole kalei kalena kaleo kaliko kalolaine
      kalua kamaile kamaka kamakahukilani kamakani kamakau kamalani kamalei kamea kameha kamehameha kamoana kana
      kanani kane kanoa kapena kapono kapua karaitiana kauanoe kauhane kaui kauila kaulana kavaliku kawai kawehi
      kawena kawika keahi keala kealani kealoha keani keanu keaweaheulu kehau kehaulani keikilani kekoa kekona
      keliimaikai keoki keola keoni kereta kiele kimo kini kioa kiri kiriana koa koamalu kolone kona konani kuhina
      kuhio kukui kulani kura laakea lahela lanakila lani laniakea latu latukefu lavaka lealaiauloto leaupepe
      leavasa lefau lehua leialoha leiataua leilani leimomi leota likelike liko lilinoe liliuokalani loke lokelani
      lotu luafutu luana lulani lupe maaka mafi mafileo mahealani mahina mahuika maia maile maka makai makaio
      makana makani makoa makua malaetasi malakai malia malie maliepo malietoa malu maluhia mana manaaki manaia
      manase manawa manu mareko masina mataafa matagi maualuga mauga mele mere mereana mihi mikala miliani moana
      moke momi mosese nahele nainoa nalani nalu nani naufahu ngahuia ngaio ngaire nganeko ngarimu ngata ngatai
      nikau niko noa noelani nofoaiga nohea nohealani nui ofa okalani olina onaona ongosia paea paepae paki palila
      pania paora parata paratene pasikala penese peniamina petelo piripi pita poasa pohiva pomare pono pua puakea
      pualani puanani pulega pulotu puna rangi rangihuna rangimarie ratana rawiri rewi rihari rongo ropata ruhia
      sala salesa salote samoa sasa sateki sefo sefulu seiuli semisi siaosi sika sina sio sione siosaia siosifa
      siosiua sitiveni solomona tafuna tagaloa taione talia talosaga tama tamahou tamasese tamati tamihana tane
      tangaroa taniela tanielu tanuvasa taonui tapueluelu tasi taufa taufaahau taumafai tausaga tavita tawera
      tawhai tawhiri te tepania teuila tevita tiatia tipene togafau togiola toleafoa tonga tongaonevai tuala tuhoe
      tuiasosopo tuilaepa tuimavave tuipulotu tupou tupua turanga ualani uata uilani ululani unga vaai vaea vaiala
      vaifale vainikolo vaipulu vaitoa vake vea viliami viliamu vunipola waiata wailani waimarie waipuna wairemu
      waka wharepapa wharerau whetu wikitoria wikolia wiremu`,
    punjabi: `
      aamir abbasi abdullah adeel afridi ahluwalia ahsan akram ali amandeep amarjit amna amrik amrinder ansari
      arashdeep arora arshad arshdeep asim asma atwal aulakh avtar awan ayesha azhar babar babbu bachan badal
      bains bajwa balbir baljeet baljinder baloch balraj balwant balwinder bedi bhagat bhamra bhandal bhatti
      bhinder bhullar bhupinder bhutto bikram bilawal birdi boparai brar bukhari bushra butt buttar chadha chahal
      chanpreet charanjit chaudhry cheema chhabra chughtai daljinder daljit danish dar darshan davinder deep
      dhaliwal dhami dhanda dhanoa dhesi dhillon dhindsa dilbag diljit dilpreet dosanjh duggal durrani faisal
      farooq fateh fawad gagandeep ghulam ghuman gill gillani gondal grewal gurbaksh gurcharan gurdas gurdeep
      gurdial gurinder gurjeet gurjit gurkirat gurleen gurmeet gurmukh gurnam gurpreet gursharan gurtej gurvinder
      gurwinder hafeez hamid harbans harbhajan hardeep hardik harinder harjeet harjinder harjot harkirat harleen
      harman harmandeep harmeet harminder harnoor haroon harpal harpreet harsimran harvinder hashmi hayer hina
      hundal iftikhar imran inderjit inderpreet inzamam irfan ishfaq jadoon jagdeep jagjit jagmeet jagtar jamshed
      janjua japneet jasbir jaskaran jaskirat jasleen jasmeet jaspal jaspreet jassal jaswal jaswant jaswinder
      jatinder jatoi javed jhaj joginder johal joravar josan joyo junaid kahlon kakar kalra kalsi kang karamjit
      karanjit karanveer kartar kashif kawaljit kayani khaira khan khangura khattak khokhar khosa khurram khurshid
      kirandeep kirpal kohli kulbir kuldeep kuljit kulwant kulwinder laghari lakhbir lakhwinder lally lamba lodhi
      lovepreet madiha magsi mahal maham maheen malhi malik mandeep mangat maninder manjinder manjit manmeet
      manmohan mann manpreet manvir marwat matharu mehar mehwish mengal minhas mirza misbah mohinder mubashir
      mudassar mughal mujahid mukhtiar multani munir nachhattar nadeem naeem nagra nahal naila narinder navdeep
      navjot navneet navpreet nawaz nazia niazi nijjar nirmaljit noman oberoi onkar orakzai padda pannu paracha
      paramjit paramvir parmar parminder parneet pasha pavneet pervaiz pirzada prabhjot prabhleen pritam purewal
      qadri qaiser qasim qazi qureshi rabia rafiq rai raja rajbir rajdeep rajinder rajvir rajwinder ramandeep
      rameez ramneek rana randhawa ranjit ranjodh rashid ravinder ravneet rehman rind rizwan rubina rupinder saba
      sadaf saeed sahib sahota saima saini sajjad saleem samra sandhu sangha sanghera saqib sarabjit sarfraz sarna
      satinder satnam satwant sekhon sethi sewa shabbir shah shahbaz shahid shahzad shaista shakeel shamsher
      sharanjit shazia shehzad sheikh shoaib sidhu simarjit simran simranjit sobia sodhi sohail sohal sohi soomro
      sran sukhbir sukhdeep sukhdev sukhjinder sukhjit sukhpreet sukhwinder sumera suri surinder surjit swaran
      tahir tajinder takhar tanveer taranjit tareen tariq tarlochan tarsem tauqeer tehmina tejinder tejpal thandi
      thind tiwana toor turka upinder uppal usman uzma varinder veerpal virender virk waheed waqar waqas waraich
      warraich wasim yadwinder yasir younis yousafzai zafar zaidi zain zardari zeeshan zubair`,
    sinhala: `
      abeykoon abeysekera abeywardena achala ajantha ajith alwis amali amarasekara amarasinghe amila anoma anura
      anuradha anushka aravinda asanka asela ashan asoka athapaththu attanayake ayesha balasuriya bandara
      bandaranaike bandula bhagya buddhika buddhini chamara chamari chamika chaminda chandana chandima chandimal
      chandrasekera chandrika charith charitha chathura chathurika damith dananjaya danushka darshana dassanayake
      dasun dayan dhammika dhananjaya dharmasena dharshani dilan dilani dilhani dilhara dilini dilrukshi dilruwan
      dilshan dimuth dinesha dinithi dinuka dissanayake dulani duminda edirisinghe ekanayake erandi eranga fonseka
      gamage gamini gayan gayani gihan gunaratne gunasekara gunathilaka gunawardena hapuarachchi harsha hasanka
      hasini hasitha herath heshan hettiarachchi hewage himali illangakoon imalka indika indrani inoka iranga
      ireshi ishara isuru janaka janith jayakody jayani jayasekara jayasinghe jayasundara jayasuriya jayatilaka
      jayawardena jayaweera jeevan kalana kaluarachchi kamal kanchana kapila karunaratne karunathilaka kasun
      kaushalya kavinda keshan kithsiri kodikara kodithuwakku kularatne kulasekara kumarasinghe kumaratunga kumudu
      kuruppu kusal lahiru lakmal lakshan lalith lasantha lasith liyanage madhavi madhusanka madhushani madushanka
      mahela mahinda malinda malith manamperi manjula manori mathews mendis mihiri milinda munasinghe nadeera
      nadeesha nalaka nalin namal nanayakkara nandana nayana neranjan nethmi nilakshi nilanthi nilmini nimal
      nimali nirosha niroshan nishantha nissanka nuwan oshadi oshani pabasara panduka pathirana pathum peiris
      perera pinnawala piumi prabath pradeepa praneeth prasad prasanna premadasa premaratne priyantha pubudu
      pushpika rajapaksa rajapakse ranasinghe ranatunga ranaweera rangana ranil ranjith rasika rathnayake
      ratnayake ravindu roshan ruchira rukshan ruvini ruwan sachini sachith sajith saman samantha samarasinghe
      samaraweera sampath sanath sandamali sandun sanduni sangakkara sanjaya sanjeewa sarath sasanka senanayake
      senaratne seneviratne sewwandi shalika shanaka shehan shenali silva sirisena siriwardena sithara somaratne
      subasinghe sujeewa sumudu suneth supun suranga suresh tennakoon tharaka tharanga tharindu tharushi thilak
      thilakaratne thilini thisara thushari udara udawatte udayanga udeni upul uresha uthpala vidura vindya
      vithanage wanindu warnakulasuriya wasana weerakoon weerasinghe wickramaratne wickramasinghe wijenayake
      wijeratne wijesinghe wijesuriya wijetunga yasas yasodha yohan`,
    slavic: `
      agnieszka aleksandr alekseev aleksey alena alenka ales alexander anastasia andreev andrei andrej andrey
      andriy andrzej andrzejewski angelov anna ante anton artem babic balaz barbara bartlomiej bartosz benes
      bizjak blaszczykowski blaz blazenka blazevic bohdan bohuslav boleslaw bondarenko bostjan bozena bozic
      branimir bretislav bronislaw brzeczyszczykiewicz brzezinski cernohorsky cerny chrzanowski czeslaw czeslawa
      dabrowski dagmar danuta dariusz davor denis desislava dimitar dimitrov djordjevic dmitri dmitry dragan
      drahomira drazen dubravka dvorak egorov ekaterina elena elzbieta eva evgeniy evgeny ewa fedorov fiala
      filipovic franc frantisek galina georgi georgiev gergana golob goran gorski grabowski grazyna gregor grgic
      grzegorz hajek halina hana hocevar horvat horvath hrbek hribar hristo hristov hrncir hruska hrvoje hryhoriy
      hrytsenko igor iliev irina iryna ivan ivana ivanov ivica jablonski jadranka jadwiga jakopic jakub jan jana
      janez janina janusz jaroslav jaworski jedrzejczyk jedrzejewski jiri jitka joanna josef josip jovanovic jozef
      julia juric kaczmarek kaminski karel katarzyna katerina kazimierz khmelnytsky khrushchev kirill knezevic
      kolar kolev konstantin kos kovac kovacevic kovacic kovalchuk kovalenko kowalczyk kowalski kozlov kozlowski
      krajnc kral kralj krasimir kravchenko krawczyk krc krejci kresimir krizek krol krystyna krzysztof
      krzyzanowski ksenia kucera kuznetsov kvetoslava lebedev lenka lewandowski lubomir lubos lucie ludmila luka
      lukas lukasz lysenko lyubov lyudmila maciej magdalena majewski makarov maksim malgorzata malinowski
      marchenko marcin maria maric marina mariusz marko markovic martin matej mateusz matic maxim mazur melnyk
      metka michal mieczyslaw miha mikhail mikhailov milan milos miroslav mladen mlakar mojca molnar morozov
      mykhailo mykola nadiya nagy natalia nataliya natalya nemanja nezka nikitin nikola nikolaev nikolai nikolay
      nikolic nikolov novak novikov novotny nowak oksana oleg oleksandr olga olha oliynyk olszewski ondrej orlov
      ostap pavel pavlov pavlovic pawel peric petar peter petr petra petrov petrovic piotr piotrowski plamen
      polishchuk popov primoz prochazka przemyslaw przybylski przybyszewski radek radostina rastislav rok roman
      rostislav rozman rumen rutkowski ruzicka sarka sedlacek semenov sergei sergey serhiy shcherbakov shevchenko
      sidorov slawomir smirnov smrkolj smrz snjezana sokolov spela srbek stanislav stanislaw stepan stepanov
      stepien stjepan stoyan stoyanov strnad svatopluk svetlana svetoslav svoboda svyatoslav szabo szczepan
      szczepanski szczerba szczesny szymanski szymon taras tatiana tatyana tetyana tilen tjasa tkachenko todor
      todorov tomas tomasz tomaz tomic tomislav toth trzcinski tsvetan tsvetelina tsvetkov turk tvrdik tymoshenko
      urska vaclav vadim valentina varga vasil vasilev vasiliev vasyl vedran vera veronika vesely vidmar viktor
      vjekoslav vladimir vladislav vlastimil vlatka vlcek vojtech volkov volodymyr vsevolod vukovic vyacheslav
      wieczorek wieslawa wisniewski wojciech wojciechowski wojcik wozniak wrobel wyrzykowski yaroslav yevgeny
      yordanka yordanov yulia yuri yury yushchenko zajac zakharov zbigniew zdenek zdenka zdislav zdravko zdzislaw
      zeljko zeman zhanna zhdanov zhelev zhelyazko zhivko zhukov zielinski ziga zofia zoran zrinka zupan zupancic
      zuzana zvonimir zvonko zygmunt zyuganov`,
    'southern african': `
      andile ayanda babalwa bafana baloyi banda bheki bhekizizwe boitumelo bongani bonginkosi bontle buhle
      busisiwe buthelezi bwalya cele chanda chauke chibwe chiedza chikore chiluba chilufya chipo chirwa chishimba
      chitando dikeledi dineo dladla dlamini dlomo dube dumisani farai fikile gaone gcaba gcabashe goitseone gugu
      gumbo gumede gwala hadebe hlatshwayo hlengiwe hlongwane hlungwani itumeleng jabu jabulani jali jiyane kabelo
      kabwe kagiso kalaba kaluba kapembwa kapfumvuti karabo katlego kaunda keabetswe kealeboga kefilwe kgomotso
      kgosi kgothatso khanyi khanyisile khoza khumalo kubheka kudakwashe kudzai kunene langa lebogang lehlohonolo
      lerato lesedi letlhogonolo lindani lindelani lindiwe lindokuhle lubinda lunga lungile lungu luthuli lwandile
      lwazi mabasa mabaso maboe mabunda mabuza machingaidze madlala madonsela madziva mahlaba mahlangu majola
      makgoba makhanya makhathini makhubu makhura makondo makoni malatji malema malinga maluleke mamello manamela
      mandisa mandla mangwiro manyika mapfumo maphumulo maponya masego maseko masemola mashaba mashile masondo
      masuku mathebula mathonsi matlala mavuso mazibuko mbali mbambo mbatha mbeki mchunu mdlalose mdluli mduduzi
      melusi menzi mfundo mhlongo miya mkhabela mkhize mkhwanazi mlangeni mlungisi mmabatho mngadi mngomezulu
      mnguni mnqobi mntambo modiba modise moeketsi mofokeng mogale mogomotsi moipone mokgosi mokoena molefe moloi
      monareng montsho mosa mosimane motaung mothusi motlatsi motsepe moyo mphahlele mpho mpofu msimang msomi
      mtetwa mthembu mthethwa mtshali mudau mugabe mukanya mukwevho mulaudzi mulenga mumba munashe munyai mupfumi
      musa musonda mutale muzenda muzi mvubelo mwale mwamba mwansa mwape mwila mxolisi myeni mzwandile naledi
      nandi ncamisile ncube ndaba ndebele ndimande ndlovu ndumiso nemavhola nene neo netshitenzhe ngcobo ngema
      ngobeni ngobese ngoma ngubane ngwenya nhamo nhlanhla nhleko njabulo nkabinde nkandu nkomo nkosana nkosi
      nkosinathi nkululeko nkuna nobuhle nokuthula nokwanda noluthando nolwazi nomalanga nombuso nomfundo
      nompumelelo nomsa nomvula nonhlanhla nontobeko nosipho nothando nozipho nqobile ntokozo ntombela ntombi
      ntshangase ntuli nxumalo nyamande nyasha nyathi nyawo nzama nzimande nzuza ofentse oratile palesa panashe
      phakathi phenyo philani phindile phiri phosa phumlani phumzile phungula poloko pontsho puleng radebe
      ramabulana ramaphosa refilwe rethabile retshepile rikhotso rudo rutendo ruvimbo sakala samkelo sandile
      sanele sbusiso seabelo sebati sechaba sekgobela selepe sello senzo seretse sfiso shabalala shabangu shange
      shingai shivambu shongwe sibanda sibisi sibiya sibongile sibusiso sichone sifiso sikazwe sikhakhane
      simbarashe simelane simphiwe sindi sindisiwe siphamandla siphesihle sipho sithole siyabonga siyanda sizwe
      smangaliso sokhela sthembiso tafadzwa takudzwa tanaka tariro tatenda tau tawanda tebogo teboho tembo tendai
      thabo thamsanqa thandeka thandi thandiwe thandolwethu thapelo thato themba thembeka thembi thobejane thobeka
      thokozani thulani thuli thusi thwala tinashe tinotenda tiro tladi tlhabi tlhogi tlotlo tsepo tshabalala
      tshegofatso tshepiso tshepo tshivhase tshuma tsotetsi tumelo tumi unathi vilakazi vimbai vusi vuyiswa vuyo
      wandile xaba xolani xolile xulu zama zandile zanele zhou zikalala zimba zinhle zivanai ziyanda zodwa zola
      zondi zukiswa zulu zuma zungu zvobgo zwane zwelethu zweli zwelinzima`,
    thai: `
      anan anong apichat apinya areeya arthit benjawan boonmee bunnag chai chaisuwan chaiwat chaiyasit chanida
      charoenphol charoensuk intharaprasit jaidee jantarasiri jintana kaewkla kanlaya kanokwan kanya khamphaeng
      kittisak kittisakul kritsada malee maneewong nanthida napaporn narong nattapong nattawut natthaphon nittaya
      noppawan nopporn orapin pakorn panya phanuwat phattharaphon phetcharat phromma pichai pimchanok piyawat ploy
      pongsak pongsakorn pornthip prasert prasertsuk prasit prayut preecha ratana ratchanon rattanakosin
      rungrueang saengsuriya saetang sakda samart sangthong saowalak sarawut sasithorn sirikit siriporn siriwan
      sittichai sombat somchai somporn somsak srisai srisuwan suda sukanya sukhumvit sunee supachai supaporn
      surachai suwannarat suwit tanawat tawan techapaibul teerapong thaksin thanakorn thanapon thawat thepsuthin
      thitiporn thongchai ubonrat urai wanida warunee watcharapong wattana weerachai wichai wilai wirat wongsawat
      wongwian worawut yingluck yupin`,
    turkish: `
      ahmet akin aksoy aktas ali altun arslan aslan ates avci ay aydin ayse bal basaran bayrak bilgin bozkurt
      bulut burak busra caglar cagri cakir can celik cem cetin ceylan cigdem coskun dag demir demirci deniz derya
      dogan duman durmaz ebru ege ekinci elif emine emre erdem erdogan eren eroglu esra fatma furkan gok gokce
      gokhan goksel gozde gul guler gulsen gunes gurkan guven guzel hakan halil hanife hasan hatice huseyin
      huseyincan ibrahim ilker irem isik isil ismail kaan kahraman kalkan kaplan kara karaca karatas kaya kerem
      keskin kilic kilinc koc korkmaz koyuncu kubra kurt mehmet merve meryem mucahit muge mujde murat mustafa
      nazli necati nihat nilay nur nuray nurcan oguz oguzhan okan omer onur orhan osman ozan ozcan ozdemir ozer
      ozge ozgur ozkan ozlem oznur ozturk peker pinar polat ramazan recep rukiye sahin sari sebnem sedat selcuk
      selin semih sen serife serkan sevgi sibel simsek sinem songul sonmez sukran sukru sule suleyman sultan tarik
      tas tayfun tekin tolga tugba tugce tulay tuncer turan turgut ufuk ugur umit unal uysal uzun volkan yagmur
      yalcin yasemin yasin yavuz yazici yigit yildirim yildiz yilmaz yucel yuksel yusuf zafer zehra zeynep`,
    uzbek: `
      abdulla abdullaev abdurahmon abdurahmonov ahmedov akmal alimov alisher anvar azimov aziz azizbek bahodir
      bakhtiyor barno bekzod boboev botir davron dilbar dildora dilnoza dilshod doniyor elyor ergashev farhod
      farrukh fayzullaev feruza gavhar gulchehra gulnora gulnoza hakimov hamidov ibrohimov iroda islom ismoilov
      jahongir jalolov jamshid javohir juraev kamola kamoliddin karimov kholmatov laziz lola madina maftuna
      mahmudov malika mansur mavdudova mirzaev mirzo muhammadjon muhayyo munisa murod nargiza nazarov nigora
      nilufar nodir nodira normatov nurbek nurmatov odil ohunova otabek oybek oydin ozoda qodirov qosimov rahimov
      rahmonov rashidov ravshan rustam saida sanjar sardor sattorov sevara shahlo shahnoza sharipov shavkat
      sherzod shohruh sirojiddin sobirov sultonov temur timur tojiboev toshmatov tursunov ulugbek umarov umid
      umida usmonov xadicha xolmatov xurshid yoqubov yuldashev yulduz yusuf yusupov zafar zebo ziyod ziyoda zohid
      zokirov zulfiya zuxra`,
    vietnamese: `
      anh bao bich binh bui cam chau chi cuong dang dao dat diem diep dinh do doan dong duc dung duong duy gia
      giang ha hai hang hanh hau hien hieu ho hoa hoai hoan hoang hue hung huong huu huy huynh khanh khoa khoi
      kien kim ky lam lan le lieu linh loan loc long luan luong luu ly mac mai man manh mau minh mong my nam nga
      nghia ngo ngoc nguyen nguyet nhan nhat nhi nhu nhung oanh pham phan phat phong phu phuc phung phuong quach
      quan quang quoc quy quynh sang sinh son sy ta tai tam tan thach thai tham thang thanh thao thi thia thib
      thien thihoa thihuong thilan thimai thinh thom thong thu thuan thuc thuy thuytien tien tin tinh to toai toan
      ton tra tran trang tri trieu trinh truc trung truong tu tuan tung tuyen tuyet ung uyen van vana vanb vanhung
      vannam vi viet vinh vo vu vuong vy xuan xuyen y yen`,
    welsh: `
      aeron aled alun aneirin angharad anwen ap arwel arwen awen bebb bedwyr berwyn bethan bevan blodwen bowen
      branwen briallen bronwen brychan bryn cadi cadwaladr cai caradog carwyn carys catrin ceinwen ceri ceridwen
      cerys cledwyn cynan dafydd deiniol delyth derfel dewi dilwyn dilys dyfan dyfed dylan efa eifion eilir einion
      eirian eirlys eirwen eleri elin elis elwyn emlyn emrys enfys eynon ffion fflur gareth geraint gethin gittins
      glenys glyn glyndwr goronwy gruffudd gruffydd gwawr gwen gwenda gwendolen gwenllian gwenno gwilym gwion gwyn
      gwyneth gwynfor gwynne haf heledd heulwen huw hywel iago idris idwal ieuan ifan ifor illtyd ioan iola iolo
      iorwerth iwan lleu lleucu llewelyn llinos lloyd llwyd llyr llywelyn lowri macsen maddox mair maldwyn mared
      marged meinir meirion meleri menna meredith meurig mihangel morfydd morwenna mostyn myfanwy myrddin nerys
      nia non olwen osian owain parry penry powell prosser prydderch pugh rhian rhiannon rhodri rhun rhydderch
      rhydian rhys seren sian sioned siwan taliesin tegan tegid tegwen tomos trystan tudur vaughan wyn ynyr ysbal`,
    'west african': `
      abdoulaye abdullahi abena abiodun abiola abubakar achebe adaeze addo adebayo adekunle adeola aderonke
      adewale adeyemi adichie adjei adwoa afia afolabi afua agbaje agyeman aissatou akande akintola akinwale
      akinyemi akosua akpan akua alioune aliyu aluko ama amadou amarachi aminata amoah ansah antwi anyanwu appiah
      araba asamoah asante awa awolowo awuah ayodeji ayodele ayomide azikiwe ba babangida babatunde badu bah
      bakary bamba bamidele barry bassey bello beye binta biya boateng bolanle boubacar buhari bukola camara
      cheikh chiamaka chidi chinedu chinwe chukwu chukwuemeka cisse compaore coulibaly damilola dangote danjuma
      darko demba dembele dia diagne diallo diarra diatta diop diouf djibril doumbia drame dzifa ebere effiong
      efua ekene ekow ekwueme elikem emeka esi essono eto eyram eze ezeudu ezinne fall fanta fashola fatou faye
      femi fiifi folake fotso funmilayo gambo garba gaye gbenga gueye gyan gyasi halima hauwa ibe ibrahim ibrahima
      ibukun ifeanyi ifeoma igwe ikechukwu ikenna issa iweala jumoke kaba kabiru kabore kadiatou kamga kante
      kehinde keita kelechi khady kofi kojo konate kone konte koomson kufuor kunle kwabena kwadwo kwaku kwame
      kwasi lamine lawal madu maimouna mamadou mariama mba mbah mbappe mbaye mbengue mbow mensah modou mojisola
      moussa musa nana ndeye ndiaye ndidi ndong ndour ndukwe ngassa ngozi nguema niang nii njoya nkechi nketia
      nkoulou nkrumah nnamdi nneka nwachukwu nwankwo nwosu obaseki obeng obi obiageli obiang obinna obioma odukoya
      ofori ogbonna ogechi ogunleye ojo okafor okechukwu okeke okonkwo okorie okoro okoye olabisi oladele oladipo
      olaoluwa olayinka oluchi olufemi olumide olusegun oluwaseun oluwatobi omolara onwuka onyeka onyekachi
      opeyemi opoku oppong osagie osei oshodi ouattara ouedraogo oumar oumou ousmane owusu oyedepo oyelaran
      oyinkansola pape quartey rokhaya sagna salif sane sangare sani sarpong sarr sawadogo seck segun sekou selorm
      senyo seydou shehu sidibe sissoko sola somtochukwu song souleymane sow soyinka sy sylla taiwo tall tanko
      tchoupo temitope tetteh thiam tinubu titilayo tobi tochukwu tolulope toure traore tunde twumasi uche uchenna
      udeh ugochukwu ugwu umeh usman uzoma uzor wade wale yacouba yakubu yaw yeboah yemi yetunde youssouf zainab
      zongo`,
  }).map(([group, text]) => [group, text.trim().split(/\s+/)]),
);
