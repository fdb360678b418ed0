/**
 * Cookies of the tag: the visitor's IDs and the stored clicks. Names and values of `_fbp` and `_fbc` follow Meta's
 * documentation.
 */
export const cookieNames = {
  anonymousId: 'trb_aid',
  userId: 'trb_uid',
  clicks: 'trb_clicks',
  /** A cookie that ends with the browser session. While it exists, the other cookies need no renewal. */
  session: 'trb_s',
  fbp: '_fbp',
  fbc: '_fbc',
} as const

/** The value of a cookie of the page; '' if it is not set. */
export const cookie = (name: string): string => {
  for (const part of document.cookie.split(/; */)) {
    const equals = part.indexOf('=')
    if (part.slice(0, equals) === name) return part.slice(equals + 1)
  }
  return ''
}

/**
 * Returns the domain that a page and a server share: `example.com` for `www.example.com` and `events.example.com`.
 * Undefined if they share only a top-level domain such as `com`. For an ending such as `co.uk`, browsers accept no
 * cookie.
 */
export const sharedDomain = (page: string, server: string): string | undefined => {
  if (page === server) return page
  if (/^[\d.]+$|:/.test(page)) return undefined
  const ours = page.split('.').reverse()
  const theirs = server.split('.').reverse()
  let count = 0
  while (count < ours.length && ours[count] === theirs[count]) count++
  return count > 1 ? ours.slice(0, count).reverse().join('.') : undefined
}

const write = (name: string, value: string, age: string, domain: string): void => {
  const secure = location.protocol === 'https:' ? ';secure' : ''
  document.cookie = `${name}=${value};path=/;samesite=lax${age}${domain === '' ? '' : `;domain=${domain}`}${secure}`
}

/** Returns the domains for which this page can set a cookie, widest first; '' is the host itself. */
const domains = (): string[] => {
  const labels = /^[\d.]+$|:/.test(location.hostname) ? [] : location.hostname.split('.')
  return [...labels.slice(0, -1).map((_, index) => labels.slice(labels.length - 2 - index).join('.')), '']
}

/**
 * Sets a cookie by script, for the widest domain that the browser allows. Browsers keep such a cookie for less time
 * than one that a server sets.
 */
export const writeCookie = (name: string, value: string): void => {
  const age = name === cookieNames.session ? '' : `;max-age=${90 * 86_400}`
  for (const domain of domains()) {
    write(name, value, age, domain)
    if (cookie(name) === value) return
  }
}

/** Removes a cookie from each domain for which it can be set. */
export const removeCookie = (name: string): void => {
  for (const domain of domains()) write(name, '', ';expires=Thu, 01 Jan 1970 00:00:00 GMT', domain)
}
