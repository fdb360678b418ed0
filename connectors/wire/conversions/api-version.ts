/** A version of a platform's API, and the first day without it; undefined if none is announced. */
export type ApiVersion = { platform: string; version: string; until: string | undefined; page: string }

/** The API versions in use; no other file names them. */
export const apiVersions = {
  meta: {
    platform: 'Meta',
    version: 'v25.0',
    until: '2028-07-29',
    page: 'https://developers.facebook.com/docs/graph-api/changelog/versions',
  },
  tiktok: {
    platform: 'TikTok',
    version: 'v1.3',
    until: undefined,
    page: 'https://business-api.tiktok.com/portal/docs?id=1740029169927169',
  },
  google: {
    platform: 'Google',
    version: 'v1',
    until: undefined,
    page: 'https://developers.google.com/data-manager/api/release-notes',
  },
  // Google has announced the month only: "More frequent releases" of 2025-09-04.
  googleAds: {
    platform: 'Google Ads',
    version: 'v25',
    until: '2027-08-01',
    page: 'https://developers.google.com/google-ads/api/docs/sunset-dates',
  },
} as const satisfies Record<string, ApiVersion>

/** Time before the end of a version from which a notice is shown, in ms. */
const noticeMs = 120 * 24 * 60 * 60_000

const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' })

/** Returns the notice about a version that ends soon, as a text that follows a sentence; '' before that time. */
export const endOf = ({ platform, version, until }: ApiVersion, now: number): string => {
  if (until === undefined || Date.parse(until) - now > noticeMs) return ''
  return ` ${platform} ends ${version} of its API on ${day.format(new Date(until))}: update Tributary before.`
}

/** A version as users see it, with the notice that it ends soon. */
export const shownVersion = (api: ApiVersion) => ({
  version: api.version,
  until: api.until,
  notice: (now: number): string => endOf(api, now).trim(),
})
