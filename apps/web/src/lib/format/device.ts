const browsers: readonly [RegExp, string][] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\bHeadlessChrome\//, 'Headless Chrome'],
  [/\b(Chrome|CriOS)\//, 'Chrome'],
]

const systems: readonly [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

const isSafari = (userAgent: string): boolean => {
  const version = userAgent.search(/\bVersion\//)
  return version >= 0 && /\bSafari\//.test(userAgent.slice(version))
}

/** Returns a readable name of a user agent: "Firefox on Windows". A program has the name that it gives itself. */
export const deviceName = (userAgent: string): string => {
  const find = (names: readonly [RegExp, string][]): string | undefined =>
    names.find(([pattern]) => pattern.test(userAgent))?.[1]
  const browser = find(browsers) ?? (isSafari(userAgent) ? 'Safari' : undefined)
  const system = find(systems)
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`
  const program = /^([\w.-]+)(\/|\s|$)/.exec(userAgent.trim())?.[1]
  return program === undefined || program === 'Mozilla' ? (system ?? 'Unknown device') : program
}
