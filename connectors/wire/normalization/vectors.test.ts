import { createHash } from 'node:crypto'
import { personalHashes } from '@tributary/connector-kit'
import { describe, expect, it } from 'vitest'
import { uploadConversion } from '../../destinations/google-ads/actions/upload-conversion.ts'
import { sendConversion } from '../../destinations/tiktok-events/actions/send-conversion.ts'
import { googleNormalization } from './google.ts'
import * as google from './testing-google-vectors.ts'
import * as tiktok from './testing-tiktok-vectors.ts'
import { tiktokNormalization } from './tiktok.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const tables: readonly [string, (text: string) => string, readonly [string, string][]][] = [
  ['email for Google', googleNormalization.email, google.emailVectors],
  ['phone for Google', googleNormalization.phone, google.phoneVectors],
  ['first name for Google', googleNormalization.givenName, google.givenNameVectors],
  ['last name for Google', googleNormalization.familyName, google.familyNameVectors],
  ['country for Google', googleNormalization.region, google.regionVectors],
  ['postal code for Google', googleNormalization.postalCode, google.postalCodeVectors],
  ['email for TikTok', tiktokNormalization.email, tiktok.emailVectors],
  ['phone for TikTok', tiktokNormalization.phone, tiktok.phoneVectors],
  ['name for TikTok', tiktokNormalization.name, tiktok.nameVectors],
  ['external ID for TikTok', tiktokNormalization.id, tiktok.idVectors],
  ['postal code for TikTok', tiktokNormalization.zip, tiktok.zipVectors],
  ['place for TikTok', tiktokNormalization.place, tiktok.placeVectors],
]

describe.each(tables)('the normalization of %s', (_, normalized, vectors) => {
  it.each(vectors)('compares %j as %j', (given, wanted) => {
    expect(normalized(given)).toBe(wanted)
  })

  it('has 30 vectors or more, each input once', () => {
    expect(vectors.length).toBeGreaterThanOrEqual(30)
    expect(new Set(vectors.map(([given]) => given)).size).toBe(vectors.length)
  })

  it('is stable, and bounded for long texts', () => {
    for (const [, wanted] of vectors) if (wanted !== '') expect(normalized(wanted)).toBe(wanted)
    const started = performance.now()
    for (const piece of ['a', 'a ', '.', '@', '1', '+', 'é', '😀', ' ', ',', 'jr. ']) normalized(piece.repeat(100_000))
    expect(performance.now() - started).toBeLessThan(5000)
  })
})

/** The fields of personal data by platform. Values of other types than text and number are not sent. */
const hashed = [uploadConversion, sendConversion].flatMap(({ targets }) =>
  targets.flatMap((target) => (target.pii === undefined ? [] : [{ ...target, pii: target.pii }])),
)

describe('values of other types', () => {
  it.each([
    null,
    undefined,
    true,
    false,
    {},
    { email: 'ada@example.com' },
    [],
    [null],
    [[]],
    [{}],
    '',
    ' ',
    '[]',
    '[""]',
  ])('of %j nothing is hashed', (value) => {
    for (const target of hashed) expect([target.name, personalHashes(target, value)]).toEqual([target.name, []])
  })

  it.each([
    ['email', ['none', 'ada@example.com'], 'ada@example.com'],
    ['email', '["none","ada@example.com"]', 'ada@example.com'],
    ['phone', 18_005_550_100, '+18005550100'],
    ['phone', [null, '+1 800 555 0100', 5], '+18005550100'],
  ])('of %s, %j is sent by its first value that can be matched', (name, value, wanted) => {
    for (const target of hashed.filter((each) => each.name === name))
      expect(personalHashes(target, value)).toEqual([sha256(wanted)])
  })

  it('of a list of 1,000 addresses, as many are sent as the platform takes', () => {
    const list = Array.from({ length: 1000 }, (_, at) => `ada${at}@example.com`)
    const counts = hashed.filter(({ name }) => name === 'email').map((target) => personalHashes(target, list).length)
    expect(counts).toEqual([5, 10])
  })
})
