import { describe, expect, it } from 'vitest'
import { cutToBytes, hideSecrets, hideUrl } from './redaction.ts'
import { classifyStatus, parseRetryAfter, retryAfterCapMs } from './send-request.ts'

describe('the outcome of a status', () => {
  it.each([
    [200, 'delivered'],
    [204, 'delivered'],
    [299, 'delivered'],
    [301, 'rejected'],
    [302, 'rejected'],
    [304, 'rejected'],
    [400, 'rejected'],
    [401, 'rejected'],
    [404, 'rejected'],
    [408, 'retry'],
    [410, 'rejected'],
    [422, 'rejected'],
    [429, 'retry'],
    [500, 'retry'],
    [501, 'retry'],
    [503, 'retry'],
    [599, 'retry'],
  ])('the outcome of status %i is %s', (status, fate) => {
    expect(classifyStatus(status)).toBe(fate)
  })
})

describe('Retry-After', () => {
  const now = Date.UTC(2026, 0, 1, 12, 0, 0)
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['soon', undefined],
    ['-5', undefined],
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7000],
    ['999999999', retryAfterCapMs],
    ['Thu, 01 Jan 2026 12:00:30 GMT', 30_000],
    ['Thu, 01 Jan 2026 11:00:00 GMT', 0],
    ['Fri, 01 Jan 2027 12:00:00 GMT', retryAfterCapMs],
    ['Thu, nonsense', undefined],
  ])('Retry-After %j means %j ms', (value, ms) => {
    expect(parseRetryAfter(value, now)).toBe(ms)
  })
})

describe('a stored exchange', () => {
  it('a stored exchange is cut between characters', () => {
    expect(cutToBytes('aé', 2)).toBe('a')
    expect(cutToBytes('aé', 3)).toBe('aé')
    expect(Buffer.byteLength(cutToBytes('☃'.repeat(4000)))).toBe(4095)
  })

  it('a stored exchange hides secrets at any position, and query values of the URL', () => {
    expect(hideSecrets('key hunter22 and hunter22', ['hunter22', ''])).toBe('key [redacted] and [redacted]')
    expect(hideUrl('https://u:p@example.com/a?token=abc&x=1')).toBe(
      'https://example.com/a?token=[redacted]&x=[redacted]',
    )
  })
})
