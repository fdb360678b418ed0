import { createHash } from 'node:crypto'
import { describe, expect, it, test } from 'vitest'
import { googleNormalization } from './google.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
type Kind = keyof typeof googleNormalization

/**
 * Tests of Google's UserDataFormatter, where '' stands for an exception (github.com/googleads/data-manager-java, commit
 * b15171ad, UserDataFormatterTest.java). Its `quinn-alex` is not here: "AddressInfo" of the API says 'no punctuation'.
 */
const library: readonly [Kind, string, string][] = [
  ['email', 'QuinnY@example.com', 'quinny@example.com'],
  ['email', 'QuinnY@EXAMPLE.com', 'quinny@example.com'],
  ['email', 'user.name+NYC@Example.com', 'user.name+nyc@example.com'],
  ['email', '@example.com', ''],
  ['email', 'quinn', ''],
  ['email', 'jefferson.Loves.hiking@gmail.com', 'jeffersonloveshiking@gmail.com'],
  ['email', 'j.e.f..ferson.Loves.hiking@gmail.com', 'jeffersonloveshiking@gmail.com'],
  ['email', 'jefferson.Loves.hiking@googlemail.com', 'jeffersonloveshiking@googlemail.com'],
  ['email', 'j.e.f..ferson.Loves.hiking@googlemail.com', 'jeffersonloveshiking@googlemail.com'],
  ['email', 'Cloudy.SanFrancisco+shopping@gmail.com', 'cloudysanfrancisco@gmail.com'],
  ['email', 'Cloudy.SanFrancisco+shopping@googlemail.com', 'cloudysanfrancisco@googlemail.com'],
  ['phone', '1 800 555 0100', '+18005550100'],
  ['phone', '18005550100', '+18005550100'],
  ['phone', '+1 800-555-0100', '+18005550100'],
  ['phone', '441134960987', '+441134960987'],
  ['phone', '+441134960987', '+441134960987'],
  ['phone', '+44-113-496-0987', '+441134960987'],
  ['phone', '+abc-DEF', ''],
  ['phone', '++++', ''],
  ['givenName', ' Alex   ', 'alex'],
  ['givenName', ' Mr. Alex   ', 'alex'],
  ['givenName', ' Mrs. Alex   ', 'alex'],
  ['givenName', ' Dr. Alex   ', 'alex'],
  ['givenName', ' Alex Dr.', 'alex'],
  ['givenName', ' Mralex   ', 'mralex'],
  ['givenName', ' ', ''],
  ['givenName', ' Mr. ', ''],
  ['familyName', ' Quinn   ', 'quinn'],
  ['familyName', ' Quinn, Jr.   ', 'quinn'],
  ['familyName', ' Quinn,Jr.   ', 'quinn'],
  ['familyName', ' Quinn Sr.  ', 'quinn'],
  ['familyName', 'quinn, jr. dds', 'quinn'],
  ['familyName', 'quinn, jr., dds', 'quinn'],
  ['familyName', 'Boardds', 'boardds'],
  ['familyName', 'lacparm', 'lacparm'],
  ['familyName', ' ', ''],
  ['familyName', ', Jr. ', ''],
  ['familyName', ',Jr.,DDS ', ''],
  ['region', 'us', 'US'],
  ['region', 'us  ', 'US'],
  ['region', '  us  ', 'US'],
  ['region', '', ''],
  ['region', 'u', ''],
  ['postalCode', ' 94045  ', '94045'],
  ['postalCode', '  1229-076  ', '1229-076'],
  ['postalCode', '  ', ''],
]

/** Hashes of the same file, in lower case as the API takes them, too. */
const hashes: readonly [Kind, string, string][] = [
  ['email', '  ALEXZ@example.com   ', '509e933019bb285a134a9334b8bb679dff79d0ce023d529af4bd744d47b4fd8a'],
  ['phone', '   +1-800-555-0100', 'fb4f73a6ec5fdb7077d564cdd22c3554b43ce49168550c3b12c547b78c517b30'],
  ['familyName', '  GivenName  ', '128a07bfe2df877c52076e60d7774cf5baaa046c5a6c48daf30ff43ecca2f814'],
  ['familyName', '  FamilyName ', '77762c287e61ce065bee5c15464012c6fbe088398b8057627d5577249430d574'],
]

/** Further inputs as people and programs write them. */
const written: readonly [Kind, string, string][] = [
  ['email', 'a d a @ example.com', 'ada@example.com'],
  ['email', '...+x@gmail.com', ''],
  ['email', 'ada@example', ''],
  ['givenName', 'Mrs Ada', 'ada'],
  ['givenName', 'MS. ADA', 'ada'],
  ['givenName', 'Dr', 'dr'],
  ['givenName', 'Drew', 'drew'],
  ['givenName', 'Zoë', 'zoë'],
  ['givenName', '明', '明'],
  ['givenName', 'محمد', 'محمد'],
  ['givenName', 'Mary Jane', 'mary jane'],
  ['givenName', 'D’Arcy 😀', 'darcy'],
  ['givenName', '—', ''],
  ['familyName', ' O’Neil ', 'oneil'],
  ['familyName', 'King Jr', 'king'],
  ['familyName', 'Smith, MD', 'smith'],
  ['familyName', 'Windsor III', 'windsor'],
  ['familyName', 'Иванов', 'иванов'],
  ['familyName', 'Jr', 'jr'],
  ['region', 'United States', 'US'],
  ['region', 'Deutschland', 'DE'],
  ['region', 'u2', ''],
  ['phone', '(800) 555-0100', ''],
]

describe('personal data for Google', () => {
  test.each([...library, ...written])('%s: %j is compared as %j', (kind, given, wanted) => {
    expect(googleNormalization[kind](given)).toBe(wanted)
  })
  test.each(hashes)("%s: %j has the hash of Google's tests", (kind, given, hash) => {
    expect(sha256(googleNormalization[kind](given))).toBe(hash)
  })
  it('a phone number in national form is completed by the country ("Format user data")', () => {
    expect(sha256(googleNormalization.phone('(800) 555-0100', 'US'))).toBe(
      'fb4f73a6ec5fdb7077d564cdd22c3554b43ce49168550c3b12c547b78c517b30',
    )
  })
})
