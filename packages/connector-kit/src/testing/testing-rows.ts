import { expect, it } from 'vitest'
import type { EventOutcome, OutgoingRow } from '../definition/definition.ts'

/** A record as the suite writes and reads it: identified by `id`, with a text that may be null. */
export type TestRecord = { id: string; plan: string | null }

/** An object of a destination that supports every mode, such as tables; each name is a separate, empty object. */
export type RowObjectCase = {
  /** Returns the object name in rows, for a name that the user chose. The field `id` identifies records. */
  address: (name: string) => string
  /** Delivers rows to the connector; returns an outcome for each. */
  write: (rows: readonly OutgoingRow[]) => Promise<readonly EventOutcome[]>
  /** Returns the existing records, sorted by ID. */
  read: (name: string) => Promise<readonly TestRecord[]>
  /** Makes the destination itself reject records with the plan `bad` from now on. */
  refuseBad: (name: string) => Promise<void> | void
}

const delivered = { kind: 'delivered' }
const skipped = { kind: 'skipped', reason: expect.stringMatching(/./) }

/** Defines the tests for an object that supports every mode. Special behavior has its own tests. */
export const testRowObject = (given: RowObjectCase): void => {
  const rowOf =
    (name: string) =>
    (operation: OutgoingRow['operation'], id: string, plan?: string | null): OutgoingRow => ({
      recordId: `run.${operation}.${id}`,
      operation,
      object: given.address(name),
      key: id,
      json: JSON.stringify(plan === undefined ? { id } : { id, plan }),
    })
  const write = (...rows: readonly OutgoingRow[]) => given.write(rows)

  it('upserts create and overwrite records, nulls included; deletes remove them, also missing ones', async () => {
    const row = rowOf('people')
    expect(await write(row('upsert', 'a', 'pro'), row('upsert', 'b', 'free'))).toEqual([delivered, delivered])
    expect(await given.read('people')).toEqual([
      { id: 'a', plan: 'pro' },
      { id: 'b', plan: 'free' },
    ])
    expect(await write(row('upsert', 'b', null), row('delete', 'a'), row('delete', 'z'))).toEqual([
      delivered,
      delivered,
      delivered,
    ])
    expect(await given.read('people')).toEqual([{ id: 'b', plan: null }])
  })

  it('an insert does not change an existing record, and an update does not create one: both are skipped', async () => {
    const row = rowOf('kept')
    await write(row('insert', 'a', 'pro'))
    expect(await write(row('insert', 'a', 'x'), row('insert', 'b', 'y'))).toEqual([skipped, delivered])
    expect(await write(row('update', 'c', 'z'), row('update', 'b', 'new'))).toEqual([skipped, delivered])
    expect(await given.read('kept')).toEqual([
      { id: 'a', plan: 'pro' },
      { id: 'b', plan: 'new' },
    ])
  })

  it('rows of one batch are applied in order', async () => {
    const row = rowOf('ordered')
    const rows = [
      row('upsert', 'a', '1'),
      row('delete', 'a'),
      row('insert', 'a', '2'),
      row('upsert', 'a', '3'),
      row('upsert', 'a', '4'),
    ]
    expect(await write(...rows)).toEqual(rows.map(() => delivered))
    expect(await given.read('ordered')).toEqual([{ id: 'a', plan: '4' }])
  })

  it('a repeated batch changes nothing, and its rows are delivered or skipped', async () => {
    const row = rowOf('again')
    const rows = [row('upsert', 'a', 'pro'), row('insert', 'b', 'free'), row('update', 'a', 'max'), row('delete', 'c')]
    expect(await write(...rows)).toEqual(rows.map(() => delivered))
    const there = await given.read('again')
    expect(await write(...rows)).toEqual([delivered, skipped, delivered, delivered])
    expect(await given.read('again')).toEqual(there)
  })

  it('rejected rows are found among many rows and rejected individually, with the reason', async () => {
    const row = rowOf('typed')
    await write(row('upsert', 'first', 'good'))
    await given.refuseBad('typed')
    const bad = new Set([0, 13, 77])
    const rows = Array.from({ length: 90 }, (_, at) => row('upsert', `k${at}`, bad.has(at) ? 'bad' : 'good'))
    const outcomes = await write(...rows)
    expect(outcomes).toEqual(
      rows.map((_, at) => (bad.has(at) ? { kind: 'rejected', reason: expect.stringMatching(/./) } : delivered)),
    )
    const there = await given.read('typed')
    expect(there).toHaveLength(88)
    expect(there.every(({ plan }) => plan === 'good')).toBe(true)
  })

  it('in an empty object, an update is skipped and a delete is delivered', async () => {
    const row = rowOf('nowhere')
    expect(await write(row('update', 'a', 'pro'), row('delete', 'a'))).toEqual([skipped, delivered])
  })
}
