import { describe, expect, test } from 'vitest'
import { charsetOf, formParams, utf8Of } from './charset.ts'

test.each([
  [undefined, undefined],
  ['application/json', undefined],
  ['application/json; charset=ISO-8859-1', 'iso-8859-1'],
  ['text/plain;charset="Shift_JIS" ; q=1', 'shift_jis'],
  ["text/plain; boundary=x; Charset = 'koi8-r'", 'koi8-r'],
  ['text/plain; charset=', undefined],
  ['text/plain; charset=utf-8; charset=latin1', 'utf-8'],
])('the charset of the Content-Type %s is %s', (contentType, charset) => {
  expect(charsetOf(contentType)).toBe(charset)
})

const bytes = (...parts: (number | string)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from([part]))))

describe('bytes are decoded by the named charset', () => {
  test.each<[string | undefined, Buffer, string]>([
    [undefined, Buffer.from('"José 日本 🙂"'), '"José 日本 🙂"'],
    [undefined, Buffer.from('\ufeff{}'), '{}'],
    ['iso-8859-1', bytes('Jos\xe9 \x80'), 'José €'],
    ['windows-1251', bytes(0xcf, 0xf0, 0xe8), 'При'],
    ['shift_jis', bytes(0x93, 0xfa, 0x96, 0x7b), '日本'],
    ['gb18030', bytes(0xc4, 0xe3), '你'],
    ['euc-kr', bytes(0xc7, 0xd1), '한'],
    ['utf-16le', Buffer.from('{"a":"é"}', 'utf16le'), '{"a":"é"}'],
    ['utf-16be', Buffer.from('{"a":"é"}', 'utf16le').swap16(), '{"a":"é"}'],
    [undefined, Buffer.from('\ufeff{"a":"日"}', 'utf16le'), '{"a":"日"}'],
    ['iso-8859-1', Buffer.from('\ufeff日本'), '日本'],
    ['utf-16', Buffer.from('{"a":"é"}'), '{"a":"é"}'],
    ['nonsense', Buffer.from('é'), 'é'],
    ['UTF8'.toLowerCase(), Buffer.from('é'), 'é'],
  ])('bytes in %s, %j, are decoded to %s', (charset, given, text) => {
    expect(utf8Of(given, charset).toString()).toBe(text)
  })

  test.each<[string | undefined, Buffer, string]>([
    [undefined, bytes('Jos\xe9'), 'wrong-bytes'],
    ['utf-8', bytes('Jos\xe9'), 'wrong-bytes'],
    ['unicode-1-1-utf-8', bytes('Jos\xe9'), 'wrong-bytes'],
    [undefined, bytes(0xc0, 0xaf), 'wrong-bytes'],
    [undefined, bytes(0xed, 0xa0, 0x80), 'wrong-bytes'],
    [undefined, bytes(0xf4, 0x90, 0x80, 0x80), 'wrong-bytes'],
    [undefined, Buffer.from('é').subarray(0, 1), 'wrong-bytes'],
    ['shift_jis', bytes(0x93), 'wrong-bytes'],
    ['utf-16le', Buffer.concat([Buffer.from('a', 'utf16le'), bytes(0x00, 0xd8)]), 'wrong-bytes'],
    ['nonsense', bytes('Jos\xe9'), 'unknown-charset'],
    ['hz-gb-2312', bytes('Jos\xe9'), 'unknown-charset'],
  ])('bytes in %s, %j, are refused: %s', (charset, given, fault) => {
    expect(utf8Of(given, charset)).toBe(fault)
  })

  test('bytes in UTF-8 are not copied', () => {
    const given = Buffer.from('é')
    expect(utf8Of(given, undefined)).toBe(given)
  })
})

describe('parameters are decoded by the named charset', () => {
  const entries = (text: string, charset?: string): unknown => {
    const params = formParams(text, charset)
    return typeof params === 'string' ? params : [...params]
  }
  test.each<[string, string | undefined, unknown]>([
    [
      'name=Jos%C3%A9&a+b=1%2B1&100%=%zz',
      undefined,
      [
        ['name', 'José'],
        ['a b', '1+1'],
        ['100%', '%zz'],
      ],
    ],
    ['name=Jos%E9', 'iso-8859-1', [['name', 'José']]],
    ['na%E9me=%CF%F0%E8', 'windows-1251', [['naйme', 'При']]],
    [
      '_charset_=Shift_JIS&name=%93%FA%96%7B',
      undefined,
      [
        ['_charset_', 'Shift_JIS'],
        ['name', '日本'],
      ],
    ],
    ['name=Jos%E9', undefined, 'wrong-bytes'],
    ['n%FFm=1', undefined, 'wrong-bytes'],
    ['name=%C3', 'utf-8', 'wrong-bytes'],
    ['_charset_=&name=%ED%A0%80', undefined, 'wrong-bytes'],
    ['name=Jos%E9', 'nonsense', 'unknown-charset'],
    ['', undefined, []],
  ])('the parameters %s are decoded with %s', (text, charset, expected) => {
    expect(entries(text, charset)).toEqual(expected)
  })

  test.each(['a=1&&b', '=x', 'a=b=c', 'é=ü%C3%BC', '%c3%a9=+%20+&%', 'a=%C3%A9&a=%F0%9F%99%82'])(
    'UTF-8 in %s is decoded as URLSearchParams does',
    (text) => expect(entries(text)).toEqual([...new URLSearchParams(text)]),
  )
})
