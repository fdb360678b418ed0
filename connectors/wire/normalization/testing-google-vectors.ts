import { vectorsOf } from './vectors.ts'

/*
 * Inputs of other scripts, types, and lengths for Google. The expected texts follow the rules that are quoted from
 * Google's library (github.com/googleads/data-manager-java, commit b15171ad, UserDataFormatter.java) and from its API
 * (google/ads/datamanager/v1/user_data.proto). '' means that nothing is sent, as where the library throws an exception.
 */

/**
 * UserDataFormatter: 'Removes leading and trailing whitespace', 'Converts to lowercase', and for Gmail 'Removes plus
 * sign (+) and all characters that follow it' and 'Removes all periods (.)'. "Format user data" of the Data Manager API
 * also removes spaces within an address.
 */
export const emailVectors = vectorsOf(String.raw`
  ["ADA@EXAMPLE.COM","ada@example.com"], [" ada@example.com\n","ada@example.com"], ["ada @example.com","ada@example.com"],
  ["ada@ example . com","ada@example.com"], ["\tAda.L@Example.co.uk","ada.l@example.co.uk"],
  ["ada.l@gmail.com","adal@gmail.com"], ["A.D.A+news@GMAIL.com","ada@gmail.com"], ["+x@gmail.com",""],
  ["ada.l+x@example.com","ada.l+x@example.com"], ["ada.l@gmail.com.example.org","ada.l@gmail.com.example.org"],
  ["ada.l@googlemail.com","adal@googlemail.com"], ["ada@mail.gmail.com","ada@mail.gmail.com"],
  ["алиса@пример.рф","алиса@пример.рф"], ["АЛИСА@ПРИМЕР.РФ","алиса@пример.рф"], ["用户@例子.广告","用户@例子.广告"],
  ["محمد@مثال.موقع","محمد@مثال.موقع"], ["ada@xn--e1afmkfd.xn--p1ai","ada@xn--e1afmkfd.xn--p1ai"],
  ["ada_l-1@example.museum","ada_l-1@example.museum"], ["o'neil@example.com","o'neil@example.com"],
  ["",""], [" ",""], ["ada",""], ["@",""], ["ada@",""], ["@example.com",""], ["ada@example",""], ["ada@.com",""],
  ["ada@example.",""], ["ada@@example.com",""], ["none",""], ["null",""], ["😀",""]
`)

/**
 * UserIdentifier: 'Hashed phone number using SHA-256 hash function after normalization (E164 standard)'.
 * UserDataFormatter: 'Removes all non-digits', 'Prepends a '+' symbol'. A number without a country is not sent.
 */
export const phoneVectors = vectorsOf(String.raw`
  ["+1 (800) 555-0100","+18005550100"], ["1.800.555.0100","+18005550100"], ["+1-800-555-0100","+18005550100"],
  ["0018005550100","+18005550100"], ["+49 30 1234567","+49301234567"], ["+49 (0)30 1234567","+49301234567"],
  ["0049 30 1234567","+49301234567"], ["+44 (0)20 7946 0958","+442079460958"], ["+39 06 6982","+39066982"],
  ["+86 138 0013 8000","+8613800138000"], ["+81-3-1234-5678","+81312345678"], ["+91 98765 43210","+919876543210"],
  ["+55 11 91234-5678","+5511912345678"], ["+7 (495) 123-45-67","+74951234567"], ["+971 4 123 4567","+97141234567"],
  ["+1 800 555 0100 ext. 9","+18005550100"], ["+1 800 555 0100 x123","+18005550100"], ["+１８００５５５０１００","+18005550100"],
  ["tel:+18005550100","+18005550100"], ["",""], [" ",""], ["+",""], ["+1",""], ["911",""], ["+abc-DEF",""],
  ["none",""], ["N/A",""], ["030 1234567",""], ["(800) 555-0100",""], ["+12345678901234567890",""], ["😀",""], ["١٢٣",""]
`)

/**
 * AddressInfo: 'all lowercase, with no punctuation, no leading or trailing whitespace'. UserDataFormatter removes the
 * prefixes `mr.`, `mrs.`, `ms.` and `dr.`
 */
export const givenNameVectors = vectorsOf(String.raw`
  ["ADA","ada"], ["  Ada\t","ada"], ["Dr. Ada","ada"], ["mr Ada","ada"], ["Ms. Ada","ada"], ["Mrs.Ada","mrsada"],
  ["Jean-Luc","jeanluc"], ["Mary-Ann","maryann"], ["D'Arcy","darcy"], ["D’Arcy","darcy"], ["J.R.","jr"], ["Åsa","åsa"],
  ["ÉLODIE","élodie"], ["Øyvind","øyvind"], ["Łukasz","łukasz"], ["АННА","анна"], ["Ελένη","ελένη"], ["李","李"],
  ["美咲","美咲"], ["지우","지우"], ["मीरा","मीरा"], ["אסתר","אסתר"], ["فاطمة","فاطمة"], ["ნინო","ნინო"],
  ["Ada 😀","ada"], ["A","a"], ["Mary Jane","mary jane"], ["Drake","drake"], ["Msgr","msgr"],
  ["",""], ["\n",""], ["…",""], ["😀",""], ["Mr.",""]
`)

/** The same rule. UserDataFormatter: 'Uses a loop to handle the case where there are multiple suffixes'. */
export const familyNameVectors = vectorsOf(String.raw`
  ["LOVELACE","lovelace"], [" Lovelace ","lovelace"], ["O'Neil","oneil"], ["O’Neil","oneil"], ["Smith-Jones","smithjones"],
  ["van der Berg","van der berg"], ["St. John","st john"], ["King, Jr.","king"], ["King Sr","king"], ["Windsor IV","windsor"],
  ["Smith, PhD","smith"], ["Jones, DDS","jones"], ["Ng","ng"], ["MÜLLER","müller"], ["Nuñez","nuñez"], ["Čapek","čapek"],
  ["Þórsdóttir","þórsdóttir"], ["ИВАНОВ","иванов"], ["Παπαδόπουλος","παπαδόπουλος"], ["王","王"], ["佐藤","佐藤"],
  ["김","김"], ["शर्मा","शर्मा"], ["כהן","כהן"], ["الفارسي","الفارسي"], ["ბერიძე","ბერიძე"], ["Lovelace 👑","lovelace"],
  ["Vidal","vidal"], ["Ivory","ivory"], ["Mdina","mdina"],
  ["",""], ["\t",""], ["--",""], ["👑",""], [", III",""]
`)

/** AddressInfo: 'The 2-letter region code in ISO-3166-1 alpha-2'. A code of three letters and a name are translated. */
export const regionVectors = vectorsOf(String.raw`
  ["US","US"], ["us","US"], [" De ","DE"], ["gb","GB"], ["USA","US"], ["DEU","DE"], ["GBR","GB"], ["fra","FR"],
  ["Germany","DE"], ["germany","DE"], ["Deutschland","DE"], ["France","FR"], ["United States","US"],
  ["United Kingdom","GB"], ["España","ES"], ["Spain","ES"], ["Italia","IT"], ["Italy","IT"], ["Japan","JP"],
  ["Brazil","BR"], ["Österreich","AT"], ["Austria","AT"], ["Schweiz","CH"], ["Switzerland","CH"], ["India","IN"],
  ["Australia","AU"], ["Canada","CA"], ["Mexico","MX"],
  ["",""], [" ",""], ["u",""], ["u2",""], ["XX",""], ["nowhere",""], ["12",""], ["😀",""]
`)

/** AddressInfo: 'The postal code of the user's address.' UserDataFormatter removes the spaces around it. */
export const postalCodeVectors = vectorsOf(String.raw`
  ["94045","94045"], [" 94045 ","94045"], ["94045-1234","94045-1234"], ["1229-076","1229-076"], ["SW1A 1AA","SW1A 1AA"],
  ["sw1a 1aa","sw1a 1aa"], ["10115","10115"], ["01067","01067"], ["75008","75008"], ["1010","1010"], ["K1A 0B1","K1A 0B1"],
  ["150-0001","150-0001"], ["〒150-0001","〒150-0001"], ["100000","100000"], ["110 00","110 00"], ["00-950","00-950"],
  ["LV-1050","LV-1050"], ["AD500","AD500"], ["1000-205","1000-205"], ["70040-010","70040-010"], ["D02 AF30","D02 AF30"],
  ["2000","2000"], ["0150","0150"], ["6","6"], ["\t94045\n","94045"], ["۱۲۳۴۵","۱۲۳۴۵"], ["१२३४५६","१२३४५६"],
  ["H3Z2Y7","H3Z2Y7"], ["EC1A1BB","EC1A1BB"],
  ["",""], [" ",""], ["\n\t",""]
`)
