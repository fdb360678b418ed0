import type { RequestMeta } from '@tributary/contract'
import { rowPieces, splitSingle } from '@tributary/storage'
import { describe, expect, it } from 'vitest'
import { createProcessor } from '../process.ts'
import { readRow } from './rows.ts'

const receivedAt = Date.UTC(2026, 10, 21, 5, 0, 0)

/** The rows of a request, and the texts of its events for delivery. */
const sentOf = (text: string, meta: Partial<RequestMeta> = {}) => {
  const processor = createProcessor({
    journal: { firstSeen: () => undefined },
    destinationsFor: () => ['d-1'],
    schemaFor: () => undefined,
    isWatched: () => false,
    deliveryRecordBytes: 512 * 1024,
  })
  processor.add({
    partition: 1,
    offset: 0,
    incarnation: '',
    key: 'w-1',
    time: receivedAt,
    meta: JSON.stringify({ w: 'w-1', s: 's-1', k: 'single', r: receivedAt, ip: '192.0.2.7', ...meta }),
    body: Buffer.from(text),
  })
  const batch = processor.take()
  const sent = batch.deliveries.map(({ body }) => Buffer.from(body).toString())
  const metas = batch.deliveries.map(({ meta }) => JSON.parse(meta) as object)
  return { rows: rowPieces([batch.rows]).map(readRow), sent: sent.map((each) => each.slice(1, -2)), metas }
}

describe('values are stored and delivered as they were sent', () => {
  const hostile =
    '{"b":1.0,"10":9223372036854775807,"2":[1e400,-0,0.10,1E5,null],"a":{"1":null,"0":"\\ud800 \\u00e9 “😀”"}}'
  /** The same value as JSON.stringify writes its strings. */
  const written = hostile.replace('\\u00e9', 'é')

  it.each([
    ['without space', (text: string) => text],
    ['with space between its tokens', (text: string) => text.replace(/"(?:[^"\\]|\\.)*"|[,:{}[\]]/g, ' $& \n')],
  ])('numbers, order, and nulls of an event %s are kept', (_, form) => {
    const text = `{"type":"track","userId":"u","event":"x","properties":${hostile},"traits":${hostile},"context":${hostile},"integrations":${hostile},"more":${hostile}}`
    const { rows, sent, metas } = sentOf(form(text))
    // The mark makes mappings copy values from the text of the event.
    expect(metas).toEqual([expect.objectContaining({ e: true })])
    expect(sentOf(form('{"type":"track","userId":"u","event":"x"}')).metas[0]).not.toHaveProperty('e')
    for (const name of ['properties', 'traits', 'context', 'integrations'])
      expect(sent[0]).toContain(`,"${name}":${written}`)
    expect(sent[0]).toContain(`,"extra":{"more":${written}}`)
    expect(rows[0]?.context).toBe(written)
    expect(rows[0]?.properties).toBe(written.replace('1e400', 'null').replace('\\ud800', '\\ufffd'))
  })

  it("the values of a batch's context and integrations are kept", () => {
    const event = '{"type":"track","event":"x","userId":"u","context":{"10":1},"integrations":{"2":1.0}}'
    const { rows, sent } = sentOf(
      `{"context":{"z":1.0,"10":2,"9":1e400},"integrations":{"b":{"size":2.50}},"batch":[${event}]}`,
      { k: 'batch', d: true },
    )
    const context = '{"z":1.0,"10":1,"9":1e400,"ip":"192.0.2.7"}'
    expect(sent[0]).toContain(`"context":${context},"integrations":{"b":{"size":2.50},"2":1.0}`)
    expect(rows[0]).toMatchObject({ context, integrations: '{"b":{"size":2.50},"2":1.0}' })
  })

  it('numbers of the batch are kept if only the batch would lose digits, and those of the event if only the event would', () => {
    const sent = (own: string, shared: string) =>
      sentOf(`{"context":${shared},"batch":[{"type":"track","event":"x","userId":"u","context":${own}}]}`, {
        k: 'batch',
      }).sent[0]
    expect(sent('{"a":1}', '{"b":2.0}')).toContain('"context":{"b":2.0,"a":1}')
    expect(sent('{"a":1.0}', '{"b":2}')).toContain('"context":{"b":2,"a":1.0}')
  })

  it('numbers as IDs and names, traits in the context, and an address added next to lossy numbers are kept', () => {
    const { rows, sent } = sentOf(
      '{"type":"identify","userId":9223372036854775807,"anonymousId":1.0,"context":{"ip":null,"traits":{"ltv":10.0}}}',
      { d: true },
    )
    expect(rows[0]).toMatchObject({ userId: '9223372036854775807', anonymousId: '1', traits: '{"ltv":10.0}' })
    expect(sent[0]).toContain('"traits":{"ltv":10.0},"context":{"ip":"192.0.2.7","traits":{"ltv":10.0}}')
    expect(sentOf('{"type":"track","event":12345678901234567890,"userId":"u"}').rows[0]?.event).toBe(
      '12345678901234567890',
    )
  })

  it.each([
    ['a user ID', '"userId":"a\\ud800"'],
    ['an anonymous ID', '"anonymousId":"\\udc00a\\ud83d"'],
    ['a group ID', '"groupId":"\\udfff"'],
    ['a message ID', '"messageId":"m-\\ud800"'],
    ['the name of an event', '"event":"Bought \\ud83d"'],
    ['the name of a property', '"properties":{"a\\ud800":1,"a\\ud801":2}'],
    ['the name of a trait beside odd numbers', '"traits":{"\\udc00":1.0}'],
    ['a name of its own', '"more\\ud800":1'],
  ])('a lone surrogate in %s is kept', (_, member) => {
    const rest = ['"type":"track"', '"userId":"u"', '"event":"e"'].filter(
      (known) => !member.startsWith(known.slice(0, 7)),
    )
    const { sent } = sentOf(`{${[...rest, member].join(',')}}`)
    expect(sent[0]).toContain(member)
  })

  it.each([
    ['properties', '{"a":1,"b":2,"a":3}', '{"a":3,"b":2}'],
    ['properties', '{"a":1.0,"a":2.50}', '{"a":2.50}'],
    ['properties', '{"list":[{"x":1,"x":{"y":1e400,"y":2.0}}],"z":1.0}', '{"list":[{"x":{"y":2.0}}],"z":1.0}'],
    ['traits', '{"10":1,"a":1,"10":"\\u00e9","\\u0061":null}', '{"10":"é","a":null}'],
    ['integrations', '{"All":true,"All":false}', '{"All":false}'],
    ['more', '{"a":1.0,"a":2}', '{"a":2}'],
  ])('a repeated name in %s has its last value, at the place of the first: %s', (name, given, kept) => {
    const { rows, sent } = sentOf(`{"type":"track","userId":"u","event":"x","${name}":${given}}`)
    expect(sent[0]).toContain(`"${name}":${kept}`)
    if (name === 'properties') expect(rows[0]?.properties).toBe(kept)
  })

  it('a repeated name in the context and integrations of a batch has its last value', () => {
    const { sent } = sentOf(
      '{"context":{"a":1.0,"a":2.0},"integrations":{"b":1,"b":2.0},"batch":[{"type":"track","event":"x","userId":"u"}]}',
      { k: 'batch' },
    )
    expect(sent[0]).toContain('"context":{"a":2.0},"integrations":{"b":2.0}')
  })

  it('exactly the texts that parsing changes are marked as lossy', () => {
    const numbers = ['0', '-0', '1', '-1', '1.5', '1.0', '0.5', '-0.0', '100', '1e5', '1E-7', '1e-7', '0.0000001']
    const long = [
      '123456789012345',
      '1234567890123456',
      '9007199254740993',
      '0.1234567',
      '0.30000000000000004',
      '1e+21',
    ]
    for (const number of [...numbers, ...long])
      for (const text of [`{"a":${number}}`, `{"a":[${number},1]}`, `{ "a" : ${number} }`]) {
        const changed = JSON.stringify(JSON.parse(text)) !== text.replaceAll(' ', '')
        expect([text, splitSingle(Buffer.from(text)).events[0]?.lossy]).toEqual([text, changed])
      }
    const names: [string, boolean][] = [
      ['{"a":"1.0","b":"1e400"}', false],
      ['{"a":"12"}', false],
      ['{"b":1,"12":1}', true],
      ['{"b":1,"\\u0031" :1}', true],
      ['{"12345678901":1}', false],
    ]
    for (const [text, lossy] of names)
      expect([text, splitSingle(Buffer.from(text)).events[0]?.lossy]).toEqual([text, lossy])
  })
})
