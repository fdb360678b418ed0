import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { normalizations } from './index.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** The name of a form, a text, its form, and the hash that the vendor shows, if it shows one. */
type Vector = readonly [string, string, string, string?]

/** Pages, specifications, and libraries of vendors by the vectors that they show. */
const sources: Readonly<Record<string, readonly Vector[]>> = {
  // The fixtures of RudderStack's transformer for Pinterest have these hashes.
  'https://github.com/rudderlabs/rudder-transformer/blob/develop/test/integrations/destinations/pinterest_tag/step/data.ts':
    [
      ['pinterest_gender', 'non-binary', 'n', '1b16b1df538ba12dc3f97edbb85caa7050d46c148134290feba80f8236c83db9'],
      ['letters', 'Kolkata', 'kolkata', '6689106ca7922c30b2fd2c175c85bc7fc2d52cc4941bdd7bb622c6cdc6284a85'],
      ['pinterest_state', 'WB', 'wb', '3b45022ab36728cdae12e709e945bba267c50ee8a91e6e4388539a8e03a3fdcd'],
      ['pinterest_zip', '700114', '700114', '1a4292e00780e18d00e76fde9850aee5344e939ba593333cd5e4b4aa2cd33b0c'],
      ['country_lower', 'IN', 'in', '582967534d0f909d196b97f9e6921342777aea87b46fa52df165389db1fb8ccf'],
    ],
  // The descriptions of the fields in Pinterest's specification, and in Segment's action for Pinterest.
  'https://github.com/pinterest/api-description/blob/main/v5/openapi.yaml': [
    ['pinterest_gender', 'Male', 'm'],
    ['pinterest_gender', 'female', 'f'],
    ['pinterest_gender', 'unknown', ''],
    ['letters', 'Menlo Park', 'menlopark'],
    ['pinterest_state', 'California', 'ca'],
    ['pinterest_state', 'Bayern', ''],
    ['pinterest_zip', '94035-1234', '94035'],
    ['pinterest_zip', 'SW1A 1AA', 'sw1a1aa'],
    ['birthday_digits', '1997-12-26', '19971226'],
  ],
  // "Manual Advanced Matching": both addresses have the same hash.
  'https://papaya-kheer-4b8a70.netlify.app/signals/conversions/reddit-pixel/manual-advanced-matching': [
    [
      'reddit_email',
      'alice@example.com',
      'alice@example.com',
      'ff8d9819fc0e12bf0d24892e45987e249a28dce836a85cad60e28eaaa8c6d976',
    ],
    [
      'reddit_email',
      'Al.ice$+Apple@Example.Com',
      'alice@example.com',
      'ff8d9819fc0e12bf0d24892e45987e249a28dce836a85cad60e28eaaa8c6d976',
    ],
    ['reddit_email', '+only@example.com', ''],
    ['reddit_email', 'no address', ''],
  ],
  // "User Data Parameters" of Snapchat.
  'https://developers.snap.com/api/marketing-api/Conversions-API/Parameters': [
    ['email', 'Person@Example.com', 'person@example.com'],
    [
      'phone_digits',
      '+44 844 412 4653',
      '448444124653',
      'dc008fda46e2e64002cf2f82a4906236282d431c4f75e5b60bfe79fc48546383',
    ],
  ],
  // The library walkerOS, with the hash of its example.
  'https://github.com/elbwalker/walkerOS/tree/main/packages/server/destinations/bing/src': [
    ['microsoft_email', '  User.Name+promo@Example.COM  ', 'username@example.com'],
    ['microsoft_email', 'a.b.c@example.com', 'abc@example.com'],
    [
      'microsoft_email',
      'user@example.com',
      'user@example.com',
      'b4c9a289323b21a01c3e940f150eb9b8c542587f1abfd8f0e1cc1ffc5e475514',
    ],
    ['microsoft_email', 'nouser', ''],
  ],
  // Segment's actions for Snapchat and Reddit.
  'https://github.com/segmentio/action-destinations/tree/main/packages/destination-actions/src/destinations': [
    ['state_letters', 'New York', 'ny'],
    ['gender_letter', 'Male', 'm'],
    ['country_lower', 'Germany', 'de'],
    ['lower_without_spaces', ' Mary Jane ', 'maryjane'],
    ['trimmed', ' testuserId1 ', 'testuserId1'],
    ['upper', 'd2cadb5f-410f', 'D2CADB5F-410F'],
  ],
}

const vectors = Object.values(sources).flatMap((all) =>
  all.map(([name, given, wanted, hash = '']) => [name, given, wanted, hash] as const),
)

describe('the forms of texts that descriptions name', () => {
  it.each(vectors)('%s writes %j as %j', (name, given, wanted, hash) => {
    const written = normalizations[name]?.(given)
    expect(written).toBe(wanted)
    if (hash !== '') expect(sha256(String(written))).toBe(hash)
  })

  it('are stable, and bounded for long texts', () => {
    for (const [name, , wanted] of vectors) if (wanted !== '') expect(normalizations[name]?.(wanted)).toBe(wanted)
    const started = performance.now()
    for (const form of Object.values(normalizations))
      for (const piece of ['a', 'a ', '.', '@', '1', '+', 'é', ' ']) form(piece.repeat(50_000))
    expect(performance.now() - started).toBeLessThan(5000)
  })
})
