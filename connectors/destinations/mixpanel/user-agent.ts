/** Mixpanel's own names for browser, operating system, and device of an event. */
export type UserAgentProperties = {
  readonly $browser?: string
  readonly $browser_version?: number
  readonly $os?: string
  readonly $device?: string
}

/** Maximum characters of a user agent that are read. */
const maxCharacters = 1000

/** A name, and the pattern that a user agent with this name has. */
type Named = { readonly name: string; readonly pattern: RegExp }

const blackBerry = /BlackBerry|PlayBook|BB10/i
/** Opera before version 15 has `Opera` in its user agent, and a browser's own library recognizes it by `window.opera`. */
const opera = / OPR\/|\bOpera[ /]/

/**
 * The browsers in the order in which Mixpanel's library checks them, because many user agents contain the names of
 * others (mixpanel-js 2.82.1, src/utils.js, `_.info.browser`). Its check of `navigator.vendor` for Apple is a check for
 * WebKit without Android here.
 */
const browsers: readonly (Named & { readonly not?: RegExp; readonly also?: RegExp })[] = [
  { name: 'Opera Mini', pattern: opera, also: /Mini/ },
  { name: 'Opera', pattern: opera },
  { name: 'BlackBerry', pattern: blackBerry },
  { name: 'Internet Explorer Mobile', pattern: /IEMobile|WPDesktop/ },
  { name: 'Samsung Internet', pattern: /SamsungBrowser\// },
  { name: 'Microsoft Edge', pattern: /Edge|Edg\// },
  { name: 'Facebook Mobile', pattern: /FBIOS/ },
  { name: 'Whale Browser', pattern: /Whale\// },
  { name: 'Chrome', pattern: /Chrome/ },
  { name: 'Chrome iOS', pattern: /CriOS/ },
  { name: 'UC Browser', pattern: /UCWEB|UCBrowser/ },
  { name: 'Firefox iOS', pattern: /FxiOS/ },
  { name: 'Mobile Safari', pattern: /AppleWebKit/, also: /Mobile/, not: /Android|Konqueror/ },
  { name: 'Safari', pattern: /AppleWebKit/, not: /Android|Konqueror/ },
  { name: 'Android Mobile', pattern: /Android/ },
  { name: 'Konqueror', pattern: /Konqueror/ },
  { name: 'Firefox', pattern: /Firefox/ },
  { name: 'Internet Explorer', pattern: /MSIE|Trident\// },
  { name: 'Mozilla', pattern: /Gecko/ },
]

/** What precedes the version of each browser (`_.info.browserVersion`). Mixpanel reads no version of the others. */
const versions: Readonly<Record<string, RegExp>> = {
  'Internet Explorer Mobile': /rv:(\d{1,9}(?:\.\d{1,9})?)/,
  'Microsoft Edge': /Edge?\/(\d{1,9}(?:\.\d{1,9})?)/,
  Chrome: /Chrome\/(\d{1,9}(?:\.\d{1,9})?)/,
  'Chrome iOS': /CriOS\/(\d{1,9}(?:\.\d{1,9})?)/,
  'UC Browser': /(?:UCBrowser|UCWEB)\/(\d{1,9}(?:\.\d{1,9})?)/,
  Safari: /Version\/(\d{1,9}(?:\.\d{1,9})?)/,
  'Mobile Safari': /Version\/(\d{1,9}(?:\.\d{1,9})?)/,
  Opera: /(?:Opera|OPR)\/(\d{1,9}(?:\.\d{1,9})?)/,
  Firefox: /Firefox\/(\d{1,9}(?:\.\d{1,9})?)/,
  'Firefox iOS': /FxiOS\/(\d{1,9}(?:\.\d{1,9})?)/,
  BlackBerry: /BlackBerry (\d{1,9}(?:\.\d{1,9})?)/,
  'Samsung Internet': /SamsungBrowser\/(\d{1,9}(?:\.\d{1,9})?)/,
  'Internet Explorer': /(?:rv:|MSIE )(\d{1,9}(?:\.\d{1,9})?)/,
  Mozilla: /rv:(\d{1,9}(?:\.\d{1,9})?)/,
  'Whale Browser': /Whale\/(\d{1,9}(?:\.\d{1,9})?)/,
}

/** The operating systems in Mixpanel's order (`_.info.os`). */
const systems: readonly Named[] = [
  { name: 'Windows Phone', pattern: /Windows Phone|WPDesktop/ },
  { name: 'Windows', pattern: /Windows/i },
  { name: 'iOS', pattern: /iPhone|iPad|iPod/ },
  { name: 'Android', pattern: /Android/ },
  { name: 'BlackBerry', pattern: blackBerry },
  { name: 'Mac OS X', pattern: /Mac/i },
  { name: 'Linux', pattern: /Linux/ },
  { name: 'Chrome OS', pattern: /CrOS/ },
]

/** The devices in Mixpanel's order (`_.info.device`); computers have no name. */
const devices: readonly Named[] = [
  { name: 'Windows Phone', pattern: /Windows Phone|WPDesktop/i },
  { name: 'iPad', pattern: /iPad/ },
  { name: 'iPod Touch', pattern: /iPod/ },
  { name: 'iPhone', pattern: /iPhone/ },
  { name: 'BlackBerry', pattern: blackBerry },
  { name: 'Android', pattern: /Android/ },
]

const nameOf = (names: readonly Named[], text: string): string | undefined =>
  names.find(({ pattern }) => pattern.test(text))?.name

/**
 * Returns browser, operating system, and device of a user agent under Mixpanel's names, as its own library does in a
 * browser. Unknown parts are absent.
 */
export const userAgentProperties = (userAgent: string): UserAgentProperties => {
  const text = userAgent.slice(0, maxCharacters)
  const $browser = browsers.find(
    ({ pattern, also, not }) => pattern.test(text) && also?.test(text) !== false && not?.test(text) !== true,
  )?.name
  const version = $browser === undefined ? undefined : versions[$browser]?.exec(text)?.[1]
  const $os = nameOf(systems, text)
  const $device = nameOf(devices, text)
  return {
    ...($browser === undefined ? {} : { $browser }),
    ...(version === undefined ? {} : { $browser_version: Number(version) }),
    ...($os === undefined ? {} : { $os }),
    ...($device === undefined ? {} : { $device }),
  }
}
