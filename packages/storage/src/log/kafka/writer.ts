import { type LogPosition, type LogWriter, StaleProducer } from '../port.ts'
import { type AppendingOptions, createAppending } from './appending.ts'
import { openCluster } from './cluster.ts'
import type { ControlChange } from './control.ts'
import { WriterReplaced } from './errors.ts'
import type { Item } from './items.ts'
import { type KafkaLogOptions, topicsOf } from './options.ts'
import { openPartitions, type Partitions } from './partitions.ts'
import { openSession, type Session } from './session.ts'
import { bytesBefore, recordEnds } from './tails.ts'
import { ensureTopics } from './topics.ts'

/**
 * Counts the bytes that a log keeps in Kafka from its first offsets on. Kafka's own figure counts whole segments, which
 * it deletes later, and needs a permission on the cluster. Each batch has the number of bytes before it.
 */
const createHeldBytes = (data: Partitions): ((session: Session, starts: readonly number[]) => Promise<number>) => {
  /** By partition, an offset and the bytes before it. */
  const known = new Map<number, { offset: number; bytes: number }>()
  return async (session, starts) => {
    const holding = [...starts.entries()].filter(([partition, start]) => start < (session.ends[partition] ?? 0))
    const unknown = new Map(holding.filter(([partition, start]) => known.get(partition)?.offset !== start))
    for (const [partition, bytes] of await bytesBefore(data, session.control, unknown))
      known.set(partition, { offset: unknown.get(partition) ?? 0, bytes })
    return holding.reduce(
      (sum, [partition]) => sum + (session.bytes[partition] ?? 0) - (known.get(partition)?.bytes ?? 0),
      0,
    )
  }
}

export type KafkaLogWriterOptions = KafkaLogOptions &
  AppendingOptions & {
    /** Fixed for the lifetime of the topics. */
    partitions?: number
    /**
     * The partitions to which this writer appends; all unless given. Other writers, in this or other processes, may
     * append to the other partitions.
     */
    owned?: readonly number[]
    /** Size of Kafka's segments, if the topic is created here. Kafka frees disk space by whole segments. */
    segmentBytes?: number
    /** Age of Kafka's segments in ms, if the topic is created here. */
    segmentMs?: number
    /**
     * Whether others append next to this writer (`openKafkaLogAppender`). Then producers have no sequences, and bytes
     * are not counted.
     */
    isShared?: boolean
    /** The data folder of the process, recorded with the opening and returned by `readKafkaLogHolder`. */
    folder?: string
    /** Called after each durable commit, so that readers can be notified of new records. */
    onCommit?(): void
    /**
     * Called once when another process has opened the log for writing, so that nothing can be appended here any more.
     */
    onReplaced?(error: WriterReplaced): void
  }

/** Bytes after which the state is recorded that a start would otherwise read from the data. */
const checkpointBytes = 32 * 1024 * 1024
/** How long an opening lasts before it is renewed, since Kafka deletes a producer without appends after seven days. */
const renewMs = 24 * 3_600_000

const openTopics = async (options: KafkaLogWriterOptions & { partitions: number }) => {
  const cluster = openCluster(options)
  const names = topicsOf(options)
  try {
    await ensureTopics(cluster, options)
    const data = await openPartitions(cluster, names.data)
    const controlTopic = await openPartitions(cluster, names.control)
    const own = new Set<string>()
    const { isShared, owned, folder } = options
    if (owned?.length === 0 || owned?.some((partition) => !(partition >= 0 && partition < data.count)))
      throw new RangeError(`A writer of ${names.data} has partitions between 0 and ${data.count - 1}`)
    const topics = { cluster, data, controlTopic, name: names.data, isShared, owned, folder }
    return { topics, own, session: await openSession(topics, own) }
  } catch (error) {
    cluster.close()
    throw error
  }
}

/** Whether an item must be written. An item that is already stored, or of a former epoch, is settled instead. */
const isWanted = ({ producers }: Session, item: Item, settle: (item: Item, how: () => void) => void): boolean => {
  const { stamp } = item
  if (stamp === undefined) return true
  const known = producers.get(stamp.producer)
  if ((known?.epoch ?? 0) !== stamp.epoch) {
    settle(item, () => item.reject(new StaleProducer(stamp.producer, stamp.epoch)))
    return false
  }
  const last = known?.last.get(item.partition)
  if (last === undefined || last.epoch !== stamp.epoch || stamp.sequence > last.sequence) return true
  settle(item, () => item.resolve(undefined))
  return false
}

/** The sessions in which a log is written, one after the other. */
const createSessions = (
  { topics, own, session: first }: Awaited<ReturnType<typeof openTopics>>,
  onReplaced: KafkaLogWriterOptions['onReplaced'],
) => {
  /** The current session; undefined after Kafka has lost the state of its producer. */
  let session: Session | undefined = first
  /** The incarnation to keep in the next session; undefined if appended records were lost. */
  let continues: string | undefined
  let openedAt = performance.now()
  let replaced: WriterReplaced | undefined

  const fail = (error: unknown): void => {
    if (!(error instanceof WriterReplaced) || replaced !== undefined) return
    replaced = error
    onReplaced?.(error)
  }

  /**
   * The session to write in. It is a new one if Kafka has lost the state of the old one, or the old one has reached its
   * maximum age. If the old session was too old, the incarnation continues, since others append while the new session
   * begins.
   */
  const current = async (): Promise<Session> => {
    if (replaced !== undefined) throw replaced
    if (session !== undefined && performance.now() - openedAt < renewMs) return session
    if (session !== undefined) continues = session.incarnation
    session = undefined
    session = await openSession(topics, own, continues)
    openedAt = performance.now()
    return session
  }
  return {
    current,
    fail,
    now: () => session,
    replaced: () => replaced,
    /** Gives up the session: Kafka has lost the state of its producer, and appended records may be lost. */
    lose(): void {
      session = undefined
      continues = undefined
    },
  }
}

/** Records the state that a start would otherwise read from the data. */
const createSaving = (topicId: string, owned: ReadonlySet<number>, isShared: boolean) => {
  let unsaved = 0
  const unsavedProducers = new Set<string>()
  return {
    unsaved: () => unsaved,
    note(items: readonly Item[], bytes: number): void {
      unsaved += bytes
      for (const { stamp } of items) if (stamp !== undefined) unsavedProducers.add(stamp.producer)
    },
    async save(now: Session): Promise<void> {
      if (unsaved === 0 || isShared) return
      unsaved = 0
      const changes: ControlChange[] = []
      for (const producer of unsavedProducers) {
        const value = now.producers.get(producer)
        if (value !== undefined) changes.push({ of: now.name, producer, value })
      }
      unsavedProducers.clear()
      const positions = now.ends.map((end, partition) => (owned.has(partition) ? end : null))
      await now.change([...changes, { of: now.name, checkpoint: { topicId, positions } }])
    },
  }
}

/** The offsets after the newest records. */
const endsOf = async (data: Partitions, now: Session, isShared: boolean): Promise<readonly number[]> => {
  if (!isShared) return now.ends
  const next = await data.offsets('next')
  const found = await recordEnds(data, now.control, new Map(next.entries()), {})
  return next.map((_, partition) => found.get(partition) ?? 0)
}

const beginEpoch = async (now: Session, producer: string): Promise<number> => {
  const known = now.producers.get(producer)
  const state = { epoch: (known?.epoch ?? 0) + 1, last: known?.last ?? new Map() }
  await now.change([{ of: now.name, producer, value: state }])
  await now.requireNewest()
  now.producers.set(producer, state)
  return state.epoch
}

/** The offsets below which records may be deleted, of partitions that have such records. */
const deletable = (before: readonly LogPosition[], starts: readonly number[], ends: readonly number[]) => {
  const below = new Map<number, number>()
  for (const { partition, offset } of before) {
    const to = Math.min(offset, ends[partition] ?? 0)
    if (to > (starts[partition] ?? 0)) below.set(partition, to)
  }
  return below
}

/**
 * Opens a log for writing on Kafka, and creates missing topics. All in-sync replicas have every acknowledged record. A
 * partition has one writer at a time: opening it ends the previous writer. An append to a partition that is not `owned`
 * rejects with a RangeError. Rejects with KafkaUnusable, which explains what an operator has to change.
 */
export const openKafkaLogWriter = async (options: KafkaLogWriterOptions): Promise<LogWriter> => {
  const { partitions = 64, isShared = false } = options
  const opened = await openTopics({ ...options, partitions })
  const { cluster, data } = opened.topics
  const owned: ReadonlySet<number> = new Set(opened.session.owned)
  const sessions = createSessions(opened, options.onReplaced)
  const saving = createSaving(data.id, owned, isShared)
  const heldBytes = createHeldBytes(data)

  const appending = createAppending<Session>({
    ...options,
    cluster,
    data,
    current: sessions.current,
    owned,
    onLost: sessions.lose,
    onFailure: sessions.fail,
    refusedFor: sessions.replaced,
    isWanted,
    onDone: saving.note,
    async onRound(now) {
      options.onCommit?.()
      if (saving.unsaved() > checkpointBytes) await saving.save(now)
    },
  })
  const { answered } = appending
  const requireAlone = (): void => {
    if (isShared)
      throw new RangeError(`${data.topic} is appended to by several processes: it keeps no sequences of producers`)
  }
  return {
    partitions,
    queuedBytes: appending.queuedBytes,
    isUnsure: appending.isUnsure,
    async append(entry) {
      const position = await appending.append([entry])
      if (position === undefined) throw new Error('An entry without a stamp cannot be there already')
      return position
    },
    async appendGroup(entries, stamp) {
      if (stamp !== undefined) requireAlone()
      return await appending.append(entries, stamp)
    },
    async beginEpoch(producer) {
      requireAlone()
      return await answered((now) => beginEpoch(now, producer))
    },
    async lastSequences(producer) {
      requireAlone()
      return await answered(async (now) => [...(now.producers.get(producer)?.last.values() ?? [])])
    },
    trim: (before: readonly LogPosition[]) =>
      answered(async (now) => {
        await saving.save(now)
        const starts = await data.offsets('first')
        const to = await endsOf(data, now, isShared)
        const own = before.filter(({ partition }) => owned.has(partition))
        const below = deletable(own, starts, to)
        if (below.size > 0) await data.deleteBelow(below)
      }),
    async stats() {
      const now = sessions.now()
      const starts = await data.offsets('first')
      const to = now === undefined ? [] : await endsOf(data, now, isShared)
      return {
        partitions: [...owned].map((at) => ({ partition: at, first: starts[at] ?? 0, next: to[at] ?? 0 })),
        bytes: now === undefined || isShared ? 0 : await heldBytes(now, starts),
      }
    },
    close: () =>
      appending.close(async () => {
        const now = sessions.now()
        if (now !== undefined && sessions.replaced() === undefined) await saving.save(now)
      }),
  }
}
