import { ExactNumber, parseExactJson } from '@tributary/connector-kit'
import { describe, expect, test } from 'vitest'
import { type Fit, isTime, plainDecimal, safeJson, textFor, utcTime, type Years } from './fit.ts'

const years: Years = [1900, 2299]

describe('plainDecimal', () => {
  test.each<[text: string, before: number, after: number, expected: string | undefined]>([
    ['0', 28, 10, '0'],
    ['-0', 28, 10, '0'],
    ['-0.000', 28, 10, '0'],
    ['0e9999', 28, 10, '0'],
    ['1', 28, 10, '1'],
    ['+1', 28, 10, '1'],
    ['-1', 28, 10, '-1'],
    ['007', 28, 10, '7'],
    ['.5', 28, 10, '0.5'],
    ['5.', 28, 10, '5'],
    ['-.5', 28, 10, '-0.5'],
    ['1.50', 28, 10, '1.5'],
    ['1e3', 28, 10, '1000'],
    ['1E+3', 28, 10, '1000'],
    ['1.5e-3', 28, 10, '0.0015'],
    ['12345678901234567890', 28, 10, '12345678901234567890'],
    ['9007199254740993', 28, 10, '9007199254740993'],
    ['9'.repeat(28), 28, 10, '9'.repeat(28)],
    ['9'.repeat(29), 28, 10, undefined],
    [`${'0'.repeat(1000)}1`, 28, 10, '1'],
    [`1.${'0'.repeat(1000)}`, 28, 10, '1'],
    ['1e27', 28, 10, `1${'0'.repeat(27)}`],
    ['1e28', 28, 10, undefined],
    ['1e400', 28, 10, undefined],
    ['1e9999', 28, 10, undefined],
    ['1e10000', 28, 10, undefined],
    ['1e-9999', 28, 10, undefined],
    ['1e-10', 28, 10, '0.0000000001'],
    ['1e-11', 28, 10, undefined],
    ['0.12345678901', 28, 10, '0.123456789'],
    ['0.12345678906', 28, 10, '0.1234567891'],
    ['0.01234567895', 28, 10, '0.012345679'],
    // Rounding would leave eight digits.
    ['0.00123456789', 28, 10, undefined],
    ['-1.00000000005', 28, 10, '-1.0000000001'],
    ['9.99999999995', 28, 10, '10'],
    // Rounding would make one digit too many.
    [`${'9'.repeat(28)}.99999999995`, 28, 10, undefined],
    ['1.5', 18, 0, undefined],
    ['1.0', 18, 0, '1'],
    ['1e-1', 18, 0, undefined],
    ['10e-1', 18, 0, '1'],
    ['0.5', 0, 5, '0.5'],
    ['-0.00001', 0, 5, '-0.00001'],
    ['1', 0, 5, undefined],
    ['', 28, 10, undefined],
    ['.', 28, 10, undefined],
    ['-', 28, 10, undefined],
    ['e5', 28, 10, undefined],
    ['1e', 28, 10, undefined],
    ['1e+', 28, 10, undefined],
    ['1.2.3', 28, 10, undefined],
    ['--1', 28, 10, undefined],
    ['1,5', 28, 10, undefined],
    ['1 000', 28, 10, undefined],
    ['1_000', 28, 10, undefined],
    ['0x10', 28, 10, undefined],
    ['NaN', 28, 10, undefined],
    ['Infinity', 28, 10, undefined],
    ['-Infinity', 28, 10, undefined],
    ['１２', 28, 10, undefined],
    ['١٢', 28, 10, undefined],
    ['२', 28, 10, undefined],
    ['½', 28, 10, undefined],
    ['Ⅷ', 28, 10, undefined],
    ['−1', 28, 10, undefined],
    ['1\n', 28, 10, undefined],
    ['1\0', 28, 10, undefined],
    ["1'; drop table tracks --", 28, 10, undefined],
  ])('of %j with %i digits before and %i after the point is %j', (text, before, after, expected) => {
    expect(plainDecimal(text, before, after)).toBe(expected)
  })

  /** Random numbers that are the same in each run (the generator of Park and Miller). */
  const createRandom = (seed: number) => {
    let state = seed
    return (below: number): number => {
      state = (state * 48_271) % 2_147_483_647
      return state % below
    }
  }

  /** What the rules say, by exact arithmetic. */
  const expectedOf = (mantissa: bigint, exponent: number, before: number, after: number): string | undefined => {
    if (mantissa === 0n) return '0'
    const size = mantissa < 0n ? -mantissa : mantissa
    const power = exponent + after
    const [numerator, denominator] = power >= 0 ? [size * 10n ** BigInt(power), 1n] : [size, 10n ** BigInt(-power)]
    const digitsLeft = String(size).length + exponent + after
    if (numerator % denominator !== 0n && (after === 0 || digitsLeft < 9)) return undefined
    const scaled = (2n * numerator + denominator) / (2n * denominator)
    const unit = 10n ** BigInt(after)
    const [left, right] = [scaled / unit, scaled % unit]
    if (left !== 0n && String(left).length > before) return undefined
    const decimals = right === 0n ? '' : `.${String(right).padStart(after, '0').replace(/0+$/, '')}`
    return `${mantissa < 0n ? '-' : ''}${left}${decimals}`
  }

  test('keeps the rules for 20,000 random numbers, written in different ways', () => {
    const random = createRandom(20_260_304)
    for (let round = 0; round < 20_000; round++) {
      const digits = Array.from({ length: 1 + random(random(4) === 0 ? 60 : 12) }, () => random(10)).join('')
      const exponent = random(60) - 40
      const sign = ['', '-', '+'][random(3)] ?? ''
      const [before, after] = [random(39), random(20)]
      // The same number with its point at another place.
      const place = random(digits.length + 1)
      const power = exponent + digits.length - place
      const text = `${sign}${digits.slice(0, place)}${random(2) === 0 || place === digits.length ? '' : '.'}${digits.slice(place)}`
      const written = text.includes('.') ? `${text}e${power}` : `${text}e${exponent}`
      const given = BigInt(digits) * (sign === '-' ? -1n : 1n)
      expect([written, before, after, plainDecimal(written, before, after)]).toEqual([
        written,
        before,
        after,
        expectedOf(given, exponent, before, after),
      ])
    }
  })

  test('takes a short time for a text of a million digits', () => {
    const long = '7'.repeat(1_000_000)
    expect(plainDecimal(long, 28, 10)).toBeUndefined()
    expect(plainDecimal(`0.${long}`, 28, 10)).toBe('0.7777777778')
    expect(plainDecimal(`1${'0'.repeat(1_000_000)}e-1000`, 28, 10)).toBeUndefined()
  })
})

describe('utcTime', () => {
  test.each<[text: string, expected: string | undefined]>([
    ['2026-01-02T03:04:05.678Z', '2026-01-02 03:04:05.678000'],
    ['2026-01-02T03:04:05Z', '2026-01-02 03:04:05.000000'],
    ['2026-01-02 03:04:05Z', '2026-01-02 03:04:05.000000'],
    ['2026-01-02T03:04Z', '2026-01-02 03:04:00.000000'],
    ['2026-01-02', '2026-01-02 00:00:00.000000'],
    ['2026-01-02T03:04:05.1Z', '2026-01-02 03:04:05.100000'],
    ['2026-01-02T03:04:05.123456789Z', '2026-01-02 03:04:05.123456'],
    ['2026-01-02T03:04:05.1234567891Z', undefined],
    ['2026-01-02T03:04:05+02:00', '2026-01-02 01:04:05.000000'],
    ['2026-01-02T03:04:05+0200', '2026-01-02 01:04:05.000000'],
    ['2026-01-02T03:04:05-23:59', '2026-01-03 03:03:05.000000'],
    ['2026-01-02T03:04:05+24:00', undefined],
    ['2026-01-02T03:04:05+99:99', undefined],
    ['2026-01-02T03:04:05+05:60', undefined],
    ['2024-02-29T00:00:00Z', '2024-02-29 00:00:00.000000'],
    ['2026-02-29T00:00:00Z', undefined],
    ['2026-02-30', undefined],
    ['2026-04-31T00:00:00Z', undefined],
    ['2026-00-10', undefined],
    ['2026-13-01', undefined],
    ['2026-01-00', undefined],
    ['2026-01-32', undefined],
    ['2026-01-02T23:59:59.999999Z', '2026-01-02 23:59:59.999999'],
    ['2026-01-02T24:00:00Z', undefined],
    ['2026-01-02T24:00:00.5Z', undefined],
    ['2026-01-02T25:00:00Z', undefined],
    ['2026-01-02T03:60:00Z', undefined],
    ['2026-12-31T23:59:60Z', undefined],
    ['0000-01-01T00:00:00Z', undefined],
    ['0001-01-01T00:00:00Z', undefined],
    ['1899-12-31T23:59:59Z', undefined],
    ['1900-01-01T00:00:00Z', '1900-01-01 00:00:00.000000'],
    ['1900-01-01T00:00:00+01:00', undefined],
    ['1899-12-31T23:00:00-02:00', '1900-01-01 01:00:00.000000'],
    ['2299-12-31T23:59:59.999999Z', '2299-12-31 23:59:59.999999'],
    ['2299-12-31T23:59:59-01:00', undefined],
    ['9999-12-31T00:00:00Z', undefined],
    ['12026-01-02T00:00:00Z', undefined],
    ['+002026-01-02T00:00:00Z', undefined],
    ['-000001-01-01T00:00:00Z', undefined],
    ['26-01-02', undefined],
    ['2026-1-2', undefined],
    ['2026-01-02T3:04:05Z', undefined],
    ['2026-W01-1', undefined],
    ['2026-001', undefined],
    ['20260102', undefined],
    ['01/02/2026', undefined],
    ['1767323045', undefined],
    ['1767323045678', undefined],
    ['Fri, 02 Jan 2026 03:04:05 GMT', undefined],
    ['２０２６-01-02', undefined],
    ['٢٠٢٦-٠١-٠٢', undefined],
    ['2026年01月02日', undefined],
    ['२०२६-०१-०२', undefined],
    [' 2026-01-02', undefined],
    ['2026-01-02\n', undefined],
    ['2026-01-02T03:04:05Z\0', undefined],
    ["2026-01-02'; drop table tracks --", undefined],
    ['', undefined],
    ['Z', undefined],
    [`2026-01-02T03:04:05.${'1'.repeat(100_000)}Z`, undefined],
  ])('of %j is %j', (text, expected) => {
    expect(utcTime(text, years, 'time')).toBe(expected)
    expect(utcTime(text, years, 'date')).toBe(expected?.slice(0, 10))
  })

  test('takes the year of the time in UTC, and the calendar of the warehouse', () => {
    expect(utcTime('9999-12-31T23:00:00Z', [1, 9999], 'time')).toBe('9999-12-31 23:00:00.000000')
    expect(utcTime('0001-01-01T00:00:00Z', [1, 9999], 'date')).toBe('0001-01-01')
    expect(utcTime('0099-01-01T00:00:00Z', [1, 9999], 'date')).toBe('0099-01-01')
    expect(utcTime('0000-12-31T23:59:59Z', [1, 9999], 'time')).toBeUndefined()
  })

  test('a date alone makes no column of times', () => {
    expect(isTime('2026-01-02', years)).toBe(false)
    expect(isTime('2026-01-02T03:04:05Z', years)).toBe(true)
    expect(isTime('0000-01-02T03:04:05Z', years)).toBe(false)
  })
})

const exact = (text: string): unknown => parseExactJson(text)
const number: Fit = { kind: 'number', before: 28, after: 10 }

test.each<[name: string, fit: Fit, value: unknown, expected: string | undefined]>([
  ['a text', { kind: 'text' }, 'x', 'x'],
  ['a text with NUL', { kind: 'text' }, 'a\0b', 'a�b'],
  ['half a character', { kind: 'text' }, 'a\ud800', 'a�'],
  ['a number as text', { kind: 'text' }, exact('1.50'), '1.50'],
  ['20 digits as text', { kind: 'text' }, exact('12345678901234567890'), '12345678901234567890'],
  ['a flag as text', { kind: 'text' }, true, 'true'],
  ['a list as text', { kind: 'text' }, [1, 'a'], '[1,"a"]'],
  ['a text that is too long', { kind: 'text', maxBytes: 3 }, 'ää', undefined],
  ['a text that just fits', { kind: 'text', maxBytes: 4 }, 'ää', 'ää'],
  ['20 digits', number, exact('12345678901234567890'), '12345678901234567890'],
  ['1e400', number, exact('1e400'), undefined],
  ['a number in a text', number, ' 12.5 ', '12.5'],
  ['a number in Arabic digits', number, '١٢', undefined],
  ['an empty text', number, '', undefined],
  ['a blank text', number, '   ', undefined],
  ['a flag', number, true, undefined],
  ['a list with a number', number, [1], undefined],
  ['a text like hexadecimal', number, '0x10', undefined],
  ['a long exponent', number, '1e1000', undefined],
  ['a double', { kind: 'double' }, 0.1, '0.1'],
  ['a double beyond its range', { kind: 'double' }, exact('1e400'), undefined],
  ['not a number', { kind: 'double' }, 'NaN', undefined],
  ['a flag in a text', { kind: 'boolean' }, 'true', 'true'],
  ['a flag in capitals', { kind: 'boolean' }, 'TRUE', undefined],
  ['a number as a flag', { kind: 'boolean' }, 1, undefined],
  ['a time of epoch ms', { kind: 'time' }, 1767323045678, undefined],
  ['a time in a date', { kind: 'date' }, '2026-01-02T23:00:00-05:00', '2026-01-03'],
  ['a text as JSON', { kind: 'json' }, 'x', '"x"'],
  [
    'an object with NUL and half characters',
    { kind: 'json' },
    { 'a\0': '\ud800', b: '\\u0000' },
    '{"a\\ufffd":"\\ufffd","b":"\\\\u0000"}',
  ],
  ['JSON with 20 digits', { kind: 'json' }, exact('{"a":12345678901234567890}'), '{"a":12345678901234567890}'],
  ['JSON with 1e400', { kind: 'json' }, exact('{"a":1e400}'), '{"a":"1e400"}'],
  ['JSON that is too long', { kind: 'json', maxBytes: 5 }, { a: 1 }, undefined],
])('%s fits a column as it should', (_, fit, value, expected) => {
  expect(textFor(fit, value, years)).toBe(expected)
})

test('exact numbers keep their digits in JSON at any depth', () => {
  const text = '{"a":[{"b":0.10000000000000000001}],"c":-12345678901234567890}'
  expect(safeJson(exact(text))).toBe(text)
  expect(exact('12345678901234567890')).toBeInstanceOf(ExactNumber)
})
