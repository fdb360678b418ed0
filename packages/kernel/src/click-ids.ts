/**
 * Query parameters of ad links, with the number of days for which the platform attributes a click. The parameters of
 * Google Ads, Microsoft, and Meta have 90 days. All others have the longest window that an advertiser can choose.
 */
export const clickIdDays = {
  gclid: 90,
  gbraid: 90,
  wbraid: 90,
  dclid: 90,
  fbclid: 90,
  msclkid: 90,
  epik: 60,
  twclid: 30,
  li_fat_id: 30,
  ttclid: 28,
  ScCid: 28,
  rdt_cid: 28,
} as const satisfies Readonly<Record<string, number>>

/** Maximum characters of a click ID, or of all campaign parameters together; longer texts are ignored. */
const longest = 500

/** Returns the click IDs in the query parameters of a URL, by parameter name (case-sensitive). */
export const clickIdsIn = (params: URLSearchParams): Record<string, string> => {
  const found: Record<string, string> = {}
  for (const name of Object.keys(clickIdDays)) {
    const value = params.get(name)?.trim() ?? ''
    if (value !== '' && value.length <= longest) found[name] = value
  }
  return found
}

/** Returns the campaign parameters (`utm_…`) of a URL. The names in the result have no prefix. */
export const campaignIn = (params: URLSearchParams): Record<string, string> => {
  const found: Record<string, string> = {}
  for (const [name, value] of params)
    if (/^utm_[a-z_]{1,20}$/.test(name) && value !== '' && value.length <= longest) found[name.slice(4)] = value
  return found
}
