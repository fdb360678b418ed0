import { expect, test } from 'vitest'
import type { Dialect, StageRow } from './dialect.ts'
import { stageInParts } from './stage-parts.ts'

const row = (place: number, batch = '20260102T000000000Z-1'): StageRow => ({
  batch,
  place,
  table_name: 'tracks',
  mode: 'insert',
  row_key: String(place),
  received_at: '',
  row_values: '{}',
  set_null: '',
  bytes: 1,
})

const stageParts = async (parts: StageRow[][]) => {
  const done: string[] = []
  const dialect = { table: (name: string) => name, literal: (text: string) => `'${text}'` } as Dialect
  const run = async (statement: string): Promise<[]> => {
    done.push(statement)
    return []
  }
  await stageInParts({ dialect, run }, parts, async (rows) => void done.push(...rows.map(({ batch }) => batch)))
  return done
}

test('parts have a name that loads pass over, until one statement gives them that of the batch', async () => {
  const done = await stageParts([[row(1)], [row(2)]])
  const [first = '', second, last] = done
  expect(first).toMatch(/^rows-/)
  expect(second).toBe(first)
  expect(last).toBe(`UPDATE tributary_stage SET batch = '20260102T000000000Z-1' WHERE batch = '${first}'`)
  expect(done).toHaveLength(3)
})

test('a batch of one part, and rows of syncs, are staged directly', async () => {
  expect(await stageParts([[row(1), row(2)]])).toEqual(['20260102T000000000Z-1', '20260102T000000000Z-1'])
  expect(await stageParts([[row(1, 'rows-x')], [row(2, 'rows-x')]])).toEqual(['rows-x', 'rows-x'])
})
