import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Files, openFiles } from '../pipelines/test-world.ts'
import { uncommittedDeliveries } from './uncommitted-deliveries.ts'

let dir: string
let files: Files
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tributary-uncommitted-deliveries-'))
  files = await openFiles(dir)
})
afterEach(async () => {
  await files.close()
  await rm(dir, { recursive: true, force: true })
})

const request = async (key: string) => await files.requests.append({ key, meta: '{}', body: Buffer.from('{}') })

const append = async (key: string, ids: readonly string[], more: object = {}) => {
  const events = ids.map((eventId) => JSON.stringify({ eventId, event: 'a,\n{"eventId":"9-0000000000-0000"' }))
  await files.deliveries.append({
    key,
    meta: JSON.stringify({ w: key, s: 's', d: ['d'], n: ids.length, ...more }),
    body: Buffer.from(`[${events.join(',\n')}]\n`),
  })
}

const uncommitted = async (
  committed: [number, number][],
  isKnown?: (partition: number) => boolean,
): Promise<string[]> =>
  [
    ...(await uncommittedDeliveries({
      requests: files.reader,
      committed: new Map(committed),
      deliveries: files.deliveriesReader,
      ...(isKnown && { isKnown }),
    })),
  ].toSorted()

const idOf = (partition: number, offset: number, index: number): string =>
  `${partition}-${String(offset).padStart(10, '0')}-${String(index).padStart(4, '0')}`

test('uncommitted deliveries do not include committed ones, deliveries of replays, and events that were never appended', async () => {
  const { partition } = await request('w')
  await append('w', [idOf(partition, 0, 0), idOf(partition, 0, 1)])
  await request('w')
  await request('w')
  await append('w', [idOf(partition, 1, 0)], { p: 'replay' })
  expect(await uncommitted([[partition, 1]])).toEqual([])
  await append('w', [idOf(partition, 1, 0), idOf(partition, 2, 7)])
  expect(await uncommitted([[partition, 1]])).toEqual([idOf(partition, 1, 0), idOf(partition, 2, 7)])
  expect(await uncommitted([])).toEqual(
    [0, 1].map((n) => idOf(partition, 0, n)).concat(idOf(partition, 1, 0), idOf(partition, 2, 7)),
  )
})

test('a fully committed log has no uncommitted deliveries', async () => {
  const { partition } = await request('w')
  await append('w', [idOf(partition, 0, 0)])
  expect(await uncommitted([[partition, 1]])).toEqual([])
})

test('uncommitted deliveries are found even if later ones were appended, and are only looked up in partitions with open requests that are not known', async () => {
  const keys = ['a', 'b', 'c', 'd']
  const places = await Promise.all(keys.map(request))
  const expected: string[] = []
  for (let n = 0; n < 300; n++)
    for (const [at, key] of keys.entries()) {
      const partition = places[at]?.partition ?? 0
      const id = idOf(partition, 0, n)
      await append(key, [id])
      if (partition !== places[0]?.partition) expected.push(id)
    }
  const done = places.filter(({ partition }) => partition === places[0]?.partition).length
  const rest = [...new Set(expected)].toSorted()
  expect(await uncommitted([[places[0]?.partition ?? 0, done]])).toEqual(rest)
  expect(await uncommitted([], (partition) => partition === places[0]?.partition)).toEqual(rest)
})

test('reading uncommitted deliveries reads only the end of the log if most of a long backlog is committed', async () => {
  const { partition } = await request('w')
  for (let n = 1; n < 400; n++) await request('w')
  for (let n = 0; n < 390; n++) await append('w', [idOf(partition, n, 0)])
  let read = 0
  const deliveries = {
    ...files.deliveriesReader,
    read: async (...args: Parameters<typeof files.deliveriesReader.read>) => {
      const records = await files.deliveriesReader.read(...args)
      read += records.length
      return records
    },
  }
  const found = await uncommittedDeliveries({
    requests: files.reader,
    committed: new Map([[partition, 380]]),
    deliveries,
  })
  expect([...found]).toEqual(Array.from({ length: 10 }, (_, n) => idOf(partition, 380 + n, 0)))
  expect(read).toBeLessThan(40)
})

test('deliveries appended before the oldest open request belong to another log, regardless of their IDs', async () => {
  await append(
    'w',
    Array.from({ length: files.reader.partitions }, (_, partition) => idOf(partition, 0, 0)),
  )
  await pause(5)
  await request('w')
  expect(await uncommitted([])).toEqual([])
})
