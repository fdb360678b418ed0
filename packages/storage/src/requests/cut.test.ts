import type { RequestMeta } from '@tributary/contract'
import { describe, expect, test } from 'vitest'
import { cutRequest, type RequestPart } from './cut.ts'
import { splitBatch } from './split.ts'

const batch: RequestMeta = { w: 'w', s: 's', k: 'batch', r: 1, ip: '' }
const partitions = [62, 63, 0, 1]

const textsOf = (body: Uint8Array): string[] =>
  splitBatch(body).events.map(({ start, end }) => Buffer.from(body).toString('utf8', start, end))
/** Cuts a request without yielding. */
const cutWhole = (meta: RequestMeta, body: Buffer, among: readonly number[]): RequestPart[] => {
  const cutting = cutRequest(meta, body, among)
  let cut = cutting.next()
  while (cut.done !== true) cut = cutting.next()
  return cut.value
}
const cut = (text: string, meta = batch, among = partitions) => cutWhole(meta, Buffer.from(text), among)
const userOf = (text: string): string => {
  const { userId, anonymousId } = JSON.parse(text) as { userId?: unknown; anonymousId?: unknown }
  return String(userId || anonymousId)
}

describe("the split of a spread workspace's request", () => {
  const events = Array.from({ length: 200 }, (_, n) =>
    n % 3 === 0
      ? `{ "anonymousId": "d-${n % 40}", "event":"Séen", "n": ${n}.0 }`
      : `{"userId":${n % 7 === 0 ? n % 40 : `"u-${n % 40}"`},"anonymousId":"d","type":"track","n":${n}, "userId2":"]}"}`,
  )
  const text = `{"sentAt": "2026-01-01T00:00:00Z","batch": [${events.join(' ,\n')}], "context":{"a":[1,"}"]},"integrations" : {"All":true},"writeKey":"k"}`

  test("each event is in one part, unchanged and with the shared fields, and a user's events are together in order", () => {
    const parts = cut(text)
    expect(parts.map(({ partition }) => partition).toSorted()).toEqual([...partitions].toSorted())
    const found = parts.flatMap(({ body }) => textsOf(body))
    expect(found.toSorted()).toEqual(events.toSorted())
    const partsOfUser = new Map<string, Set<number>>()
    for (const { partition, body, meta } of parts) {
      const { context, integrations, sentAt } = splitBatch(body)
      const read = (slice: typeof context) => Buffer.from(body).toString('utf8', slice?.start, slice?.end)
      expect([read(context), read(integrations), read(sentAt)]).toEqual([
        '{"a":[1,"}"]}',
        '{"All":true}',
        '"2026-01-01T00:00:00Z"',
      ])
      expect(meta).toEqual(batch)
      const places = textsOf(body).map((each) => events.indexOf(each))
      expect(places).toEqual(places.toSorted((a, b) => a - b))
      for (const each of textsOf(body)) {
        const known = partsOfUser.get(userOf(each)) ?? new Set()
        partsOfUser.set(userOf(each), known.add(partition))
      }
    }
    expect([...partsOfUser.values()].every(({ size }) => size === 1)).toBe(true)
  })

  test("a request is always split in the same way, and a single event goes to its user's partition", () => {
    expect(cut(text)).toEqual(cut(text))
    const single = { ...batch, k: 'single' as const }
    for (const { partition, body } of cut(text))
      for (const each of textsOf(body)) expect(cut(each, single)).toMatchObject([{ partition, meta: single }])
  })

  test('users are the same in any notation of their IDs, and devices count only without a user', () => {
    const single = { ...batch, k: 'single' as const }
    const many = Array.from({ length: 64 }, (_, n) => n)
    const partitionOfEvent = (event: string): number | undefined => cut(event, single, many)[0]?.partition
    const ab = partitionOfEvent('{"userId":"ab"}')
    for (const event of [
      '{"anonymousId":"x","userId":"a\\u0062"}',
      '{"properties":{"userId":"x","a":[{"userId":"y"}]} , "userId" :\t"ab" }',
      '{"text":"\\",\\"userId\\":\\"x\\"","userId":"x","userId":"ab"}',
      '{"userId":"","anonymousId":"ab"}',
      '{"userId":null,"anonymousId":"ab"}',
    ])
      expect(partitionOfEvent(event), event).toBe(ab)
    expect(partitionOfEvent('{"userId":7}')).toBe(partitionOfEvent('{"userId":"7"}'))
    for (const body of ['{}', '{"userId":{"id":"ab"}}', '{"userId":"","anonymousId":false}'])
      expect(partitionOfEvent(body)).toBe(partitionOfEvent('{"event":"x"}'))
    expect(partitionOfEvent('{"userId":"\\q"}')).toBeDefined()
  })

  test('each part keeps the event IDs of a request that is sent again, and has an ID of its own for events without one', () => {
    const again = { ...batch, p: events.map((_, n) => `id-${n}`), b: 'aside' }
    const parts = cut(text, again)
    expect(new Set(parts.map(({ meta }) => meta.b)).size).toBe(parts.length)
    for (const { body, meta } of parts)
      expect(meta.p).toEqual(textsOf(body).map((each) => `id-${events.indexOf(each)}`))
  })

  test('a request is not copied if all of it goes to one partition', () => {
    const body = Buffer.from(`{"batch":[{"userId":"u","n":1},{"userId":"u","n":2}]}`)
    const [only, ...others] = cutWhole(batch, body, partitions)
    expect(only?.body).toBe(body)
    expect(others).toEqual([])
    expect(cutWhole(batch, body, [5])).toEqual([{ partition: 5, meta: batch, body }])
  })

  test.each([
    [
      'with more events than are taken',
      `{"batch":[${Array.from({ length: 2501 }, (_, n) => `{"userId":"${n}"}`).join()}]}`,
    ],
    ['with an element that is no event', '{"batch":[{"userId":"a"},{"userId":"b"},7]}'],
    [
      'with a context that is larger than an event may be',
      `{"context":{"a":"${'x'.repeat(32 * 1024)}"},"batch":[{"userId":"a"},{"userId":"b"},{"userId":"c"},{"userId":"d"}]}`,
    ],
    [
      'with a time that is larger than an event may be',
      `{"sentAt":"${'x'.repeat(32 * 1024)}","batch":[{"userId":"a"},{"userId":"b"},{"userId":"c"},{"userId":"d"}]}`,
    ],
    ['that is no JSON', '{"batch":[{"userId":"a"},{"userId":"b"},{"userId":"c]}'],
    ['without events', '{"batch":[]}'],
  ])('a request goes to the first partition as a whole %s', (_, given) => {
    expect(cut(given)).toEqual([{ partition: 62, meta: batch, body: Buffer.from(given) }])
  })

  test('beside an event that is too large to be accepted, the events of other users keep their order', () => {
    const large = `{"userId":"u","text":"${'x'.repeat(40 * 1024)}"}`
    const small = ['{"userId":"a"}', '{"userId":"b"}', '{"userId":"u"}']
    const parts = cut(`{"batch":[${[large, ...small].join()}]}`)
    expect(parts.flatMap(({ body }) => textsOf(body)).toSorted()).toEqual([large, ...small].toSorted())
    for (const event of small)
      expect(cut(`{"batch":[${event}]}`)[0]?.partition).toBe(
        parts.find(({ body }) => textsOf(body).includes(event))?.partition,
      )
    const open = `{"batch":[{"userId":"a"},{"text":"${'x'.repeat(40 * 1024)}}`
    expect(cut(open)).toEqual([{ partition: 62, meta: batch, body: Buffer.from(open) }])
  })

  const MiB = 1024 * 1024
  test.each([
    ['of many events', `{"batch":[${`{"userId":"u","text":"${'x'.repeat(1000)}"},`.repeat(2000)}{}]}`, 14],
    ['of one event with many values', `{"batch":[{"userId":"u"},{"a":[${'1,'.repeat(MiB)}1]}]}`, 7],
    ['of one event with a large text', `{"batch":[{"userId":"u"},{"a":"${'x'.repeat(2 * MiB)}"}]}`, 7],
    ['with many values that count for all', `{"batch":[{"userId":"u"}],"context":[${'1,'.repeat(MiB)}1]}`, 7],
    ['with many names', `{${'"a":1,'.repeat(MiB / 3)}"batch":[{"userId":"u"}]}`, 7],
    ['that is no batch', `{"a":[${'1,'.repeat(MiB)}1]}`, 14],
  ])('splitting yields at least once for every 256 KB that it reads of a body %s', (_, text, least) => {
    let turns = 0
    for (const _ of cutRequest(batch, Buffer.from(text), partitions)) turns++
    expect(turns).toBeGreaterThanOrEqual(least)
  })
})
