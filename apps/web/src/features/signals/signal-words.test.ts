import { notSentReasons } from '@tributary/contract'
import { expect, test } from 'vitest'
import { feedWords, freshnessWords, money, reasonText, scoreWords, valueWords } from './signal-words.ts'

test('the events or audience that trigger a signal are described in few words, for any number of sources', () => {
  const sources = ['Shop', 'App', 'Server'].map((title) => ({ name: title, title }))
  expect(feedWords({ type: 'events', sources: sources.slice(0, 1), event_names: ['Order Completed'] })).toBe(
    'Order Completed · Shop',
  )
  expect(feedWords({ type: 'events', sources, event_names: ['A', 'B', ''] })).toBe('A and 2 more · Shop and 2 more')
  expect(feedWords({ type: 'events', sources: sources.slice(0, 2), event_names: [''] })).toBe(
    'any event · Shop and App',
  )
  expect(feedWords({ type: 'audience', sources: [{ name: 'a', title: 'Loyal' }], event_names: [] })).toBe(
    'Enters Loyal',
  )
})

test('a score has its own word and tone from 4 and from 7 on', () => {
  expect([0, 3.9, 4, 6.9, 7, 10].map((score) => scoreWords(score).text)).toEqual([
    'Poor',
    'Poor',
    'Fair',
    'Fair',
    'Good',
    'Good',
  ])
})

test('money is shown in its currency; an unknown currency code follows the amount', () => {
  expect(money({ amount: 25.5, currency: 'USD' }, 'en')).toBe('$25.50')
  expect(money({ amount: 25.5, currency: 'nonsense' }, 'en')).toBe('25.5 nonsense')
  expect(money({ amount: 3, currency: '' }, 'en')).toBe('3')
})

test("each reason of the contract has a text, and a platform's own message is shown unchanged", () => {
  for (const reason of notSentReasons) expect(reasonText(reason)).not.toBe(reason)
  expect(reasonText('Invalid parameter')).toBe('Invalid parameter')
  expect(reasonText('')).toBe('')
})

test('value and freshness are shown as text', () => {
  expect(valueWords({ type: 'none' })).toBe('None')
  expect(valueWords({ type: 'event', amount_path: 'properties.total', currency_path: '', currency: 'USD' })).toBe(
    'properties.total, in USD',
  )
  expect(freshnessWords({ median_ms: 400, p95_ms: 604_800_000 })).toBe('Half within 0.4 s, 95% within 7 days')
  expect(freshnessWords({ median_ms: 400, p95_ms: 12_000 })).toBe('Half within 0.4 s, 95% within 12 s')
})
