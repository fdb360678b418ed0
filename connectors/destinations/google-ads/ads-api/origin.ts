/** The origin of the Google Ads API (developers.google.com/google-ads/api/rest/overview). */
export const adsApiOrigin = 'https://googleads.googleapis.com'
export const adsApiScope = 'https://www.googleapis.com/auth/adwords'
