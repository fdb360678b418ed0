const day = 86_400
/** The maximum age that browsers allow for a cookie, in seconds. */
const longest = 400 * day
/** Maximum age of Meta's cookies in seconds: "_fbc and _fbp" are valid for 90 days. */
const metaDays = 90 * day

/**
 * The cookies that the tag can request: the pattern of their values, and their lifetime in seconds. Cookies without a
 * lifetime end with the browser session. The tag writes its own values with `encodeURIComponent`, with separators
 * between several values.
 */
const known: Readonly<Record<string, { value: RegExp; seconds?: number }>> = {
  trb_aid: { value: /^[0-9a-f-]{36}$/, seconds: longest },
  trb_uid: { value: /^[\w.~!*'()%:|-]{1,600}$/, seconds: longest },
  trb_clicks: { value: /^[\w.~!*'()%:|-]{1,3500}$/, seconds: longest },
  trb_s: { value: /^1$/ },
  // Meta, "fbp and fbc Parameters": version, index of the domain, time in ms, and a number or the click ID.
  _fbp: { value: /^fb\.\d\.\d{10,16}\.\d{1,20}$/, seconds: metaDays },
  _fbc: { value: /^fb\.\d\.\d{10,16}\.[\w.~-]{1,500}$/, seconds: metaDays },
}

/**
 * Returns the domain for which a server's cookie is a first-party cookie: the host itself, or the common part of the
 * hosts of page and server. For `www.example.com` and `events.example.com` the domain is `example.com`. Undefined for
 * the page of another site, because the cookie would be third-party. Browsers reject cookies for shared suffixes such
 * as `co.uk`.
 */
export const cookieDomain = (page: string, server: string): { host: true } | { domain: string } | undefined => {
  if (page === server) return { host: true }
  if (/^[\d.]+$|:/.test(page)) return undefined
  const ours = page.split('.').toReversed()
  const theirs = server.split('.').toReversed()
  const differs = ours.findIndex((label, index) => label !== theirs[index])
  const shared = differs === -1 ? ours.length : differs
  return shared > 1 ? { domain: ours.slice(0, shared).toReversed().join('.') } : undefined
}

/**
 * Returns Set-Cookie lines for the cookies that the tag requests. Unknown names and values are omitted. Scripts may
 * read the cookies, because the tag puts them into events; requests from other sites do not send them.
 */
export const siteCookies = (
  asked: Readonly<Record<string, unknown>>,
  place: { page: string; server: string; https: boolean },
): string[] => {
  const domain = cookieDomain(place.page, place.server)
  if (domain === undefined) return []
  const end = `; Path=/; SameSite=Lax${'host' in domain ? '' : `; Domain=${domain.domain}`}${place.https ? '; Secure' : ''}`
  return Object.entries(known).flatMap(([name, { value: pattern, seconds }]) => {
    const value = Object.hasOwn(asked, name) ? asked[name] : undefined
    if (typeof value !== 'string' || !pattern.test(value)) return []
    return [`${name}=${value}${seconds === undefined ? '' : `; Max-Age=${seconds}`}${end}`]
  })
}
