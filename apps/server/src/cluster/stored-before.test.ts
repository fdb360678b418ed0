import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatRecordPlace, formatRecordPlaces } from '@tributary/kernel'
import { type LogReader, type LogWriter, openLogReader, openLogWriter, partitionOf } from '@tributary/storage'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLogRetention } from '../operations/retention.ts'
import { createOldestLogged, createWhenStored } from './stored-before.ts'

let dir: string
let log: LogWriter
let reader: LogReader
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tributary-test-'))
  log = await openLogWriter({ dir, partitions: 4, inline: true, segmentBytes: 1 })
  reader = openLogReader({ dir })
})
afterEach(async () => {
  reader.close()
  await log.close()
  await rm(dir, { recursive: true, force: true })
})

const ofIt = async (workspaceId: string): Promise<number[]> => [partitionOf(workspaceId, 4)]
const append = (key: string, text: string) => log.append({ key, meta: '{}', body: Buffer.from(text) })

test('whenStored waits until the pipeline has stored the current log, but not for later records', async () => {
  const { partition, offset } = await append('w', 'one')
  const incarnation = (await reader.incarnations(partition)).at(-1)?.incarnation ?? ''
  let stored = { partition, offset, incarnation }
  const whenStored = createWhenStored({
    log: reader,
    partitionsOf: ofIt,
    storedBefore: async () => formatRecordPlace(stored),
  })
  let done = false
  const waiting = whenStored('w', new AbortController().signal).then(() => {
    done = true
  })
  await append('w', 'two')
  expect(done).toBe(false)
  stored = { ...stored, offset: offset + 1 }
  await waiting
  await expect(whenStored('w', AbortSignal.timeout(50))).rejects.toThrow()
})

test('whenStored waits for all partitions that may have data of a workspace', async () => {
  const partition = partitionOf('w', 4)
  const other = (partition + 1) % 4
  await append('w', 'one')
  await log.append({ key: 'w', partition: other, meta: '{}', body: Buffer.from('two') })
  const placeOf = async (of: number, offset: number) => {
    const incarnation = (await reader.incarnations(of)).at(-1)?.incarnation ?? ''
    return { partition: of, offset, incarnation }
  }
  const stored = [await placeOf(partition, 1), await placeOf(other, 0)]
  const partitionsOf = async () => [partition, other]
  const whenStored = createWhenStored({
    log: reader,
    partitionsOf,
    storedBefore: async () => formatRecordPlaces(stored),
  })
  await expect(whenStored('w', AbortSignal.timeout(150))).rejects.toThrow()
  stored[1] = await placeOf(other, 1)
  await expect(whenStored('w', AbortSignal.timeout(5000))).resolves.toBeUndefined()
  const [first] = await reader.read(other, 0, 1)
  const oldestLogged = createOldestLogged([reader], async () => [other])
  expect(await oldestLogged('w')).toBe(first?.time)
})

test('whenStored does not wait if the log has been reopened and has no new records of the workspace', async () => {
  const { partition, offset } = await append('w', 'one')
  const incarnation = (await reader.incarnations(partition)).at(-1)?.incarnation ?? ''
  await log.close()
  log = await openLogWriter({ dir, partitions: 4, inline: true, segmentBytes: 1 })
  const others = ['a', 'b', 'c', 'd', 'e'].filter((key) => partitionOf(key, 4) !== partition)
  await append(others[0] ?? '', 'of another partition')
  const stored = formatRecordPlace({ partition, offset: offset + 1, incarnation })
  const whenStored = createWhenStored({ log: reader, partitionsOf: ofIt, storedBefore: async () => stored })
  await expect(whenStored('w', AbortSignal.timeout(5000))).resolves.toBeUndefined()
})

test('after retention has removed the records from before a time, no file of the log has them', async () => {
  const oldestLogged = createOldestLogged([reader], ofIt)
  expect(await oldestLogged('w')).toBe(Number.POSITIVE_INFINITY)
  await append('w', 'u-secret')
  const time = Date.now()
  expect(await oldestLogged('w')).toBeLessThanOrEqual(time)
  await expect.poll(() => Date.now()).toBeGreaterThan(time + 5)
  await append('w', 'later')
  const partition = partitionOf('w', reader.partitions)
  const retention = createLogRetention({
    log,
    positionsBefore: (before) => reader.positionsBefore(before),
    keepMs: 0,
    needed: async () => (await reader.ends()).map((offset, index) => ({ partition: index, offset })),
    clock: () => Date.now() + 1,
  })
  await retention.run()
  expect(await oldestLogged('w')).toBeGreaterThan(time)
  expect(await reader.read(partition, 0, 1000)).toHaveLength(1)
  const files = await Promise.all(
    (await readdir(dir, { recursive: true, withFileTypes: true }))
      .filter((each) => each.isFile())
      .map((each) => readFile(join(each.parentPath, each.name), 'latin1')),
  )
  expect(files.join('')).toContain('later')
  expect(files.join('')).not.toContain('u-secret')
})
