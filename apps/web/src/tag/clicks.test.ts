import { expect, test } from 'vitest'
import { clickContext, clicksIn, formatClicks, mergeClicks, parseClicks, withoutClicks } from './clicks.ts'
import { sharedDomain } from './cookies.ts'

const now = 1_767_225_600
const day = 86_400

test('click IDs and campaign of a URL are read exactly; other, empty, and very long parameters are ignored', () => {
  const search = `?gclid=EAIaIQ_Ab-1&fbclid=IwAR2F4&ttclid=&sid=7&utm_source=news%20letter&utm_campaign=Spring&msclkid=${'x'.repeat(501)}`
  expect(clicksIn(search, now)).toEqual({
    gclid: { value: 'EAIaIQ_Ab-1', at: now },
    fbclid: { value: 'IwAR2F4', at: now },
    utm: { value: 'source=news+letter&campaign=Spring', at: now },
  })
})

test('a repeated click keeps its time, and another click of the same platform replaces it', () => {
  const known = { gclid: { value: 'a', at: 1 }, fbclid: { value: 'b', at: 2 } }
  expect(mergeClicks(known, { gclid: { value: 'a', at: 9 }, fbclid: { value: 'c', at: 9 } })).toEqual({
    gclid: { value: 'a', at: 1 },
    fbclid: { value: 'c', at: 9 },
  })
})

test('a cookie restores its clicks, except for those beyond their lifetime (AMB-72)', () => {
  const clicks = {
    gclid: { value: 'a:b|c=ü', at: now - 89 * day },
    ttclid: { value: 'E.C.P.1', at: now - 29 * day },
    utm: { value: 'source=x&medium=cpc', at: now },
  }
  const text = formatClicks(clicks, now)
  expect(text).toMatch(/^[\w.~!*'()%:|-]+$/)
  expect(parseClicks(text, now)).toEqual({ gclid: clicks.gclid, utm: clicks.utm })
  expect(parseClicks(text, now + 2 * day)).toEqual({ utm: clicks.utm })
  expect(parseClicks('gclid:zz|evil:1:x|gclid:99999999:%|__proto__:1:x|', now)).toEqual({})
})

test('a cookie is never longer than browsers accept: the oldest clicks are removed', () => {
  const names = ['gclid', 'gbraid', 'wbraid', 'dclid', 'fbclid', 'msclkid', 'epik', 'twclid']
  const clicks = Object.fromEntries(names.map((name, index) => [name, { value: 'x'.repeat(500), at: now - index }]))
  const text = formatClicks(clicks, now)
  expect(text.length).toBeLessThan(3100)
  expect(Object.keys(parseClicks(text, now))).toEqual(names.slice(0, 5))
})

test('an event has the IDs, the campaign, and the times of the clicks', () => {
  expect(
    clickContext({ gclid: { value: 'a', at: now }, utm: { value: 'source=news+letter&campaign=Spring', at: now } }),
  ).toEqual({
    campaign: { source: 'news letter', campaign: 'Spring' },
    clickIds: { gclid: 'a' },
    clickTimes: { gclid: '2026-01-01T00:00:00.000Z' },
  })
  expect(clickContext({})).toEqual({})
})

test.each([
  ['https://shop.example/a?gclid=1&b=2#c', 'https://shop.example/a?b=2#c'],
  ['https://shop.example/?fbclid=1', 'https://shop.example/'],
  ['?fbclid=1&%67clid=2&x', '?x'],
  ['https://shop.example/a?b=%', 'https://shop.example/a?b=%'],
  ['', ''],
])('the URL %s without click IDs is %s', (address, wanted) => {
  expect(withoutClicks(address)).toBe(wanted)
})

test.each([
  ['www.shop.example', 'events.shop.example', 'shop.example'],
  ['shop.example', 'events.shop.example', 'shop.example'],
  ['shop.example', 'shop.example', 'shop.example'],
  ['shop.example', 'other.example', undefined],
  ['127.0.0.1', '127.0.0.1', '127.0.0.1'],
  ['10.0.0.1', '11.0.0.1', undefined],
])('the page %s and the server %s share the domain %s', (page, server, wanted) => {
  expect(sharedDomain(page, server)).toBe(wanted)
})
