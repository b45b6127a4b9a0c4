const splitWords = (list: string) => list.trim().split(/\s+/);

/** Names of a mailbox in other languages, folded, some with their article. */
export const foreignNames = splitWords(`
  benutzer benutzers benutzername benutzerkonto nutzer konto mailkonto postfach postfachs empfanger empfangers empfaenger
  emailadresse empfangeradresse mailadresse adresse teilnehmer
  utilisateur lutilisateur compte destinataire boite ladresse abonne labonne
  usuario cuenta destinatario buzon direccion casilla conta caixa endereco utilizador
  utente lutente dellutente casella indirizzo lindirizzo laccount
  gebruiker ontvanger postvak postbus adres emailadres mailadres
  uzytkownik uzytkownika odbiorca odbiorcy adresat adresata skrzynka skrzynki skrzynce konta adresu
  uzivatel uzivatele prijemce schranka schranky schranku ucet adresa
  пользователь пользователя получатель получателя адресат адресата адрес адреса ящик ящика аккаунт аккаунта
  kullanici alici alicinin hesap hesabi kutusu adresi
  anvandare anvandaren mottagare mottagaren скринька користувач bruger bruker modtager mottaker kayttaja vastaanottaja cimzett utilizator
  pengguna penerima alamat akun
  felhasznalo postafiok utilizatorul destinatar destinatarul postilaatikko osoite brugeren brukeren modtageren mottakeren
  postkasse adressen brevlada brevladan користувача отримувач одержувач pouzivatel pouzivatela prijemca prejemnik uporabnik
  naslov nabiralnik predal racun korisnik primatelj primalac потребител получател kasutaja saaja vartotojas gavejas lietotajs sanemejs
  χρηστης παραληπτης المستخدم المستلم משתמש המשתמש נמען הנמען
`);

/** Words that continue such a name: `boîte aux lettres`, `caixa postal`, `dirección de correo`. */
export const foreignSuffixes = splitWords(
  'aux lettres entrada postal postale correo correio posta pocztowa electronico eletronico electronique elettronica',
);

/** Articles and forms of "be" and "have". */
export const foreignFillers = splitWords(`
  der die das dem den des dieser diese dieses ein eine ist sind wurde wird
  le la les un une du de ce cet cette est ete
  el los una este esta es ha sido fue foi
  il lo questo questa di della del e stato stata
  het een deze dit werd wordt
  ten jest zostal zostala zostalo tento tato je byl byla bylo bil bila
  этот данныи был была bu bir ini itu tersebut ez az acest aceasta denne dette den
`);

/** Words for "your": what follows is the client's. */
export const foreignClientWords = splitWords(`
  ihr ihre ihrem ihren ihrer ihres dein deine votre vos tu tuo tua vostro vostra uw jouw
  twoj twoja twoje twojego vas vase vasa ваш ваша ваше вашего вашеи
  din ditt deres sinun dumneavoastra вашият вашата anda
`);
