type Platform = 'google' | 'meta' | 'tiktok'

/** The prefixes of each platform's click IDs, to recognize an ID under the wrong name. */
const marks: Readonly<Record<Platform, RegExp>> = {
  google: /^(Cj0KC|CjwKC|EAIaIQ|CL[a-z]|CN[a-z])[\w-]{10,}/,
  // The click ID is a cookie of the pixel, or the parameter of a link.
  meta: /^(fb\.\d\.\d{10,}\.|Iw[A-Z])/,
  tiktok: /^E\.C\.P\./,
}

const others = (own: Platform): RegExp[] =>
  Object.entries(marks).flatMap(([platform, mark]) => (platform === own ? [] : [mark]))

/** Maximum characters of a click ID; longer ones are invalid. */
const maxCharacters = 1000

/**
 * Returns a valid click ID of a platform; undefined if it is empty, invalid, or from another platform, which would only
 * be refused.
 */
export const clickIdOf = (platform: Platform, value: string | undefined): string | undefined => {
  const id = value?.trim() ?? ''
  if (id === '' || id.length > maxCharacters || /\s/.test(id)) return undefined
  return others(platform).some((mark) => mark.test(id)) ? undefined : id
}

/** Returns a parameter of the URL at which an event happened. */
export const parameterOf = (url: string | undefined, name: string): string | undefined =>
  url === undefined ? undefined : (URL.parse(url)?.searchParams.get(name) ?? undefined)

/**
 * Returns the click in Meta's format, `fb.1.<ms>.<fbclid>`: from the cookie, or from the parameter and the time of the
 * event (Meta, "fbp and fbc Parameters").
 */
export const metaClickOf = (value: string | undefined, at: number): string | undefined => {
  const id = clickIdOf('meta', value)
  if (id === undefined) return undefined
  return /^fb\.\d\.\d+\../.test(id) ? id : `fb.1.${at}.${id}`
}
