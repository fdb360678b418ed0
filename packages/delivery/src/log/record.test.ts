import { NewerFormat } from '@tributary/kernel'
import { expect, it } from 'vitest'
import { openRecord } from './record.ts'

const event = (messageId: string, name: string): Record<string, unknown> => ({
  eventId: '3-14-15',
  messageId,
  type: 'track',
  event: name,
  properties: { text: 'a,\nb', list: [{}, '}]'] },
})

const open = (text: string) =>
  openRecord({
    partition: 3,
    offset: 14,
    incarnation: '',
    time: 1,
    key: 'w-1',
    meta: JSON.stringify({ w: 'w-1', s: 's-1', d: ['d-1'], n: 2 }),
    body: Buffer.from(text),
  })?.events()

const given = [event('m-"1"\\', 'Said "yes"'), event('ü\u2028', '')]

it('a record of a newer version is neither read nor skipped, but left for a process of that version', () => {
  const record = { partition: 3, offset: 14, incarnation: '', time: 1, key: 'w-1', body: Buffer.from('[]') }
  const open = (meta: object) => openRecord({ ...record, meta: JSON.stringify(meta) })
  expect(open({ w: 'w-1', s: 's-1', d: [], n: 0, unknown: true })?.reference.meta.workspaceId).toBe('w-1')
  expect(() => open({ v: 2, w: 'w-1', s: 's-1', d: [], n: 0 })).toThrow(NewerFormat)
  expect(() => open({ v: 2 })).toThrow(NewerFormat)
  expect(open({})).toBeUndefined()
})

it.each([
  ['a line each', `[${given.map((one) => JSON.stringify(one)).join(',\n')}]\n`],
  ['one line', JSON.stringify(given)],
  ['one line with a line feed behind it', `${JSON.stringify(given)}\n`],
  [
    'keys in another order',
    `[${given.map((one) => JSON.stringify({ ...one, eventId: undefined, ...one })).join(',\n')}]\n`,
  ],
])('a list of events is parsed in any JSON form: %s', (_, text) => {
  const events = open(text)
  expect(events?.map((one) => [one.eventId, one.messageId, one.type, one.event])).toEqual(
    given.map((one) => [one.eventId, one.messageId, one.type, one.event]),
  )
  expect(events?.map((one) => JSON.parse(one.json))).toEqual(given)
})

it.each(['', '[', '{}', '[{}]\n]', '[{"eventId":"1"}]\nx'])(
  'a body that is not a list of events is unreadable: %j',
  (text) => {
    expect(open(text)).toBeUndefined()
  },
)
