import { expect, it } from 'vitest'
import { type EventStoreFixture, event } from './conformance-fixture.ts'
import { hostileJson } from './hostile-json.ts'
import { type BinaryRows, InsertRejected } from './port.ts'
import { createRowWriter } from './row-binary.ts'

/** Tests of values as JSON. */
export const jsonTests = (open: () => Promise<EventStoreFixture>): void => {
  it('integers are included in the numbers of a JSON column that is read with ::Nullable(Float64)', async () => {
    await using store = await open()
    const prices = [160, 160.5, '170', null, 9_007_199_254_740_991]
    await store.insert(
      'events',
      prices.map((price, index) => event(`${index}`, { properties: { price } })),
      { token: 'a' },
    )
    const [row] = await store.query(
      'select sum(p) as total, count(p) as n from (select properties.price::Nullable(Float64) as p from events where p < 1000)',
    )
    expect(row).toEqual({ total: 490.5, n: 3 })
    // The dynamic subcolumn contains only values stored as exactly that type, which is the reason for the rule.
    expect(await store.query('select count(properties.price.:Float64) as n from events')).toEqual([{ n: 1 }])
  })

  const asLines = (name: string, text: string): string[] => [
    event(`${name} before`),
    event(name, { original: text }).replace(/}$/, `,"properties":${text}}`),
  ]
  const asBytes = (name: string, text: string): BinaryRows => {
    const writer = createRowWriter()
    for (const [id, properties, original] of [
      [`${name} before`, '{}', ''],
      [name, text, text],
    ] as const) {
      writer.text(id)
      writer.text(properties)
      writer.text(original)
      writer.end()
    }
    return { columns: ['event_id', 'properties', 'original'], pieces: [writer.take().bytes] }
  }
  it.each([
    ['lines of JSON', asLines],
    ['RowBinary', asBytes],
  ])(
    'an event store stores or rejects each hostile document, and returns its original byte for byte: as %s',
    async (_, rowsOf) => {
      await using store = await open()
      const outcomes: { name: string; stored: boolean }[] = []
      for (const { name, text } of hostileJson) {
        const outcome = await store.insert('events', rowsOf(name, text), { token: name }).then(
          () => true,
          (error: unknown) => (error instanceof InsertRejected ? false : error),
        )
        expect(typeof outcome, `${name}: ${String(outcome)}`).toBe('boolean')
        outcomes.push({ name, stored: outcome === true })
      }
      expect(outcomes).toEqual(hostileJson.map(({ name, stored }) => ({ name, stored })))
      const kept = await store.query<{ event_id: string; original: string }>(
        "select event_id, original from events where original != ''",
      )
      const expected = hostileJson.filter(({ stored }) => stored).map(({ name, text }) => [name, text])
      expect(new Map(kept.map((row) => [row.event_id, row.original]))).toEqual(new Map(expected as [string, string][]))
      await store.query('select toString(properties) from events')
    },
  )

  it('an event store reads all of five thousand property names, before and after a merge of parts', async () => {
    await using store = await open()
    const names = 5000
    for (let batch = 0; batch < 2; batch += 1) {
      const rows = Array.from({ length: names / 2 }, (_, index) => {
        const number = batch * (names / 2) + index
        return event(`${number}`, {
          workspace_id: `w${number % 50}`,
          properties: { [`name_${number}`]: number, shared: number % 2 === 0 ? number : `${number}` },
        })
      })
      await store.insert('events', rows, { token: `${batch}` })
    }
    for (const merged of [false, true]) {
      if (merged) await store.command('optimize table events final')
      for (const number of [0, 1, 2499, 4999]) {
        expect(
          await store.query(
            `select sum(properties.name_${number}::Nullable(Float64)) as total, countIf(isNotNull(properties.name_${number})) as n from events`,
          ),
        ).toEqual([{ total: number, n: 1 }])
      }
      expect(await store.query('select sum(properties.shared::Nullable(Float64)) as total from events')).toEqual([
        { total: (names * (names - 1)) / 2 },
      ])
    }
  })

  it('an event store merges parts with very many property names that occur only once', async () => {
    await using store = await open()
    for (let batch = 0; batch < 2; batch += 1) {
      const rows = Array.from({ length: 10_000 }, (_, index) => {
        const names = Array.from({ length: 20 }, (_, name) => [`id_${batch}_${index}_${name}`, index])
        return event(`${batch}-${index}`, { properties: Object.fromEntries(names) })
      })
      await store.insert('events', rows, { token: `${batch}` })
    }
    await store.command('optimize table events final')
    const found = await store.query(
      `select count() as rows, uniqExact(_part) as parts, sum(properties.id_1_7777_19::Nullable(Float64)) as value from events`,
    )
    expect(found).toEqual([{ rows: 20_000, parts: 1, value: 7777 }])
  })
}
