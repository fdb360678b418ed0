import { internationalPhone } from './phones.ts'
import { addressOf, plainName, withoutSpaces } from './texts.ts'

/**
 * Normalization by TikTok's rules: "Event payload" of the Events API
 * (business-api.tiktok.com/portal/docs?id=1771100779668482), and the template of TikTok's tag for servers
 * (github.com/tiktok/gtm-template-eapi).
 */
export const tiktokNormalization = {
  email: addressOf,
  phone: internationalPhone,
  name: plainName,
  zip: (text: string): string => withoutSpaces(text.toLowerCase()).replaceAll('-', ''),
  id: (text: string): string => text.trim().toLowerCase(),
  /**
   * A city, a state, or a country, which is sent unhashed. Segment does the same for Latin letters (action-destinations,
   * `tiktok-conversions/reportWebEvent/formatter.ts`, `formatAddress`).
   */
  place: (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}]/gu, ''),
}
