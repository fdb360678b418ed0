import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventIdsOf, formatRecordPlace } from '@tributary/kernel'
import { type LogReader, type LogRecord, openLogReader, openLogWriter } from '@tributary/storage'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPendingEvents } from './pending-events.ts'

const workspace = '01a2045c-679e-72ef-94b1-27f97873c49a'
const dir = mkdtempSync(join(tmpdir(), 'tributary-pending-'))
const records: LogRecord[] = []
let log: LogReader

beforeAll(async () => {
  for (const opening of [1, 2]) {
    const writer = await openLogWriter({ dir, partitions: 4, inline: true })
    for (const n of [1, 2, 3]) await writer.append({ key: workspace, meta: '{}', body: Buffer.from(`${opening} ${n}`) })
    await writer.close()
  }
  log = openLogReader({ dir })
  for (let partition = 0; partition < 4; partition++) records.push(...(await log.read(partition, 0, 1e6)))
})
afterAll(() => {
  log.close()
  rmSync(dir, { recursive: true, force: true })
})

/**
 * The positions of a log of 6 records of which 3 are committed. The last committed record is from the first opening.
 */
const storedBefore = (): string => {
  const { partition, offset, incarnation } = records[2] ?? { partition: 0, offset: 0, incarnation: '' }
  return formatRecordPlace({ partition, offset: offset + 1, incarnation })
}
const isPending = (id: string, before = storedBefore(), workspaceId = workspace): Promise<boolean> =>
  createPendingEvents({ log, storedBefore: async () => before })(workspaceId, id)
const idOf = (record: number, changes: Partial<LogRecord> = {}): string =>
  eventIdsOf({ partition: 0, offset: 0, incarnation: '', ...records[record], ...changes })(3)

test.each([
  ['an accepted event that the pipeline has not committed', () => idOf(3), true],
  ['the newest event of the log', () => idOf(5), true],
  ['an event before what is committed', () => idOf(2), false],
  ['an event beyond the end of the log', () => idOf(5, { offset: 6 }), false],
  ["an event of another workspace's partition", () => idOf(3, { partition: (records[0]?.partition ?? 0) + 1 }), false],
  ['an event of an incarnation that the log does not have', () => idOf(3, { incarnation: 'zzzzzzzzzzzzzz' }), false],
  ['an id of no event', () => 'none', false],
  ['an id without an index', () => '0-0000000010', false],
])('for %s, pending is %s', async (_, id, pending) => {
  expect(await isPending(id())).toBe(pending)
})

test('if the pipeline does not respond, no event is reported as pending', async () => {
  expect(await isPending(idOf(5), '')).toBe(false)
})
