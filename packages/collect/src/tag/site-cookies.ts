const day = 86_400
/** What browsers keep at most, however long a server asks for. */
const longest = 400 * day
/** Meta: "_fbc and _fbp" are kept for 90 days. */
const metaDays = 90 * day

/** A value as `encodeURIComponent` writes it, with marks between several of them. */
const encoded = (length: number): RegExp => new RegExp(`^[\\w.~!*'()%:|-]{1,${length}}$`)

/** Cookies that the tag may ask for: what their values look like, and how long they are kept in seconds; none ends with the browser. */
const known: Readonly<Record<string, { value: RegExp; seconds?: number }>> = {
  trb_aid: { value: /^[0-9a-f-]{36}$/, seconds: longest },
  trb_uid: { value: encoded(600), seconds: longest },
  trb_clicks: { value: encoded(3500), seconds: longest },
  trb_s: { value: /^1$/ },
  // Meta, "fbp and fbc Parameters": version, index of the domain, time in ms, and a number or the click ID.
  _fbp: { value: /^fb\.\d\.\d{10,16}\.\d{1,20}$/, seconds: metaDays },
  _fbc: { value: /^fb\.\d\.\d{10,16}\.[\w.~-]{1,500}$/, seconds: metaDays },
}

/**
 * For which domain a server's cookie counts as the site's own: the host itself, or what page and server have in common, such as
 * `example.com` of `www.example.com` and `events.example.com`. Undefined for the page of another site: it would be the cookie of a
 * third party. Of an ending such as `co.uk`, which sites share, browsers take no cookie.
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
 * Lines of Set-Cookie for what the tag of a page asks for. Names and values that are none of the tag's are left out. Scripts may read
 * them, since the tag puts them into events; a request from another site sends none of them.
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
