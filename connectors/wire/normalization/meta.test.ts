import { createHash } from 'node:crypto'
import { describe, expect, it, test } from 'vitest'
import { metaBrowserIdOf, metaHashOf, metaNormalization } from './meta.ts'
import { metaVectors } from './testing-meta-vectors.ts'
import { vectorsOf } from './vectors.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
type Kind = keyof typeof metaNormalization

/**
 * Examples of "Customer Information Parameters", with the hashes of the page
 * (developers.facebook.com/docs/marketing-api/conversions-api/parameters/customer-information-parameters).
 */
const page: readonly [Kind, string, string, string?][] = [
  [
    'email',
    'John_Smith@gmail.com',
    'john_smith@gmail.com',
    '62a14e44f765419d10fea99367361a727c12365e2520f32218d505ed9aa0f62f',
  ],
  ['phone', '1 (650)555-1212', '16505551212', 'e323ec626319ca94ee8bff2e4c87cf613be6ea19919ed1364124e16807ab3176'],
  ['name', 'Mary', 'mary', '6915771be1c5aa0c886870b6951b03d7eafc121fea0e80a5ea83beb7c449f4ec'],
  ['name', '정', '정', '8fa8cd9c440be61d0151429310034083132b35975c4bea67fdd74158eb51db14'],
  ['name', 'Valéry', 'valéry', '08e1996b5dd49e62a4b4c010d44e4345592a863bb9f8e3976219bac29417149c'],
  ['birthday', '2/16/1997', '19970216', '01acdbf6ec7b4f478a225f1a246e5d6767eeab1a7ffa17f025265b5b94f40f0c'],
  ['country', 'United States', 'us', '79adb2a2fce5c6ba215fe5f27f532d4e7edbac4b6a5e09e1ef3a08084a904621'],
  ['city', 'New York', 'newyork'],
  ['state', 'CA', 'ca'],
  ['zip', '94035-1234', '94035'],
  ['zip', 'M1 1AE', 'm11ae'],
]

/** Inputs for which Meta's page decides, and its library does something else, which the comment names. */
const decidedByPage: readonly [Kind, string, string][] = [
  // "Using special characters, the text must be encoded in UTF-8": the library removes them.
  ['city', 'São Paulo', 'sãopaulo'],
  ['city', 'Zürich', 'zürich'],
  ['city', 'Москва', 'москва'],
  ['city', '北京', '北京'],
  ['city', 'القاهرة', 'القاهرة'],
  // Meta's Business SDK removes digits of a city.
  ['city', 'Los Angeles 90210', 'losangeles'],
  // "No punctuation": the library keeps other signs than those of ASCII.
  ['name', 'Mary–Jane', 'maryjane'],
  ['name', 'O’Neil', 'oneil'],
  // "Normalize states outside the U.S. in lowercase": the library cuts them to two letters.
  ['state', 'Bayern', 'bayern'],
  ['state', 'Île-de-France', 'îledefrance'],
  ['state', 'Baja California', 'bajacalifornia'],
  ['state', 'Maine-et-Loire', 'maineetloire'],
  ['state', '東京都', '東京都'],
  // ANSI codes that the library lacks, or cuts from the name.
  ['state', 'Washington D.C.', 'dc'],
  ['state', 'District of Columbia', 'dc'],
  ['state', 'Puerto Rico', 'pr'],
  ['state', 'Québec', 'qc'],
  ['state', 'US-CA', 'ca'],
  ['state', 'Tex.', 'tx'],
  // ISO 3166-1: the library takes two letters of any text.
  ['country', 'U.K.', 'gb'],
  ['country', 'unknown', ''],
  ['country', 'xx', ''],
  ['country', 'Ger.', ''],
  // "No spaces": the library keeps them.
  ['zip', 'SW1A 1AA', 'sw1a1aa'],
  // "To the current year": the library accepts the next year, too.
  ['birthday', '2199-01-01', ''],
]

/** Further inputs as people and programs write them, of other scripts, types, and lengths. */
const written: Readonly<Partial<Record<Kind, readonly [string, string][]>>> = {
  email: [
    ['"Ada" <ada@example.com>', 'ada@example.com'],
    ['mailto:Ada@Example.com', 'ada@example.com'],
    ['\u200bada@example.com', 'ada@example.com'],
    ['ada@example', ''],
    ['ada@localhost', ''],
    ['ada@-example.com', ''],
    ['ada@example.com, bob@example.com', ''],
    ['имя@пример.рф', ''],
    ['ada@例え.jp', ''],
    [`${'a'.repeat(4000)}@example.com`, ''],
  ],
  country: [
    ['Deutschland', 'de'],
    ['Österreich', 'at'],
    ['España', 'es'],
    ['Россия', 'ru'],
    ['日本', 'jp'],
    ['中国', 'cn'],
    ['مصر', 'eg'],
    ['ישראל', 'il'],
    ['DEU', 'de'],
    ['gbr', 'gb'],
    ['UK', 'gb'],
    ['Czechia', 'cz'],
    ['Czech Republic', 'cz'],
    ["Côte d'Ivoire", 'ci'],
    ['The Netherlands', 'nl'],
    ['Türkiye', 'tr'],
    ['Kosovo', 'xk'],
    ['n/a', ''],
    ['0', ''],
    ['x'.repeat(10_000), ''],
  ],
  state: [
    ['State of California', 'ca'],
    ['California, USA', 'ca'],
    ['New York, NY', 'ny'],
    ['Virginia Beach', 'va'],
    ['  british columbia ', 'bc'],
    ['CA-ON', 'on'],
    ['Newfoundland', 'nl'],
    ['ostrobothnia', 'ostrobothnia'],
    ['Краснодарский край', 'краснодарскийкрай'],
    ['12', ''],
  ],
  gender: [
    ['Mrs', 'f'],
    ['Miss', 'f'],
    ['Mr', 'm'],
    ['männlich', ''],
    ['weiblich', ''],
    ['masculino', ''],
    ['femenino', ''],
    ['homme', ''],
    ['женский', ''],
    ['أنثى', ''],
    ['不明', ''],
    ['♀', ''],
    ['m or f', ''],
    ['f'.repeat(1000), ''],
  ],
  birthday: [
    ['1997-02-16T08:30:00.000Z', '19970216'],
    ['19970216T083000Z', '19970216'],
    ['16.2.1997', '19970216'],
    ['02161997', '19970216'],
    ['16/02/97', ''],
    ['February 16, 1997', ''],
    ['856051200', ''],
    ['1997-13-40', ''],
    ['١٦/٢/١٩٩٧', ''],
    ['1-'.repeat(5000), ''],
  ],
  zip: [
    ['1229-076', '1229'],
    ['100-0001', '100'],
    ['〒100', '〒100'],
    ['1', ''],
    ['k1a 0b1', 'k1a0b1'],
  ],
  id: [
    ['USER456', 'user456'],
    [' Ä-17 ', 'ä-17'],
    ['客户 42', '客户42'],
    ['a b\tc', 'abc'],
  ],
  phone: [
    ['+44 (0)20 7946 0958', '442079460958'],
    ['(650)555-1212', ''],
    ['none', ''],
    ['911', ''],
    ['+1234567890123456', ''],
  ],
}

describe('personal data for Meta', () => {
  test.each(page)(
    '%s: %j is compared as %j, with the hash of the page',
    (kind, given, wanted, hash = sha256(wanted)) => {
      expect(metaNormalization[kind](given)).toBe(wanted)
      expect(sha256(metaNormalization[kind](given))).toBe(hash)
    },
  )
  test.each(decidedByPage)('%s: %j is compared as %j, as the page says', (kind, given, wanted) => {
    expect(metaNormalization[kind](given)).toBe(wanted)
  })
  it.each(Object.keys(metaVectors) as (keyof typeof metaVectors)[])(
    "%s is compared as in the tests of Meta's library",
    (kind) => {
      const vectors = vectorsOf(metaVectors[kind])
      expect(vectors.length).toBeGreaterThan(60)
      expect(vectors.map(([given]) => [given, metaNormalization[kind](given)])).toEqual(vectors)
    },
  )
  it.each(Object.entries(written) as [Kind, [string, string][]][])(
    '%s is compared as people write it',
    (kind, pairs) => {
      expect(pairs.map(([given]) => [given, metaNormalization[kind](given)])).toEqual(pairs)
    },
  )
  it('a phone number in national form is completed by the country (the example of the page)', () => {
    for (const country of ['us', 'US', 'United States', 'USA'])
      expect(sha256(metaNormalization.phone('(650)555-1212', country))).toBe(
        'e323ec626319ca94ee8bff2e4c87cf613be6ea19919ed1364124e16807ab3176',
      )
  })
})

describe("values of Meta's Parameter Builder", () => {
  const hash = '62a14e44f765419d10fea99367361a727c12365e2520f32218d505ed9aa0f62f'
  it.each(['.Bg', '.AQ', '.BA', '.AQQAAQEA'])('a hash with the appendix %s is sent unchanged', (appendix) => {
    expect(metaHashOf(`${hash}${appendix}`)).toBe(`${hash}${appendix}`)
    expect(metaHashOf(`5D41402ABC4B2A76B9719D911017C592${appendix}`)).toBe(
      `5D41402ABC4B2A76B9719D911017C592${appendix}`,
    )
  })
  it.each([hash, `${hash}.`, `${hash}.Zz`, `${hash}.AQQAAQEAA`, `${hash.slice(1)}.Bg`, `x${hash}.Bg`, 'a.b', ''])(
    '%j is no hash with an appendix',
    (text) => {
      expect(metaHashOf(text)).toBeUndefined()
    },
  )
  it('the hash of an empty text is not sent with an appendix either', () => {
    expect(metaHashOf(`${sha256('')}.Bg`)).toBe('')
  })
  it.each([
    'fb.1.1596403881668.1116446470',
    'fb.1.1596403881668.1116446470.AQYBAQEB',
    'fb.2.1596403881668.1116446470.Bg',
    ' fb.0.1596403881668.1116446470 ',
  ])('the browser ID %j is sent', (id) => {
    expect(metaBrowserIdOf(id)).toBe(id.trim())
  })
  it.each([
    'GA1.1.123.456',
    'fb.1.1596403881668',
    'fb.1.1596403881668.abc',
    'fb.1.1596403881668.1116446470.tooLongAppendix',
    'fb.1.1596403881668.1116446470.Bg.Bg',
    '',
  ])('%j is no browser ID of Meta', (id) => {
    expect(metaBrowserIdOf(id)).toBe('')
  })
})
