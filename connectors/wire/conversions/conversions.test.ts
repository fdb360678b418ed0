import { ExactNumber } from '@tributary/connector-kit'
import { describe, expect, it } from 'vitest'
import { apiVersions, endOf } from './api-version.ts'
import { clickIdOf, metaClickOf, parameterOf } from './click-ids.ts'
import { consentOf, consentOutcome, momentOf, moneyOf } from './event-facts.ts'
import { hidingPersonal, shownMessage } from './shown.ts'

describe('value and currency', () => {
  it.each<[string, unknown, unknown, ReturnType<typeof moneyOf>]>([
    ['a number', 12.5, 'USD', { value: 12.5, currency: 'USD' }],
    ['a text with a point', ' 12.50 ', 'usd', { value: 12.5, currency: 'USD' }],
    ['a number of many digits', new ExactNumber('12.500000000000000001'), undefined, { value: 12.5 }],
    ['nothing', '', ' ', {}],
    ['null', null, null, {}],
    ['zero', 0, 'JPY', { value: 0, currency: 'JPY' }],
  ])('value and currency of %s are accepted', (_, value, currency, money) => {
    expect(moneyOf(value, currency)).toEqual(money)
  })
  it.each<[string, unknown, unknown, string]>([
    ['a value as text with a comma', '1.234,50', 'EUR', 'The value "1.234,50" is not a number. Write decimals'],
    ['words', 'a lot', 'EUR', 'The value "a lot" is not a number'],
    ['a list', [5], 'EUR', 'The value "object" is not a number'],
    ['a negative value', -5, 'EUR', 'The value is negative'],
    ['an unknown currency', 5, 'XYZ', '"XYZ" is not a currency code'],
    ['a sign as currency', 5, '€', '"€" is not a currency code'],
    ['a very long value', 'x'.repeat(500), 'EUR', `The value "${'x'.repeat(40)}…" is not a number`],
  ])('value and currency of %s are refused with a readable message', (_, value, currency, problem) => {
    expect(moneyOf(value, currency)).toMatchObject({ problem: expect.stringContaining(problem) })
  })
})

describe('the time of an event', () => {
  const now = Date.UTC(2026, 10, 25, 12)
  const at = (ms: number): string => new Date(now + ms).toISOString()
  const hours = 3_600_000
  it("the time of an event is sent within the platform's maximum age; an older event is skipped with a reason", () => {
    expect(momentOf(at(-72 * hours), now, 72 * hours)).toBe(now - 72 * hours)
    expect(momentOf(at(-72 * hours - 1), now, 72 * hours)).toEqual({ kind: 'skipped', reason: 'Older than 3 days' })
    expect(momentOf(at(-10 * hours), now, 9 * hours)).toEqual({ kind: 'skipped', reason: 'Older than 9 hours' })
  })
  it('the time of an event with a slightly fast clock becomes now, and a time further in the future is refused', () => {
    expect(momentOf(at(60_000), now, hours)).toBe(now)
    expect(momentOf(at(hours), now, hours)).toMatchObject({
      kind: 'rejected',
      reason: expect.stringContaining('future'),
    })
    expect(momentOf('soon', now, hours)).toMatchObject({ kind: 'rejected' })
  })
})

describe('consent', () => {
  it.each<[unknown, ReturnType<typeof consentOf>]>([
    [true, 'granted'],
    ['GRANTED', 'granted'],
    [1, 'granted'],
    [false, 'denied'],
    ['denied', 'denied'],
    ['perhaps', 'denied'],
    [{}, 'denied'],
    [undefined, 'none'],
    ['', 'none'],
  ])('the consent value %j is read as %s', (given, consent) => {
    expect(consentOf(given)).toBe(consent)
  })
  it('consent of the event decides, and the setting decides without it', () => {
    expect(consentOutcome(true, 'leave_out')).toBeUndefined()
    expect(consentOutcome(undefined, 'send')).toBeUndefined()
    expect(consentOutcome(false, 'send')).toMatchObject({ kind: 'skipped' })
    expect(consentOutcome(undefined, 'leave_out')).toMatchObject({ kind: 'skipped' })
  })
})

describe('click IDs', () => {
  const gclid = 'Cj0KCQjwtest_0123456789-abcdef'
  it('click IDs of another platform are not sent', () => {
    expect(clickIdOf('google', 'fb.1.1554763741205.AbCdEf')).toBeUndefined()
    expect(clickIdOf('google', 'E.C.P.abc')).toBeUndefined()
    expect(clickIdOf('tiktok', gclid)).toBeUndefined()
    expect(clickIdOf('meta', gclid)).toBeUndefined()
    expect(clickIdOf('google', gclid)).toBe(gclid)
    expect(clickIdOf('tiktok', 'E.C.P.abc')).toBe('E.C.P.abc')
    expect(clickIdOf('google', 'two words')).toBeUndefined()
    expect(clickIdOf('google', 'x'.repeat(1001))).toBeUndefined()
  })
  it('the click ID of Meta is the cookie, or is made from the parameter ("fbp and fbc Parameters")', () => {
    const cookie = 'fb.1.1554763741205.AbCdEfGhIjKlMnOpQrStUvWxYz1234567890'
    expect(metaClickOf(cookie, 5)).toBe(cookie)
    expect(metaClickOf('IwAR2F4-dbP0l7Mn1IawQQGCINEz7PYXQvwjNwB_qa2ofrHyiLjcbCRxTDMgk', 1_554_763_741_205)).toBe(
      'fb.1.1554763741205.IwAR2F4-dbP0l7Mn1IawQQGCINEz7PYXQvwjNwB_qa2ofrHyiLjcbCRxTDMgk',
    )
  })
  it('click IDs are found in the URL of a page', () => {
    expect(parameterOf('https://shop.example/?a=1&gclid=abc', 'gclid')).toBe('abc')
    expect(parameterOf('no address', 'gclid')).toBeUndefined()
  })
})

it("personal data is hidden in the stored request, and in the platform's response that repeats it", () => {
  const body = { data: [{ user: { ip: '192.0.2.7', country: 'in', email: 'h4sh' } }] }
  const hidden = hidingPersonal(body, new Set(['ip', 'country']), { headers: ['authorization'], texts: ['t0ken'] })
  expect(hidden.body).toBe('{"data":[{"user":{"ip":"[redacted]","country":"[redacted]","email":"h4sh"}}]}')
  expect(hidden.texts).toEqual(['t0ken', '192.0.2.7'])
  expect(shownMessage('no such ip: 192.0.2.7 by t0ken', hidden)).toBe('no such ip: [redacted] by [redacted]')
  expect(shownMessage('value is invalid', hidden)).toBe('value is invalid')
})

it('the end of an API version is announced in advance', () => {
  expect(endOf(apiVersions.meta, Date.UTC(2026, 10, 25))).toBe('')
  expect(endOf(apiVersions.meta, Date.UTC(2028, 5, 1))).toBe(
    ' Meta ends v25.0 of its API on July 29, 2028: update Tributary before.',
  )
  expect(endOf(apiVersions.tiktok, Date.UTC(2040, 1, 1))).toBe('')
})
