import type { PipelineEvent, RequestMeta } from '@tributary/contract'
import { rowPieces } from '@tributary/storage'
import { describe, expect, test } from 'vitest'
import { summaryOf } from '../branches/publish.ts'
import { createProcessor } from '../process.ts'
import { readRow } from '../rows/rows.ts'

const receivedAt = Date.UTC(2026, 10, 21, 5, 0, 0)
const received = '2026-11-21T05:00:00.000Z'

/** The row of an event, its delivery, and its summary in the live channel. */
const eventOf = (members: string, meta: Partial<RequestMeta> = {}) => {
  const processor = createProcessor({
    journal: { firstSeen: () => undefined },
    destinationsFor: () => ['d-1'],
    schemaFor: () => undefined,
    isWatched: () => true,
    deliveryRecordBytes: 512 * 1024,
  })
  processor.add({
    partition: 1,
    offset: 0,
    incarnation: '',
    key: 'w-1',
    time: receivedAt,
    meta: JSON.stringify({ w: 'w-1', s: 's-1', k: 'single', r: receivedAt, ip: '192.0.2.7', ...meta }),
    body: Buffer.from(`{"type":"track","event":"e","userId":"u"${members}}`),
  })
  const batch = processor.take()
  const [row] = rowPieces([batch.rows]).map(readRow)
  const [delivered] = batch.deliveries.flatMap(
    ({ body }) => JSON.parse(Buffer.from(body).toString()) as (PipelineEvent & { extra?: unknown })[],
  )
  const [live] = [...batch.live.values()].flat().map(summaryOf)
  return { row, delivered, live }
}

describe('the event time is parsed from each common form', () => {
  test.each([
    ['PostgreSQL', '"2026-11-20 10:00:00+00"'],
    ['lower case', '"2026-11-20t10:00:00z"'],
    ['ISO 8601 basic', '"20261120T100000Z"'],
    ['seconds as text', '"1795168800"'],
    ['milliseconds as text', '"1795168800000"'],
    ['nanoseconds', '1795168800000000999'],
    ['RFC 1123', '"Fri, 20 Nov 2026 10:00:00 GMT"'],
    ['a year of six digits', '"+002026-11-20T10:00:00.000Z"'],
    ['the week', '"2026-W47-5T10:00Z"'],
    ['Go', '"2026-11-20 11:00:00 +0100 CET m=+0.01"'],
    ['JavaScript', '"Fri Nov 20 2026 11:00:00 GMT+0100 (CET)"'],
  ])('a time (%s), %s, is parsed', (_, text) => {
    for (const name of ['timestamp', 'originalTimestamp']) {
      const { row, delivered, live } = eventOf(`,"${name}":${text}`)
      expect(delivered).toMatchObject({
        timestamp: '2026-11-20T10:00:00.000Z',
        originalTimestamp: '2026-11-20T10:00:00.000Z',
      })
      expect(row).toMatchObject({ status: 'accepted', reason: '', timestamp: Date.UTC(2026, 10, 20, 10) })
      expect([live?.reason, delivered?.extra]).toEqual([undefined, undefined])
    }
  })

  test('a leap second is parsed as the first second of the next day', () => {
    expect(eventOf(',"timestamp":"2016-12-31T23:59:60Z"').delivered?.timestamp).toBe('2017-01-01T00:00:00.000Z')
  })
})

describe('an invalid time is reported on the event, and kept as sent', () => {
  test.each([
    ['timestamp', '"yesterday"'],
    ['timestamp', '"2026-02-30T10:00:00Z"'],
    ['timestamp', '"20/11/2026 10:00"'],
    ['timestamp', '"1850-01-01T00:00:00Z"'],
    ['timestamp', '{"$date":5}'],
    ['originalTimestamp', 'true'],
    ['originalTimestamp', '1e400'],
    ['originalTimestamp', '0.0'],
  ])('the invalid time %s %s is reported on the event and kept', (name, text) => {
    const { row, delivered, live } = eventOf(`,"${name}":${text}`)
    expect(row?.status).toBe('accepted')
    expect(row?.reason).toMatch(
      new RegExp(`^time_not_understood: ${name} is not a known time, .* from when it was received`),
    )
    expect(row?.original).toContain(`"${name}":${text}`)
    expect(live?.reason).toBe(
      row?.reason.slice(0, 199).concat((row?.reason.length ?? 0) > 200 ? '\u2026' : (row?.reason.slice(199) ?? '')),
    )
    expect(delivered?.timestamp).toBe(received)
    expect(delivered).toHaveProperty(['extra', name])
  })

  test('an invalid time is reported even if another member has the time of the event, and so is an invalid sentAt', () => {
    const { row, delivered } = eventOf(',"originalTimestamp":"2026-11-20T10:00:00Z","timestamp":"?","sentAt":"later"')
    expect(delivered).toMatchObject({
      timestamp: '2026-11-20T10:00:00.000Z',
      extra: { timestamp: '?', sentAt: 'later' },
    })
    expect(row?.reason).toMatch(/^time_not_understood: timestamp and sentAt are not a known time/)
    expect(row?.reason).toContain("The sender's clock was not corrected.")
    expect(row?.reason).not.toContain('received')
  })

  test('an absent time is not reported', () => {
    for (const members of ['', ',"timestamp":null', ',"timestamp":"","sentAt":null'])
      expect(eventOf(members).row?.reason).toBe('')
  })
})
