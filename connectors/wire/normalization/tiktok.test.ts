import { describe, expect, test } from 'vitest'
import { tiktokNormalization } from './tiktok.ts'

/**
 * "Event payload" of the Events API (business-api.tiktok.com/portal/docs?id=1771100779668482, page not seen) asks for
 * lower case, and for E.164 with its plus sign. TikTok's template for servers trims and lowers email and phone
 * (github.com/tiktok/gtm-template-eapi, commit 089e34ee, template.js).
 */
const cases: readonly [keyof typeof tiktokNormalization, string, string][] = [
  ['email', ' Alice@Example.com ', 'alice@example.com'],
  ['email', 'alice@example', ''],
  ['email', 'alice at example.com', ''],
  ['email', 'alice@example..com', ''],
  ['email', '["alice@example.com"', ''],
  ['email', 'alice@-example.com', ''],
  ['email', 'алиса@пример.рф', 'алиса@пример.рф'],
  ['phone', '+1 650 555 1234', '+16505551234'],
  ['phone', '16505551234', '+16505551234'],
  ['phone', '030 1234567', ''],
  ['phone', 'none', ''],
  ['id', ' User-17 ', 'user-17'],
  ['id', 'ÜBER-9', 'über-9'],
  ['name', ' Zoë ', 'zoë'],
  ['name', '—', ''],
  ['name', '李', '李'],
  ['zip', '94035-1234', '940351234'],
  ['zip', 'M1 1AE', 'm11ae'],
]

describe('personal data for TikTok', () => {
  test.each(cases)('%s: %j is compared as %j', (kind, given, wanted) => {
    expect(tiktokNormalization[kind](given)).toBe(wanted)
  })
})
