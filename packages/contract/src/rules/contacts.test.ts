import { describe, expect, test } from 'vitest'
import { emailOf, phoneOf, readPhone } from './contacts.ts'

describe('a phone number as people write it', () => {
  test.each([
    ['+44 (0)20 7946 0958', '+442079460958'],
    ['+44(0) 20-7946.0958', '+442079460958'],
    ['0044 (0)20 7946 0958', '+442079460958'],
    ['+49 [0]30 1234567', '+49301234567'],
    ['(+44) 20 7946 0958', '+442079460958'],
    ['+(44) 20 7946 0958', '+442079460958'],
    ['+39 (0)6 1234 5678', '+390612345678'],
    ['+44 20 7946 0958 ext. 9', '+442079460958'],
    ['+7 495 123-45-67 доб. 12', '+74951234567'],
    ['+48 22 123 45 67 wew. 305', '+48221234567'],
    ['+442079460958x123', '+442079460958'],
    ['+44 20 7946 0958 X 123', '+442079460958'],
    ['+44 20 7946 0958 (Extension 12)', '+442079460958'],
    ['+44 20 7946 0958 #12', '+442079460958'],
    ['+44 20 7946 0958,,12#', '+442079460958'],
    ['tel:+44-20-7946-0958;ext=12', '+442079460958'],
    ['+49 30 1234567 Durchwahl 3', '+49301234567'],
    ['Tel.: +44 20 7946 0958', '+442079460958'],
    ['+44 20 7946 0958 (work)', '+442079460958'],
    ['+49 30/1234567', '+49301234567'],
    ['+49 2241/123456', '+492241123456'],
    ['＋４４ 20 7946 0958', '+442079460958'],
    ['+44\u00a020\u20137946\u20110958', '+442079460958'],
    ['1 (650)555-1212', '+16505551212'],
    ['442079460958', '+442079460958'],
    ['44 (0)20 7946 0958', '+442079460958'],
    ['49 (0) 30/1234567', '+49301234567'],
    ['39 (0)6 1234 5678', '+390612345678'],
    ['tel:44(0)2079460958', '+442079460958'],
    ['442079460958.0', '+442079460958'],
  ])('the phone number %j is read as %s', (written, number) => {
    expect(phoneOf(written)).toBe(number)
  })

  test.each([
    ['+442079460958 / +442079460959', 'more than one'],
    ['+442079460958, +442079460959', 'more than one'],
    ['+442079460958; 2079460959', 'more than one'],
    ['+442079460958 or 2079460959', 'more than one'],
    ['+44 20 7946 0958/59', 'more than one'],
    ['+298 123456 / 654321', 'more than one'],
    ['0044 20 7946 0958 0044 20 7946 0959', 'more than one'],
    ['+442079460958\n+442079460959', 'more than one'],
    ['020 7946 0958', 'without a country code'],
    ['(650) 555-1212', 'without a country code'],
    ['(0)20 7946 0958', 'without a country code'],
    ['2079460958 ext. 12', 'without a country code'],
    ['+442079460958 p9', 'no known extension'],
    ['+442079460958 (flat 12)', 'no known extension'],
    ['02079460958', 'without a country code'],
    ['', 'not a phone number'],
    ['none', 'not a phone number'],
    ['+0 20 7946 0958', 'not a phone number'],
    ['+44 20', 'not a phone number'],
    ['4.42079E+11', 'not a phone number'],
    ['1'.repeat(501), 'not a phone number'],
    ['12345678901234567', 'more than one'],
  ])('the phone number %j is refused with a readable message', (written, words) => {
    expect(readPhone(written)).toMatchObject({ problem: expect.stringContaining(words) })
  })
})

describe('an email address as people write it', () => {
  test.each([
    ['"Ada" <ada@x.test>', 'ada@x.test'],
    ['Ada Lovelace <Ada@X.test>', 'ada@x.test'],
    ['"Lovelace, Ada" <ada@x.test>', 'ada@x.test'],
    ['Lovelace, Ada <ada@x.test>', 'ada@x.test'],
    ['"ada@x.test" <ada@x.test>', 'ada@x.test'],
    ['<ada@x.test>', 'ada@x.test'],
    ['mailto:ada@x.test', 'ada@x.test'],
    ['MAILTO:ada@x.test?subject=a@b.test', 'ada@x.test'],
    ['mailto:ada%2Bnews%40x.test', 'ada+news@x.test'],
    ['Ada <mailto:ada@x.test>', 'ada@x.test'],
    ['ada@x.test (Ada)', 'ada@x.test'],
    [' ada.l+b@mail.x.test\n', 'ada.l+b@mail.x.test'],
    ['"ada@x.test"', 'ada@x.test'],
    ["'Ada@x.test' ", 'ada@x.test'],
    ['" ada@x.test "', 'ada@x.test'],
    ['ada@x.test\u200b', 'ada@x.test'],
    ['\ufeff\u2060ada@x.test', 'ada@x.test'],
    ["o'neil@x.test", "o'neil@x.test"],
    ['"ada"@x.test', '"ada"@x.test'],
    ['мария@почта.рф', 'мария@почта.рф'],
  ])('the email address %j is read as %s', (written, address) => {
    expect(emailOf(written)).toBe(address)
  })

  test.each([
    '',
    'ada',
    'ada@x',
    '@x.test',
    'ada@',
    'ada@x.',
    'ada@.test',
    'a b@x.test',
    'ada@x.test, bob@x.test',
    'Ada <ada@x.test>, Bob <bob@x.test>',
    'bob@x.test, Ada <ada@x.test>',
    'ada@x.test;',
    'mailto:',
    '<>',
    'a@b@x.test',
    'ada>@x.test',
    'mailto:%@x',
    '"',
    '""',
    "'",
    `${'a'.repeat(500)}@x.test`,
  ])('the text %j contains no email address', (written) => {
    expect(emailOf(written)).toBeUndefined()
  })
})
