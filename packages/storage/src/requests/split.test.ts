import { describe, expect, it } from 'vitest'
import { maxSlices, splitBatch, splitInTurns, splitSingle } from './split.ts'

const slicesOf = (text: string): string[] => {
  const body = Buffer.from(text)
  return splitBatch(body).events.map(({ start, end }) => body.toString('utf8', start, end))
}

describe('splitBatch', () => {
  it.each<[string, string, string[]]>([
    ['keeps each event byte for byte', '{"batch":[{"a": 1 },{"b":\t[2]}]}', ['{"a": 1 }', '{"b":\t[2]}']],
    ['leaves out the space around events', '{ "batch" : [ {} , {"a":1}\n] }', ['{}', '{"a":1}']],
    [
      'is not misled by brackets and commas in strings',
      '{"batch":[{"a":"],{"},{"b":"\\"}],["}]}',
      ['{"a":"],{"}', '{"b":"\\"}],["}'],
    ],
    [
      'is not misled by a backslash at the end of a string',
      '{"batch":[{"a":"\\\\"},{"b":1}]}',
      ['{"a":"\\\\"}', '{"b":1}'],
    ],
    ['keeps a broken event to itself', '{"batch":[{"a":1},{"b":oops},{"c":3}]}', ['{"a":1}', '{"b":oops}', '{"c":3}']],
    ['keeps scalars as events of their own', '{"batch":[1,"x",null,{"a":1}]}', ['1', '"x"', 'null', '{"a":1}']],
    ['does not take a nested batch for the batch', '{"context":{"batch":[1]},"batch":[{"a":1}]}', ['{"a":1}']],
    ['takes every batch of the top level', '{"batch":[1],"sentAt":"x","batch":[2]}', ['1', '2']],
    ['reads an escaped key', '{"b\\u0061tch":[{"a":1}]}', ['{"a":1}']],
    ['has no events for an empty batch', '{"batch":[]}', []],
    ['ends at the end of a body that was cut off', '{"batch":[{"a":1},{"b":"', ['{"a":1}', '{"b":"']],
    ['takes a body that is a list for a batch', '[{"a":1},{"b":2}]', ['{"a":1}', '{"b":2}']],
    ['takes a body without a batch for one event', '{"type":"track","event":"x"}', ['{"type":"track","event":"x"}']],
    ['keeps what is no JSON as one piece', 'hello, world', ['hello, world']],
    ['keeps letters beyond ASCII whole', '{"batch":[{"a":"“ü”😀"},{"b":1}]}', ['{"a":"“ü”😀"}', '{"b":1}']],
    ['skips a byte order mark', '\uFEFF{"batch":[{"a":1}]}', ['{"a":1}']],
  ])('splitBatch %s', (_, text, slices) => {
    expect(slicesOf(text)).toEqual(slices)
  })

  it('splitBatch agrees with JSON.parse on every valid batch', () => {
    const values = [
      { a: '\\"[]{},:' },
      [1, [2, { b: ']' }]],
      'x,y',
      12.5e-3,
      true,
      null,
      {},
      { '': { '"': '\\' } },
      'ü\n',
    ]
    for (let seed = 1; seed < 200; seed++) {
      const batch = Array.from({ length: seed % 7 }, (_, i) => values[(seed * (i + 3)) % values.length])
      const text = JSON.stringify({ sentAt: 'now', batch, context: { batch: [0] } }, undefined, seed % 3)
      expect(slicesOf(text).map((slice) => JSON.parse(slice))).toEqual(batch)
    }
  })

  it('splitBatch finds the values beside the batch, before and after it', () => {
    const body = Buffer.from('{"context":{"a":1},"batch":[{}],"sentAt":"s" ,"integrations":{"All":true}}')
    const { context, integrations, sentAt } = splitBatch(body)
    const text = (slice: { start: number; end: number } | undefined) => body.toString('utf8', slice?.start, slice?.end)
    expect([text(context), text(integrations), text(sentAt)]).toEqual(['{"a":1}', '{"All":true}', '"s"'])
  })

  it('splitBatch measures the depth of an event without recursion', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    const { events } = splitBatch(Buffer.from(`{"batch":[{"a":[1]},${deep}]}`))
    expect(events.map(({ depth }) => depth)).toEqual([2, 100_000])
  })

  it('splitBatch returns all events far beyond the limit as one slice', () => {
    const body = Buffer.from(`{"batch":[${'1,'.repeat(maxSlices + 50)}2]}`)
    const { events } = splitBatch(body)
    expect(events).toHaveLength(maxSlices)
    expect(events.at(-1)?.end).toBe(body.length - 2)
  })
})

describe('where a context stands', () => {
  const contextOf = (event: string): string | undefined => {
    const [slice] = splitSingle(Buffer.from(event)).events
    const span = slice?.context
    return span === undefined ? undefined : event.slice(span.from, span.to)
  }
  it.each([
    ['{"type":"track","context":{"a":1}}', '{"a":1}'],
    ['{"context":{},"type":"track"}', '{}'],
    ['{"a":{"context":{"b":1}},"context":{"c":[{"d":"},{"}]},"e":[]}', '{"c":[{"d":"},{"}]}'],
    ['{"a":"context","context":{"context":{}}}', '{"context":{}}'],
    ['{"context":7}', undefined],
    ['{"context":[{}]}', undefined],
    ['{"contexts":{}}', undefined],
    ['{"a":{"context":{}}}', undefined],
    ['{"context":{},"context":{}}', undefined],
    ['{"context": {}}', undefined],
    ['{"context":{"a":"\\n"}}', undefined],
    ['{"a":"\\n","context":{}}', undefined],
    ['[{"context":{}}]', undefined],
    ['{"context":{"a":1}', undefined],
  ])('%s', (event, context) => expect(contextOf(event)).toBe(context))
})

describe('splitSingle', () => {
  it.each([
    [' {"a":1}\n', ['{"a":1}']],
    ['{"a":1},{"b":2}', ['{"a":1},{"b":2}']],
    ['{"a":1', ['{"a":1']],
    ['  ', []],
  ])('splitSingle reads %j as one event', (text, expected) => {
    const body = Buffer.from(text)
    expect(splitSingle(body).events.map(({ start, end }) => body.toString('utf8', start, end))).toEqual(expected)
  })
})

describe('in turns', () => {
  const large = JSON.stringify({ 'a"]\\': [[1, { b: '\\"}],' }]], c: 'x\\'.repeat(20_000), d: [1.5e3, '{'] })
  it.each([
    `{"sentAt":"s","batch":[{"context":{"a":1}}, ${large} ,7],"context":${large} ,"integrations":{"All":[{}]},"batch":[${large}]}`,
    `[${large},${large}]`,
    `{"batch":[{"a":1},${large.slice(0, -20)}`,
    `{"a":${large}}`,
    ` ${large},{}`,
    `{"batch":[{"a":"\\`,
    'hello',
    '',
  ])('splitting in turns has the same result as splitting at once, wherever the turns end: %#', (text) => {
    const body = Buffer.from(text)
    for (const bytes of [1, 2, 3, 1000, 70_000])
      for (const [kind, whole] of [
        ['batch', splitBatch(body)],
        ['single', splitSingle(body)],
      ] as const) {
        const splitting = splitInTurns(body, kind, bytes)
        let next = splitting.next()
        while (next.done !== true) next = splitting.next()
        expect(next.value).toEqual(whole)
      }
  })

  it('an event that is too large to be accepted has the same end as a smaller one', () => {
    const small = large.replaceAll('x\\\\', '')
    const slicesOfBoth = [small, large].map((text) => {
      const body = Buffer.from(`{"batch":[1 , ${text} ,{"c":2}]}`)
      return splitBatch(body).events.map(({ start, end, depth }) => [body.toString('utf8', start, end), depth])
    })
    expect(slicesOfBoth).toEqual(
      [small, large].map((text) => [
        ['1', 0],
        [text, 4],
        ['{"c":2}', 1],
      ]),
    )
  })
})
