// Prefixes of generated addresses: words of mail systems, sign-up scripts, testers, machines and deleted accounts.
const list = (text) => text.trim().split(/\s+/);

/** Nouns for numbered accounts: `user1`, `tester02`. */
export const accountNouns = list(
  `user users usr testuser testusr test tester testing testaccount testmail account acc acct student pupil customer cust client member guest
  visitor player gamer dummy fake sample example demo trial subscriber contact lead buyer seller vendor supplier partner agent employee staff
  operator driver courier patient candidate applicant participant respondent person people human subject worker robot bot qa load seed mock
  stub loadtest perftest loaduser newuser demouser sampleuser fakeuser anyuser mailbox mbox mailuser mailtest box inbox alias address addr
  email mail id uid ident record row entry item node device sensor terminal kiosk host vm instance benutzer testkunde kunde gast utilisateur
  invite compte essai usuario prueba cliente cuenta teste conta utente prova ospite gebruiker klant bruger anvandare uzytkownik klient
  gosc uzivatel felhasznalo kullanici deneme polzovatel pengguna yonghu ceshi riyousha`,
);

const systems = list(
  `temp tmp bounce bounces reply return notify notification notifications order ticket case msg message ref list news owner request confirm
  track tracking anon auto dev random new my app web api shop signup register registration hidden private relay sub noreply support invoice
  inbound outbound incoming import export sync job task build thread conversation comment issue unsubscribe unsub optin optout verify
  verification activate token session sess auth login reset invite campaign mailing newsletter digest feed post update alert event webhook
  receipt payment refund quote proposal lead deal survey form upload attachment draft archive spool queue envelope sender rcpt verp srs`,
);

const testers = list(
  `e2e ci cd qa smoke smoketest cypress playwright selenium puppeteer webdriver robotframework autotest integration staging preprod sandbox
  loadtest k6 jmeter gatling locust pytest junit jest mocha rspec uitest apitest regression automation contract perf canary synthetic probe
  monitor monitoring healthcheck heartbeat uptime ping nagios fixture factory faker seeder spec scenario bug repro debug experiment`,
);

const erased = list(
  `deleted delete removed remove inactive gdpr dsgvo rgpd erased erasure redacted anonymous anonymized anonymised anonym former ex disabled
  archived closed expired invalid noemail nomail unknown placeholder duplicate dup merged suspended banned blocked terminated deactivated
  cancelled revoked obsolete legacy old ghost null undefined none void empty blank missing unassigned pseudonym masked obfuscated scrubbed
  purged forgotten withdrawn left gone dead bounced undeliverable geloescht supprime eliminado borrado cancellato verwijderd slettet usuniety`,
);

const machines = list(
  `root ubuntu www apache nginx cron daemon backup postgres mysql redis svc service sa gke k8s kube pod docker container node worker web db
  app mail srv server ec2 aws gcp azure vm vps host ip desktop laptop pc win macbook iphone android router switch printer scanner camera cam
  img image photo pic dsc scan screenshot screen file doc document video audio rec log chunk main vendor bundle icon logo banner thumb
  sprite bg avatar asset attachment noname untitled copy`,
);

const throwAways = list(
  `trash spam junk burner throwaway disposable tempmail tempbox mailinator yopmail guerrilla 10min minutemail catchall nonexistent noexist
  doesnotexist nosuchuser random check xx zz xyz qwe asd foo bar baz secret quick easy fast free hide hideme mask shield privacy incognito`,
);

export const prefixes = [...accountNouns, ...systems, ...systems, ...testers, ...erased, ...machines, ...throwAways];
