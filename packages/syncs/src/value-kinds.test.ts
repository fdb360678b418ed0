import { createTestEventStore } from '@tributary/test-kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { encoderOf, encoderOfKind, keyJson, type ValueKind } from './value-kinds.ts'

let eventStore: Awaited<ReturnType<typeof createTestEventStore>>
beforeAll(async () => {
  eventStore = await createTestEventStore()
})
afterAll(() => eventStore.close())

test.each([
  ['integer[]', '{1,2,NULL}', '[1,2,null]'],
  ['bigint[]', '{{9007199254740993,2},{3,NULL}}', '[[9007199254740993,2],[3,null]]'],
  ['integer[]', '[0:1]={7,8}', '[7,8]'],
  ['integer[]', '[1:1][-2:-1]={{7,8}}', '[[7,8]]'],
  ['numeric(10,2)[]', '{1.10,NaN}', '[1.10,"NaN"]'],
  [
    'text[]',
    '{a,"b c","say \\"hi\\"","back\\\\slash","NULL",NULL,""}',
    '["a","b c","say \\"hi\\"","back\\\\slash","NULL",null,""]',
  ],
  ['text[]', '{"{1,2}","a,b"}', '["{1,2}","a,b"]'],
  ['boolean[]', '{t,f,NULL}', '[true,false,null]'],
  ['jsonb[]', '{"{\\"a\\": 1.10}",NULL}', '[{"a": 1.10},null]'],
  ['timestamp with time zone[]', '{"2026-01-02 03:04:05+00"}', '["2026-01-02T03:04:05Z"]'],
  ['uuid[]', '{550e8400-e29b-41d4-a716-446655440000}', '["550e8400-e29b-41d4-a716-446655440000"]'],
  ['date[]', '{2026-01-02,infinity}', '["2026-01-02","infinity"]'],
  ['box[]', '{(1,1),(0,0);(3,3),(2,2)}', '["(1,1),(0,0)","(3,3),(2,2)"]'],
  ['bytea[]', '{"\\\\xc0ffee"}', '["\\\\xc0ffee"]'],
  ['super', '{"a":1.10}', '{"a":1.10}'],
  ['super', 'no json', '"no json"'],
  ['integer[]', '{}', '[]'],
  ['integer[]', '{1,2', '"{1,2"'],
  ['integer[]', 'none', '"none"'],
  ['integer[]', '{1}}', '"{1}}"'],
  ['bit(8) unsigned', '5', '5'],
  ['bit(8)', '00000101', '"00000101"'],
  ['datetime', '0000-00-00 00:00:00', '"0000-00-00 00:00:00"'],
  ['timestamp', '0000-00-00 00:00:00', '"0000-00-00 00:00:00"'],
  ['datetime', '2026-00-00 00:00:00', '"2026-00-00 00:00:00"'],
  ['datetime', '2026-05-00 10:00:00.5', '"2026-05-00 10:00:00.5"'],
  ['datetime', '2026-00-10 10:00:00', '"2026-00-10 10:00:00"'],
  ['datetime', '2026-11-00 10:00:00', '"2026-11-00 10:00:00"'],
  ['datetime', '0000-05-10 10:00:00', '"0000-05-10 10:00:00"'],
  ['datetime', '2026-02-30 10:00:00', '"2026-02-30 10:00:00"'],
  ['datetime', '2026-04-31 10:00:00', '"2026-04-31 10:00:00"'],
  ['datetime', '2026-02-29 10:00:00', '"2026-02-29 10:00:00"'],
  ['datetime', '1900-02-29 10:00:00', '"1900-02-29 10:00:00"'],
  ['date', '0000-00-00', '"0000-00-00"'],
  ['date', '2026-11-00', '"2026-11-00"'],
  ['datetime', '2024-02-29 10:00:00', '"2024-02-29T10:00:00Z"'],
  ['datetime', '2000-02-29 10:00:00.5', '"2000-02-29T10:00:00.5Z"'],
  ['datetime', '1000-12-31 23:59:59', '"1000-12-31T23:59:59Z"'],
  ['INT64', '9223372036854775807', '9223372036854775807'],
  ['BIGNUMERIC', '1.10', '1.10'],
  ['FLOAT64', 'NaN', '"NaN"'],
  ['BOOL', 'true', 'true'],
  ['STRUCT<a INT64>', '{"a":1}', '{"a":1}'],
  ['ARRAY<STRING>', '["a"]', '["a"]'],
  ['JSON', '{"a": 1.10}', '{"a": 1.10}'],
  ['TIMESTAMP', '2026-01-02T03:04:05.678Z', '"2026-01-02T03:04:05.678Z"'],
  ['DATETIME', '2026-01-02 03:04:05.678', '"2026-01-02T03:04:05.678Z"'],
  ['BYTES', '\\xff', '"\\\\xff"'],
  ['timestamp with time zone', 'infinity', '"infinity"'],
  ['timestamp with time zone', '12026-01-02 03:04:05+00', '"12026-01-02 03:04:05+00"'],
  ['timestamp with time zone', '0044-03-15 00:00:00+00 BC', '"0044-03-15 00:00:00+00 BC"'],
])('a value of %s, %s, becomes %s', (type, text, json) => {
  expect(encoderOf(type)(text)).toBe(json)
})

test('every valid calendar day is converted to a time, and every other text stays unchanged', () => {
  const encode = encoderOf('datetime')
  for (const year of [
    '0000',
    '0004',
    '0400',
    '1000',
    '1600',
    '1900',
    '1999',
    '2000',
    '2024',
    '2026',
    '2100',
    '9996',
    '9999',
  ])
    for (let month = 0; month <= 13; month++)
      for (let day = 0; day <= 32; day++) {
        const date = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
        const time = new Date(`${date}T00:00:00Z`)
        const exists = year !== '0000' && !Number.isNaN(time.getTime()) && time.toISOString().startsWith(date)
        expect(encode(`${date} 01:02:03`)).toBe(exists ? `"${date}T01:02:03Z"` : `"${date} 01:02:03"`)
      }
})

test('a long list without a closing bracket is scanned only once', () => {
  const text = `{${'"a\\\\",'.repeat(20_000)}`
  expect(encoderOf('text[]')(text)).toBe(JSON.stringify(text))
})

test('for every kind of value, the key of a removed row becomes the same JSON as the key of a sent row', async () => {
  const keys: Record<ValueKind, string[]> = {
    integer: ['7', '-7', '9007199254740993', '007', 'x'],
    number: ['1.10', '1e400', '-0.5', 'NaN', 'Infinity', '.5'],
    flag: ['t', 'f', 'true'],
    bool: ['true', 'false', 't'],
    json: ['1', '{"a": 1.10}', '[1, 2]', 'ada', "it's", 'true', 'null'],
    time: [
      '2026-01-02 03:04:05+00',
      '2026-01-02 03:04:05.678',
      '0000-00-00 00:00:00',
      '2026-11-00 10:00:00',
      '2026-02-30 10:00:00',
      '2024-02-29 10:00:00',
      '2023-02-29 10:00:00',
      'infinity',
      '0044-03-15 00:00:00+00 BC',
    ],
    text: ['007', 'a"b', "it's", '\\x41', '1'],
  }
  for (const [kind, texts] of Object.entries(keys) as [ValueKind, string[]][]) {
    const found = await eventStore.query<{ json: string }>(
      `select if(json = '', toJSONString(key), json) as json
       from (select key, ${keyJson(kind)} as json from (select arrayJoin({texts:Array(String)}) as key))`,
      { texts },
      { owner: 'system' },
    )
    expect(
      found.map(({ json }) => JSON.parse(json)),
      kind,
    ).toEqual(texts.map((text) => JSON.parse(encoderOfKind(kind)(text))))
    expect(
      found.map(({ json }) => json.replaceAll('\\/', '/')),
      kind,
    ).toEqual(texts.map(encoderOfKind(kind)))
  }
})
