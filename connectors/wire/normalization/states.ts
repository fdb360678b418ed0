import { longestPlace, placeLetters } from './countries.ts'

/**
 * States and provinces with their codes, from Meta's capi-param-builder (stringUtil.js), and the codes of the United
 * States Postal Service for the District of Columbia and the territories.
 */
const table = `
  alabama:al alaska:ak arizona:az arkansas:ar california:ca colorado:co connecticut:ct delaware:de florida:fl georgia:ga
  hawaii:hi idaho:id illinois:il indiana:in iowa:ia kansas:ks kentucky:ky louisiana:la maine:me maryland:md
  massachusetts:ma michigan:mi minnesota:mn mississippi:ms missouri:mo montana:mt nebraska:ne nevada:nv newhampshire:nh
  newjersey:nj newmexico:nm newyork:ny northcarolina:nc northdakota:nd ohio:oh oklahoma:ok oregon:or pennsylvania:pa
  rhodeisland:ri southcarolina:sc southdakota:sd tennessee:tn texas:tx utah:ut vermont:vt virginia:va washington:wa
  westvirginia:wv wisconsin:wi wyoming:wy districtofcolumbia:dc washingtondc:dc puertorico:pr guam:gu americansamoa:as
  usvirginislands:vi northernmarianaislands:mp ontario:on quebec:qc britishcolumbia:bc alberta:ab saskatchewan:sk
  manitoba:mb novascotia:ns newbrunswick:nb princeedwardisland:pe newfoundlandandlabrador:nl newfoundland:nl yukon:yt
  northwestterritories:nt nunavut:nu calif:ca fla:fl tex:tx penn:pa mass:ma
`

const states: ReadonlyMap<string, string> = new Map(
  table
    .trim()
    .split(/\s+/)
    .map((pair): [string, string] => {
      const [name = '', code = ''] = pair.split(':')
      return [name, code]
    }),
)
const codes: ReadonlySet<string> = new Set(states.values())

/** Words that people write before or after the name of a state. */
const wordsBefore = ['stateof', 'provinceof']
const wordsAfter = ['usa', 'us', 'unitedstates', 'canada', 'state', 'province', 'city', 'beach']

const withoutWords = (letters: string): string => {
  const start = wordsBefore.find((word) => letters.startsWith(word))?.length ?? 0
  const rest = letters.slice(start)
  const after = wordsAfter.find((word) => rest.endsWith(word) && states.has(rest.slice(0, -word.length)))
  return after === undefined ? rest : rest.slice(0, -after.length)
}

/**
 * Returns the two letters of a state of the United States or a province of Canada, in lower case; '' for other texts.
 * The text is a name, or a code such as `US-CA`.
 */
export const stateCodeOf = (text: string): string => {
  if (text.length > longestPlace) return ''
  const letters = placeLetters(text)
  const known = states.get(letters) ?? states.get(withoutWords(letters))
  if (known !== undefined) return known
  const [, code = ''] = /^(?:us|ca)[^a-z]([a-z]{2})$/.exec(text.trim().toLowerCase()) ?? []
  if (codes.has(code)) return code
  // A name beside its code, such as `New York NY`.
  const last = letters.slice(-2)
  return states.get(letters.slice(0, -2)) === last ? last : ''
}
