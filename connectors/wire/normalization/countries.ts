/** Country codes of ISO 3166-1 as `alpha-2:alpha-3`, from the package iso-3166-1 2.1.1, and the code of Kosovo. */
const codes = `
  AD:AND AE:ARE AF:AFG AG:ATG AI:AIA AL:ALB AM:ARM AO:AGO AQ:ATA AR:ARG AS:ASM AT:AUT AU:AUS AW:ABW AX:ALA AZ:AZE
  BA:BIH BB:BRB BD:BGD BE:BEL BF:BFA BG:BGR BH:BHR BI:BDI BJ:BEN BL:BLM BM:BMU BN:BRN BO:BOL BQ:BES BR:BRA BS:BHS
  BT:BTN BV:BVT BW:BWA BY:BLR BZ:BLZ CA:CAN CC:CCK CD:COD CF:CAF CG:COG CH:CHE CI:CIV CK:COK CL:CHL CM:CMR CN:CHN
  CO:COL CR:CRI CU:CUB CV:CPV CW:CUW CX:CXR CY:CYP CZ:CZE DE:DEU DJ:DJI DK:DNK DM:DMA DO:DOM DZ:DZA EC:ECU EE:EST
  EG:EGY EH:ESH ER:ERI ES:ESP ET:ETH FI:FIN FJ:FJI FK:FLK FM:FSM FO:FRO FR:FRA GA:GAB GB:GBR GD:GRD GE:GEO GF:GUF
  GG:GGY GH:GHA GI:GIB GL:GRL GM:GMB GN:GIN GP:GLP GQ:GNQ GR:GRC GS:SGS GT:GTM GU:GUM GW:GNB GY:GUY HK:HKG HM:HMD
  HN:HND HR:HRV HT:HTI HU:HUN ID:IDN IE:IRL IL:ISR IM:IMN IN:IND IO:IOT IQ:IRQ IR:IRN IS:ISL IT:ITA JE:JEY JM:JAM
  JO:JOR JP:JPN KE:KEN KG:KGZ KH:KHM KI:KIR KM:COM KN:KNA KP:PRK KR:KOR KW:KWT KY:CYM KZ:KAZ LA:LAO LB:LBN LC:LCA
  LI:LIE LK:LKA LR:LBR LS:LSO LT:LTU LU:LUX LV:LVA LY:LBY MA:MAR MC:MCO MD:MDA ME:MNE MF:MAF MG:MDG MH:MHL MK:MKD
  ML:MLI MM:MMR MN:MNG MO:MAC MP:MNP MQ:MTQ MR:MRT MS:MSR MT:MLT MU:MUS MV:MDV MW:MWI MX:MEX MY:MYS MZ:MOZ NA:NAM
  NC:NCL NE:NER NF:NFK NG:NGA NI:NIC NL:NLD NO:NOR NP:NPL NR:NRU NU:NIU NZ:NZL OM:OMN PA:PAN PE:PER PF:PYF PG:PNG
  PH:PHL PK:PAK PL:POL PM:SPM PN:PCN PR:PRI PS:PSE PT:PRT PW:PLW PY:PRY QA:QAT RE:REU RO:ROU RS:SRB RU:RUS RW:RWA
  SA:SAU SB:SLB SC:SYC SD:SDN SE:SWE SG:SGP SH:SHN SI:SVN SJ:SJM SK:SVK SL:SLE SM:SMR SN:SEN SO:SOM SR:SUR SS:SSD
  ST:STP SV:SLV SX:SXM SY:SYR SZ:SWZ TC:TCA TD:TCD TF:ATF TG:TGO TH:THA TJ:TJK TK:TKL TL:TLS TM:TKM TN:TUN TO:TON
  TR:TUR TT:TTO TV:TUV TW:TWN TZ:TZA UA:UKR UG:UGA UM:UMI US:USA UY:URY UZ:UZB VA:VAT VC:VCT VE:VEN VG:VGB VI:VIR
  VN:VNM VU:VUT WF:WLF WS:WSM YE:YEM YT:MYT ZA:ZAF ZM:ZMB ZW:ZWE XK:XKX
`

/** Names in Meta's capi-param-builder (stringUtil.js) that the names of languages below do not contain. */
const otherNames = `
  antiguaandbarbuda:AG boliviaplurinationalstateof:BO bonairesinteustatinsandsaba:BQ bosniaandherzegovina:BA
  congothedemocraticrepublicofthe:CD democraticrepublicofthecongo:CD ivorycoast:CI czechrepublic:CZ
  falklandislandsmalvinas:FK heardislandandmcdonaldislands:HM holyseevaticancitystate:VA vatican:VA hongkong:HK
  iranislamicrepublicof:IR koreademocraticpeoplesrepublicof:KP korearepublicof:KR laopeoplesdemocraticrepublic:LA
  macao:MO macedoniatheformeryugoslavrepublicof:MK macedonia:MK micronesiafederatedstatesof:FM
  moldovarepublicof:MD palestinestateof:PS palestine:PS russianfederation:RU
  sainthelenaascensionandtristandacunha:SH saintkittsandnevis:KN saintmartinfrenchpart:MF
  saintpierreandmiquelon:PM saintvincentandthegrenadines:VC saotomeandprincipe:ST sintmaartenductchpart:SX
  southgeorgiaandthesouthsandwichislands:GS svalbardandjanmayen:SJ swaziland:SZ syrianarabrepublic:SY
  taiwanprovinceofchina:TW tanzaniaunitedrepublicof:TZ easttimor:TL trinidadandtobago:TT turkey:TR
  turksandcaicosislands:TC unitedstatesofamerica:US unitedstatesminoroutlyingislands:UM
  venezuelabolivarianrepublicof:VE virginislandsbritish:VG virginislandsus:VI wallisandfutuna:WF
`

const pairsOf = (table: string): [string, string][] =>
  table
    .trim()
    .split(/\s+/)
    .map((pair) => {
      const [first = '', second = ''] = pair.split(':')
      return [first, second]
    })

const isoPairs = pairsOf(codes)
const isoCodes: ReadonlySet<string> = new Set(isoPairs.map(([code]) => code))

/** Codes in common use that are not the codes of ISO 3166-1. */
const otherCodes: readonly [string, string][] = [
  ['UK', 'GB'],
  ['EL', 'GR'],
]

/** The languages in which names of countries are known; if two languages disagree, the first one applies. */
const languages = 'en de fr es it pt nl pl sv da nb fi cs tr ru uk ja zh ko ar he el hu ro'.split(' ')

/** Words that people write after the name of a country. */
const wordsAfter: ReadonlySet<string> = new Set(
  'country europe asia africa oceania america northamerica southamerica'.split(' '),
)

/** Maximum characters of a text that is read as the name of a place. */
export const longestPlace = 200

/** Returns the letters of a name of a place in lower case and without accents, for comparison. */
export const placeLetters = (text: string): string =>
  text
    .slice(0, longestPlace)
    .normalize('NFD')
    .replaceAll(/[^\p{L}]/gu, '')
    .toLowerCase()

const buildNames = (): ReadonlyMap<string, string> => {
  const names = new Map<string, string>(pairsOf(otherNames))
  for (const [code, long] of isoPairs) names.set(code.toLowerCase(), code).set(long.toLowerCase(), code)
  for (const [other, code] of otherCodes) names.set(other.toLowerCase(), code)
  for (const language of languages) {
    const regions = new Intl.DisplayNames([language], { type: 'region', fallback: 'none' })
    for (const code of isoCodes) {
      const name = placeLetters(regions.of(code) ?? '')
      if (name !== '' && !names.has(name)) names.set(name, code)
    }
  }
  return names
}

let built: ReadonlyMap<string, string> | undefined

/**
 * Returns the ISO 3166-1 alpha-2 code of a country, in capitals, from a code of two or three letters or from a name; ''
 * if the text names no country.
 */
export const countryCodeOf = (text: string): string => {
  // Namibia has the code NA.
  if (text.length > longestPlace || text.trim().toLowerCase() === 'n/a') return ''
  const letters = placeLetters(text)
  const names = (built ??= buildNames())
  const name = letters.startsWith('the') && !names.has(letters) ? letters.slice(3) : letters
  const known = names.get(name)
  if (known !== undefined) return known
  for (const word of wordsAfter) {
    const country = name.endsWith(word) ? names.get(name.slice(0, -word.length)) : undefined
    // Codes are too short to be recognized before another word.
    if (country !== undefined && name.length - word.length > 3) return country
  }
  return ''
}
