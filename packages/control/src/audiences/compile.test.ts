import { type AudienceQuery, audienceQuery, eventTypes } from '@tributary/contract'
import { describe, expect, test } from 'vitest'
import { compileAudience, createCompiler } from '../../../audiences/src/compile.ts'
import type { ProfilesStatement } from '../../../audiences/src/sql-builder.ts'
import { createRandom, randomAudience } from '../testing/random-audience.ts'

const workspaceId = '00000000-0000-4000-8000-000000000001'
const asOf = Date.parse('2026-03-04T05:06:07.890Z')
const noOther = () => undefined

/** Returns all forms of a statement. */
const formsOf = ({ text }: ProfilesStatement): string[] =>
  [false, true].flatMap((few) => [false, true].map((stored) => text({ few, stored })))

const compile = (query: AudienceQuery) => compileAudience(query, { workspaceId, asOf, queryOf: noOther })

/** The query: an event three times in 30 days, a trait, and not another event in 7 days. */
const typical = audienceQuery.parse({
  groups: {
    aaaa: {
      segments: [
        {
          id: 'bbbb',
          queries: [
            {
              id: 'cccc',
              type: 'event',
              selectedEvent: 'Order Completed',
              selectedAttributes: [
                { id: 'dddd', name: 'total', valueType: 'number', operator: 'greater_than', value: '100' },
              ],
              timeframe: { time: { unit: 'month', value: 1 } },
              count: { operator: 'at_least', value: 3 },
            },
            {
              id: 'eeee',
              type: 'attribute',
              selectedAttributes: [{ id: 'ffff', name: 'plan', operator: 'equals', value: 'pro' }],
            },
            {
              id: 'gggg',
              type: 'event',
              selectedEvent: 'Refunded',
              timeframe: { time: { unit: 'day', value: 7 } },
              count: { operator: 'exactly', value: 0 },
            },
          ],
        },
      ],
    },
  },
})

test('a typical audience reads events once, by name and time, and traits by name', () => {
  const { events, profiles } = compile(typical)
  expect(events?.text).toMatchSnapshot()
  expect(events?.params).toMatchSnapshot()
  expect(profiles.text({ few: false, stored: false })).toMatchSnapshot()
  expect(profiles.params).toMatchSnapshot()
})

test('conditions share one parameter for the same event or time, so the event store checks it once', () => {
  const queries = [1, 2, 3].map((value) =>
    audienceQuery.parse({
      groups: {
        aaaa: {
          segments: [
            {
              id: 'bbbb',
              queries: [
                {
                  id: 'cccc',
                  type: 'event',
                  selectedEvent: 'Seen',
                  timeframe: { time: { unit: 'day', value: 7 } },
                  count: { operator: 'at_least', value },
                },
              ],
            },
          ],
        },
      },
    }),
  )
  const compiler = createCompiler({ workspaceId, asOf, queryOf: noOther })
  compiler.addAll(queries)
  const named = (params: Readonly<Record<string, unknown>> = {}): string[] =>
    Object.keys(params).flatMap((key) => key.match(/^(event|since|until)(?=_)/)?.slice(1) ?? [])
  expect(compiler.events()?.sets).toBe(3)
  expect(named(compiler.events()?.params)).toEqual(['event', 'since'])
  const crossings = createCompiler({ workspaceId, asOf, queryOf: noOther })
  crossings.addAll(queries)
  expect(crossings.crossings(asOf - 1000)?.text.match(/event = |receive_time\) (>|<=) /g)).toHaveLength(3)
})

test('a sample contains the profiles whose IDs are below its share of the ID range, in both stores', () => {
  const { events, profiles } = compileAudience(typical, {
    workspaceId,
    asOf,
    queryOf: noOther,
    sample: { share: 16 },
  })
  expect(Object.values(events?.params ?? {})).toContain(String(2n ** 60n))
  expect(events?.text).toMatch(
    /where if\(joined\.profile = 0, seen\.owner, joined\.profile\) < \{sample_\d+:UInt64\}\n {2}group by/,
  )
  expect(profiles.params).toContain('10000000000000000000000000000000')
  for (const text of formsOf(profiles)) expect(text).toMatch(/merged_into is null and id < \$\d+::uuid/)
})

test('the maximum number of profiles is computed from the sizes of the event sets', () => {
  const did = (id: string, event: string, count: object) => ({ id, type: 'event', selectedEvent: event, count })
  const trait = { id: 'tttt', type: 'attribute', selectedAttributes: [{ id: 'uuuu', name: 'a', operator: 'exists' }] }
  const some = did('aaaa', 'A', { operator: 'at_least', value: 1 })
  const others = did('bbbb', 'B', { operator: 'exactly', value: 2 })
  const never = did('cccc', 'C', { operator: 'exactly', value: 0 })
  const most = (operator: 'and' | 'or', ...queries: object[]) => {
    const segments = queries.map((each, index) => ({ id: `seg${index}`, queries: [each] }))
    return compile(audienceQuery.parse({ groups: { gggg: { operator, segments } } })).profiles.most([30, 20])
  }
  expect(most('and', some, others, trait)).toBe(20)
  expect(most('or', some, others)).toBe(50)
  expect(most('and', some, never)).toBe(30)
  for (const anybody of [trait, never, did('dddd', 'D', { operator: 'at_most', value: 3 })])
    expect(most('or', some, anybody)).toBe(Number.POSITIVE_INFINITY)
})

describe('a compiled query, whatever its conditions', () => {
  const random = createRandom(7)
  const samples = [undefined, { share: 16 }]
  const compiled = Array.from({ length: 300 }, (_, index) =>
    compileAudience(randomAudience(random), { workspaceId, asOf, queryOf: noOther, sample: samples[index % 2] }),
  )

  test('a compiled query restricts each table that it reads to the workspace', () => {
    for (const { events, profiles } of compiled) {
      expect(profiles.params[0]).toBe(workspaceId)
      for (const text of formsOf(profiles)) {
        const tables = [...text.matchAll(/\b(?:from|join) (profile\w*|current_traits|privacy_hashes)(?: ([a-z])\b)?/g)]
        expect(tables.length).toBeGreaterThan(0)
        for (const [, , alias = ''] of tables)
          expect(text).toContain(alias === '' ? 'where workspace_id = $1::uuid' : `${alias}.workspace_id = `)
      }
      if (events === undefined) continue
      expect(events.params['workspace']).toBe(workspaceId)
      const reads = events.text.match(/from (events|profile_owners)/g) ?? []
      expect(reads).toHaveLength(2)
      expect(events.text.match(/where workspace_id = \{workspace:String\} and owner != 0/g)).toHaveLength(2)
    }
  })

  test('a compiled query contains none of its values in a statement', () => {
    const quoted = /'([^']*)'/g
    // Kinds of values, states of events, and how texts are put together.
    const own =
      /^(String|Bool|Int64|UInt64|Float64|Array\(Nullable\(String\)\)|accepted|user_id|null|x|-|0|e|throw|\.|true|false|\{|\}|,|)$/
    for (const { events, profiles } of compiled)
      for (const text of [events?.text ?? '', ...formsOf(profiles)])
        for (const [, inside = ''] of text.matchAll(quoted)) expect(inside).toMatch(own)
  })
})

test('a condition by which an audience refers to itself matches no profile, and its compilation ends', () => {
  const itself = audienceQuery.parse({
    groups: {
      aaaa: {
        segments: [
          { id: 'bbbb', queries: [{ id: 'cccc', type: 'audience', selectedAudience: { name: 'a', member: true } }] },
        ],
      },
    },
  })
  const { profiles } = compileAudience(itself, { workspaceId, asOf, queryOf: () => itself })
  expect(profiles.text({ few: false, stored: false })).toContain(') and false')
})

test.each(eventTypes)('an event condition on the type %s also matches events of the type without a name', (type) => {
  const query = audienceQuery.parse({
    groups: { aaaa: { segments: [{ id: 'bbbb', queries: [{ id: 'cccc', type: 'event', selectedEvent: type }] }] } },
  })
  expect(compile(query).events?.text).toContain("or (event = '' and type = ")
})
