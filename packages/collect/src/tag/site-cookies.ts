const day = 86_400
/** Maximum that browsers keep a cookie, however long a server asks for. */
const longest = 400 * day
/** Meta: "_fbc and _fbp" are kept for 90 days. */
const metaDays = 90 * day

/**
 * Cookies that the tag may ask for: the pattern of their values, and how long they are kept in seconds. Cookies without
 * a time end with the browser. The tag's own are written by `encodeURIComponent`, with marks between several values.
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
 * The domain for which a server's cookie counts as the site's own: the host itself, or the common part of page and
 * server. For `www.example.com` and `events.example.com` it is `example.com`. Undefined for the page of another site:
 * the cookie would be of a third party. Browsers reject cookies of endings that sites share, such as `co.uk`.
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
 * Lines of Set-Cookie for the cookies that the tag of a page asks for. Unknown names and values are left out. Scripts
 * may read the cookies, since the tag puts them into events; a request from another site sends none of them.
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
