import { vectorsOf } from './vectors.ts'

/*
 * Inputs of other scripts, types, and lengths for TikTok. The expected texts follow the quoted rules of TikTok's template
 * for servers (github.com/tiktok/gtm-template-eapi, commit 089e34ee, template.js) and of Segment (action-destinations,
 * `tiktok-conversions/reportWebEvent/formatter.ts`). TikTok's page was not seen. '' means that nothing is sent.
 */

/** template.js: `hash(_email)` trims and lowers. Segment: `email.toLowerCase()`. Other texts are not sent. */
export const emailVectors = vectorsOf(String.raw`
  ["ALICE@EXAMPLE.COM","alice@example.com"], [" alice@example.com\n","alice@example.com"],
  ["alice.m@gmail.com","alice.m@gmail.com"], ["alice+news@gmail.com","alice+news@gmail.com"],
  ["Alice_M-1@Example.co.uk","alice_m-1@example.co.uk"], ["o'neil@example.com","o'neil@example.com"],
  ["алиса@пример.рф","алиса@пример.рф"], ["АЛИСА@ПРИМЕР.РФ","алиса@пример.рф"], ["用户@例子.广告","用户@例子.广告"],
  ["محمد@مثال.موقع","محمد@مثال.موقع"], ["ÄLICE@example.com","älice@example.com"], ["a@b.co","a@b.co"],
  ["alice@xn--e1afmkfd.xn--p1ai","alice@xn--e1afmkfd.xn--p1ai"], ["alice@mail.example.museum","alice@mail.example.museum"],
  ["mailto:alice@example.com","alice@example.com"], ["\"Alice\" <alice@example.com>","alice@example.com"],
  ["1@example.com","1@example.com"], ["alice@123.com","alice@123.com"],
  ["",""], [" ",""], ["alice",""], ["@",""], ["alice@",""], ["@example.com",""], ["alice@example",""],
  ["alice@.com",""], ["alice@@example.com",""], ["alice at example.com",""], ["null",""], ["undefined",""], ["😀",""],
  ["alice@exa mple.com",""]
`)

/** Segment: 'Remove spaces and non-digits; append + to the beginning'. A number without a country is not sent. */
export const phoneVectors = vectorsOf(String.raw`
  ["+1 650 555 1234","+16505551234"], ["+1 (650) 555-1234","+16505551234"], ["1-650-555-1234","+16505551234"],
  ["16505551234","+16505551234"], ["0016505551234","+16505551234"], ["+49 30 1234567","+49301234567"],
  ["+49 (0)30 1234567","+49301234567"], ["+44 20 7946 0958","+442079460958"], ["+33 1 23 45 67 89","+33123456789"],
  ["+86 138 0013 8000","+8613800138000"], ["+81-3-1234-5678","+81312345678"], ["+82 2-123-4567","+8221234567"],
  ["+62 812-3456-7890","+6281234567890"], ["+84 91 234 56 78","+84912345678"], ["+66 2 123 4567","+6621234567"],
  ["+55 11 91234-5678","+5511912345678"], ["+52 55 1234 5678","+525512345678"], ["+90 212 123 45 67","+902121234567"],
  ["+１６５０５５５１２３４","+16505551234"], ["tel:+16505551234","+16505551234"], ["+1 650 555 1234 ext. 9","+16505551234"],
  ["",""], [" ",""], ["+",""], ["911",""], ["none",""], ["+abc",""], ["030 1234567",""], ["(650) 555-1234",""],
  ["+12345678901234567890",""], ["😀",""], ["null",""]
`)

/** Segment: `formatString` removes spaces and lowers; template.js trims and lowers. Signs are not sent. */
export const nameVectors = vectorsOf(String.raw`
  ["ALICE","alice"], [" Alice ","alice"], ["O'Neil","oneil"], ["O’Neil","oneil"], ["Smith-Jones","smithjones"],
  ["Åsa","åsa"], ["ÉLODIE","élodie"], ["Øyvind","øyvind"], ["Łukasz","łukasz"], ["MÜLLER","müller"], ["Nuñez","nuñez"],
  ["Þóra","þóra"], ["АННА","анна"], ["Ελένη","ελένη"], ["李","李"], ["美咲","美咲"], ["지우","지우"], ["मीरा","मीरा"],
  ["אסתר","אסתר"], ["فاطمة","فاطمة"], ["ნინო","ნინო"], ["สมชาย","สมชาย"], ["Nguyễn","nguyễn"], ["Alice 😀","alice"],
  ["A","a"], ["J.R.","jr"], ["Dr","dr"],
  ["",""], [" ",""], ["—",""], ["😀",""], ["...",""]
`)

/** Segment: `formatUserIds` lowers; template.js trims and lowers. */
export const idVectors = vectorsOf(String.raw`
  ["SHOPPER 17","shopper 17"], [" user-17\n","user-17"], ["42","42"], ["0042","0042"], ["a b","a b"], ["Ada@Example.com","ada@example.com"],
  ["550E8400-E29B-41D4-A716-446655440000","550e8400-e29b-41d4-a716-446655440000"], ["ÜBER-9","über-9"],
  ["ПОЛЬЗОВАТЕЛЬ","пользователь"], ["用户17","用户17"], ["مستخدم-١٧","مستخدم-١٧"], ["ユーザー","ユーザー"], ["사용자","사용자"],
  ["😀","😀"], ["id_1","id_1"], ["id:1/2","id:1/2"], ["-1","-1"], ["1e400","1e400"], ["3.0","3.0"], ["TRUE","true"],
  ["auth0|5F7C","auth0|5f7c"], ["~!@#$","~!@#$"], ["a\tb","a\tb"], ["X","x"], ["00000000","00000000"],
  ["12345678901234567890","12345678901234567890"], ["{}","{}"], ["null","null"],
  ["",""], [" ",""], ["\n",""], ["\t \n",""]
`)

/** Segment: `formatString(address.zip_code)` removes spaces and lowers. "Event payload" (page not seen): no dashes. */
export const zipVectors = vectorsOf(String.raw`
  ["94035","94035"], [" 94035 ","94035"], ["94035-1234","940351234"], ["M1 1AE","m11ae"], ["SW1A 1AA","sw1a1aa"],
  ["10115","10115"], ["01067","01067"], ["75008","75008"], ["K1A 0B1","k1a0b1"], ["150-0001","1500001"],
  ["100000","100000"], ["110 00","11000"], ["00-950","00950"], ["LV-1050","lv1050"], ["AD500","ad500"],
  ["1000-205","1000205"], ["70040-010","70040010"], ["D02 AF30","d02af30"], ["2000","2000"], ["0150","0150"],
  ["H3Z2Y7","h3z2y7"], ["\t94035\n","94035"], ["６０６","６０６"], ["१२३४५६","१२३४५६"], ["۱۲۳۴۵","۱۲۳۴۵"], ["6","6"],
  ["1010 ","1010"], ["9 4 0 3 5","94035"],
  ["",""], [" ",""], ["-",""], ["- -",""]
`)

/** Segment: `formatAddress` lowers and keeps Latin letters and digits. Letters of other scripts are kept, too. */
export const placeVectors = vectorsOf(String.raw`
  ["New York","newyork"], [" NEW YORK ","newyork"], ["São Paulo","sãopaulo"], ["Zürich","zürich"], ["Saint-Denis","saintdenis"],
  ["St. Louis","stlouis"], ["L'Aquila","laquila"], ["Frankfurt (Oder)","frankfurtoder"], ["東京","東京"], ["北京市","北京市"],
  ["القاهرة","القاهرة"], ["МОСКВА","москва"], ["Αθήνα","αθήνα"], ["서울","서울"], ["กรุงเทพ","กรุงเทพ"], ["मुंबई","मुंबई"],
  ["תל אביב","תלאביב"], ["NY","ny"], ["CA","ca"], ["US","us"], ["de","de"], ["Nordrhein-Westfalen","nordrheinwestfalen"],
  ["ÎLE-DE-FRANCE","îledefrance"], ["6th of October City","6thofoctobercity"], ["Paris 🙂","paris"], ["Y","y"],
  ["Winston–Salem","winstonsalem"],
  ["",""], [" ",""], ["—",""], ["🙂",""], ["...",""]
`)
