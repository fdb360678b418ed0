import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noMetrics, silentLogger } from '@tributary/kernel'
import { type LogEntry, LogUnavailable, partitionOf, StaleProducer } from '@tributary/storage'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { formatOvertaking } from '../overtaking/overtakings.ts'
import { deliveredIds, type Files, openFiles } from '../pipelines/test-world.ts'
import { defaultPipelineSettings } from '../settings.ts'
import { createDeliverBranch, type DeliverDeps } from './deliver.ts'

let dir: string
let files: Files
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tributary-deliver-'))
  files = await openFiles(dir)
})
afterEach(async () => {
  await files.close()
  await rm(dir, { recursive: true, force: true })
})

const branch = (
  deliveries: DeliverDeps['deliveries'] = files.deliveries,
  overtaking: DeliverDeps['overtaking'] = () => undefined,
) =>
  createDeliverBranch({
    deliveries,
    overtaking,
    logger: silentLogger,
    metrics: noMetrics,
    settings: { ...defaultPipelineSettings, retryBaseMs: 5, retryCapMs: 10 },
    signal: new AbortController().signal,
    onDrain() {},
  })
const partition = partitionOf('w', 8)
const record = (messageId: string): LogEntry => ({
  key: 'w',
  meta: '{}',
  body: Buffer.from(JSON.stringify([{ messageId }])),
})
const batch = (to: number, ...ids: string[]) => ({
  partition,
  lane: partition,
  to,
  incarnation: 'a',
  deliveries: ids.map(record),
})

test('a refused append delays the later groups, and all groups are appended in order', async () => {
  let refusals = 3
  const deliver = branch({
    ...files.deliveries,
    appendGroup: (...group) =>
      refusals-- > 0 ? Promise.reject(new LogUnavailable('full')) : files.deliveries.appendGroup(...group),
  })
  expect(await deliver.begin()).toEqual({ behind: [], ahead: [] })
  await Promise.all([deliver.add(batch(4, 'a', 'b')), deliver.add(batch(6)), deliver.add(batch(9, 'c'))])
  expect(await deliveredIds(files.deliveriesReader)).toEqual(['a', 'b', 'c'])
  expect(await files.deliveries.lastSequences('events')).toMatchObject([{ partition, sequence: 9, note: 'a' }])
})

test('once a successor has begun, appends of the predecessor are refused, and the successor gets the last sequence', async () => {
  const old = branch()
  await old.begin()
  await old.add(batch(4, 'a'))
  const successor = branch()
  expect(await successor.begin()).toMatchObject({ behind: [{ partition, sequence: 4 }], ahead: [] })
  await expect(old.add(batch(9, 'late'))).rejects.toBeInstanceOf(StaleProducer)
  await successor.add(batch(9, 'b'))
  expect(await deliveredIds(files.deliveriesReader)).toEqual(['a', 'b'])
})

test('groups of both readings are appended in the order of the calls; those read ahead have their own sequence and note the overtaken workspaces', async () => {
  const overtaking = { from: 3, workspaces: new Map([['w-slow', 3]]), until: undefined }
  const deliver = branch(files.deliveries, () => overtaking)
  await deliver.begin()
  await Promise.all([
    deliver.add({ ...batch(30, 'fast'), lane: partition + 8 }),
    deliver.add(batch(5, 'slow')),
    deliver.add({ ...batch(40, 'faster'), lane: partition + 8 }),
  ])
  expect(await deliveredIds(files.deliveriesReader)).toEqual(['fast', 'slow', 'faster'])
  const { behind, ahead } = await branch().begin()
  expect(behind).toMatchObject([{ partition, sequence: 5, note: 'a' }])
  expect(ahead).toMatchObject([{ partition, sequence: 40, note: `a ${formatOvertaking(overtaking)}` }])
})
