import { existsSync } from 'node:fs'
import type { Logger } from '@tributary/kernel'
import {
  groupOfPartition,
  journalFilePlaces,
  journalPlaces,
  type LogReader,
  type LogRecord,
  nameOfGroup,
  openRelational,
  partitionGroups,
  type Relational,
  requireSchema,
} from '@tributary/storage'
import { folders } from '../../boot/engines.ts'
import { type LogName, openLogs } from '../../boot/open-log.ts'
import { requireJournals, requireLog } from '../../boot/require-engines.ts'
import { type Config, isShared } from '../../config/config.ts'

/** The consumers of the logs, each with its log. */
export const consumers = [
  { name: 'pipeline', log: 'requests', isGrouped: true },
  { name: 'delivery', log: 'stream', isGrouped: true },
  { name: 'profiles', log: 'stream', isGrouped: false },
  { name: 'signals', log: 'stream', isGrouped: false },
] as const satisfies readonly { name: string; log: LogName; isGrouped: boolean }[]

export type ConsumerName = (typeof consumers)[number]['name']

/**
 * Position of a consumer in a partition: the first offset of the log, the next offset to read, the end of the log, and
 * the number of waiting records.
 */
export type PartitionPosition = { partition: number; begin: number; position: number; end: number; waiting: number }

/** A consumer, or one of its groups, with the partitions that ever had records. */
export type ConsumerPosition = {
  consumer: ConsumerName
  /** The name of its journal, such as `delivery 2/4`. */
  name: string
  log: 'requests' | 'stream'
  partitions: PartitionPosition[]
  waiting: number
  /** When the oldest waiting record was appended, epoch ms; undefined if none waits. */
  oldestTime: number | undefined
}

/** Thrown if no consumer can have a position yet. */
export class NothingRead extends Error {
  override readonly name = 'NothingRead'
}

/** Location of the journals. */
export type Journals =
  | { kind: 'files'; fileOf(consumer: ConsumerName): string }
  | { kind: 'database'; relational: Relational; groups: number }

export type OpenConsumers = AsyncDisposable & {
  readers: Readonly<Record<'requests' | 'stream', LogReader>>
  journals: Journals
  /** The positions of a consumer, by partition; undefined if it never ran. */
  placesOf(consumer: ConsumerName): Promise<readonly { partition: number; offset: number }[] | undefined>
}

/**
 * Opens the logs and the journals of all consumers read-only, whether or not Tributary is running. @throws NothingRead,
 * EngineAway
 */
export const openConsumers = async (config: Config, { logger }: { logger: Logger }): Promise<OpenConsumers> => {
  if (config.log.kind === 'embedded' && !existsSync(folders(config.dataDir).log))
    throw new NothingRead(`There is no log in ${config.dataDir} yet.`)
  await Promise.all([requireLog(config), requireJournals(config)])
  const stack = new AsyncDisposableStack()
  try {
    const logs = openLogs(config)
    const open = async (name: 'requests' | 'stream'): Promise<LogReader> => {
      const reader = await logs.reader(name)
      stack.defer(() => reader.close())
      return reader
    }
    const readers = { requests: await open('requests'), stream: await open('stream') }
    let journals: Journals = { kind: 'files', fileOf: (consumer) => folders(config.dataDir).journal(consumer) }
    if (isShared(config) && config.relational.kind === 'remote') {
      const relational = openRelational({ url: config.relational.url, logger, maxConnections: 2, statementMs: 0 })
      stack.defer(() => relational.close())
      await requireSchema(relational.db)
      journals = { kind: 'database', relational, groups: await partitionGroups(relational) }
    }
    const opened = stack.move()
    return {
      readers,
      journals,
      async placesOf(consumer) {
        if (journals.kind === 'files') return journalFilePlaces(journals.fileOf(consumer))
        const isGrouped = consumers.some(({ name, isGrouped: grouped }) => name === consumer && grouped)
        const places = await journalPlaces(journals.relational, consumer, isGrouped ? journals.groups : 1)
        return places.length === 0 ? undefined : places
      },
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

/** The first record with content from an offset on, if there is one. */
export const firstFrom = async (
  reader: LogReader,
  partition: number,
  offset: number,
): Promise<LogRecord | undefined> => {
  const [found] = await reader.read(partition, offset, 1)
  return found
}

/** Reads the positions of every consumer that ever ran, by its groups. */
export const readPositions = async ({ readers, journals, placesOf }: OpenConsumers): Promise<ConsumerPosition[]> => {
  const found: ConsumerPosition[] = []
  for (const { name: consumer, log, isGrouped } of consumers) {
    const places = await placesOf(consumer)
    if (places === undefined) continue
    const reader = readers[log]
    const [begins, ends] = [await reader.starts(), await reader.ends()]
    const known = new Map(places.map(({ partition, offset }) => [partition, offset]))
    const groups = journals.kind === 'database' && isGrouped ? journals.groups : 1
    for (let group = 0; group < groups; group++) {
      const partitions = ends.flatMap((end, partition): PartitionPosition[] => {
        if (end === 0 || groupOfPartition(partition, groups) !== group) return []
        const begin = begins[partition] ?? 0
        const position = Math.max(known.get(partition) ?? 0, begin)
        return [{ partition, begin, position, end, waiting: Math.max(0, end - position) }]
      })
      let oldestTime: number | undefined
      for (const { partition, position, waiting } of partitions) {
        const first = waiting === 0 ? undefined : await firstFrom(reader, partition, position)
        if (first !== undefined) oldestTime = Math.min(oldestTime ?? first.time, first.time)
      }
      const waiting = partitions.reduce((sum, each) => sum + each.waiting, 0)
      found.push({ consumer, name: nameOfGroup(consumer, { group, groups }), log, partitions, waiting, oldestTime })
    }
  }
  return found
}
