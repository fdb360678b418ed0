import { findCoordinatorV4, initProducerIdV4 } from '@platformatic/kafka'
import { newIncarnation } from '../incarnations.ts'
import type { ProducerStamp } from '../port.ts'
import { type BatchHead, encodeBatch, type WriterStamp } from './batches.ts'
import { type Cluster, persistently } from './cluster.ts'
import {
  type Control,
  type ControlChange,
  encodeControl,
  followControl,
  type Opening,
  type ProducerState,
} from './control.ts'
import { codes, KafkaAnswer, KafkaUnusable, meaningOf, WriterReplaced } from './errors.ts'
import type { Partitions } from './partitions.ts'
import { bytesBehind, recordEnds } from './tails.ts'
import { openMs } from './topics.ts'

const coordinatesTransactions = 1
const transactionMs = 60_000
const noProducer = -1n
const scanBytes = 8 * 1024 * 1024
const wrap = 0x7fffffff
const oneBatch = 1024 * 1024
/** Number of epochs that are begun in parallel. */
const initsAtOnce = 16
/** Maximum number of control topic changes in one batch. */
const changesAtOnce = 100

/** The sequences of a producer in Kafka, by partition: each grows by the number of appended records. */
const createSequences = (producerOf: (partition: number) => Producer) => {
  const sequences = new Map<number, number>()
  return {
    stamp(partition: number): WriterStamp {
      const { id, epoch } = producerOf(partition)
      return { producerId: id, epoch, sequence: sequences.get(partition) ?? 0 }
    },
    advance(partition: number, records: number): void {
      sequences.set(partition, ((sequences.get(partition) ?? 0) + records) & wrap)
    },
  }
}

/** The producer of batches: it creates the header of each, and the stamp by which Kafka recognizes a repetition. */
export type Sending = {
  /** The header of the next batch of a partition. */
  head(partition: number, stamp: ProducerStamp | undefined): BatchHead
  /** The next batch's stamp for Kafka. */
  stamp(partition: number): WriterStamp
  /** Called when a batch was acknowledged at an offset. */
  acknowledged(
    partition: number,
    batch: { base: number; records: number; bytes: number; stamp: ProducerStamp | undefined },
  ): void
}

/** One opening of partitions of a log for writing. From then on, Kafka rejects appends of earlier openings to them. */
export type Session = Sending & {
  /** The name of the opening. */
  readonly name: string
  /** The incarnation of the records of the opening. */
  readonly incarnation: string
  readonly owned: readonly number[]
  readonly control: Control
  /** The offset after the newest record, by partition. */
  readonly ends: number[]
  /** The bytes of all batches so far, by partition. */
  readonly bytes: number[]
  readonly producers: Map<string, ProducerState>
  /** Writes to the control topic; durable when it resolves. */
  change(changes: readonly ControlChange[]): Promise<void>
  /** Rejects with WriterReplaced if another opening of one of its partitions is recorded. */
  requireNewest(): Promise<void>
}

type Producer = { id: bigint; epoch: number }

/** Begins an epoch of the producer with this name. Kafka then rejects batches of earlier epochs. */
const initProducer = (cluster: Cluster, name: string): Promise<Producer> =>
  persistently(cluster, openMs, async () => {
    const found = await cluster.call(undefined, findCoordinatorV4.api, coordinatesTransactions, [name])
    const [coordinator] = found.coordinators
    if (coordinator === undefined) throw new KafkaAnswer(codes.unknownTopic, 'no coordinator')
    const denied = `Kafka does not let this user write as the transactional id ${name}. Grant Write and Describe on all that begin with its prefix of topics`
    if (coordinator.errorCode === codes.transactionalIdDenied) throw new KafkaUnusable(denied)
    if (coordinator.errorCode !== codes.none) throw new KafkaAnswer(coordinator.errorCode, `coordinator of ${name}`)
    const answer = await cluster.call(coordinator, initProducerIdV4.api, name, transactionMs, noProducer, -1)
    if (answer.errorCode === codes.transactionalIdDenied) throw new KafkaUnusable(denied)
    if (answer.errorCode !== codes.none) throw new KafkaAnswer(answer.errorCode, `producer ${name}`)
    return { id: answer.producerId, epoch: answer.producerEpoch }
  })

/**
 * Sends batches until each is acknowledged; resolves to their offsets. For batches of openings and of the control
 * topic.
 */
const sendAll = async (
  cluster: Cluster,
  topic: Partitions,
  batches: ReadonlyMap<number, Buffer>,
  ifFenced?: 'fenced is done',
): Promise<Map<number, number>> => {
  const offsets = new Map<number, number>()
  await persistently(cluster, openMs, async () => {
    const outcomes = await topic.produce(new Map([...batches].filter(([partition]) => !offsets.has(partition))))
    let failure: unknown
    for (const [partition, { code, base, error }] of outcomes) {
      const meaning = meaningOf(code)
      if (meaning === 'done' || (meaning === 'fenced' && ifFenced !== undefined)) offsets.set(partition, base)
      else if (meaning === 'fenced') throw new WriterReplaced(topic.topic)
      else if (code === codes.topicDenied)
        throw new KafkaUnusable(`Kafka does not let this user write to ${topic.topic}. Grant Write on it`)
      else failure = error ?? new KafkaAnswer(code, `partition ${partition} of ${topic.topic}`)
    }
    if (failure !== undefined) throw failure
  })
  return offsets
}

/** Adds the producer state from batches after the checkpoint. */
const readOn = async (
  data: Partitions,
  producers: Map<string, ProducerState>,
  from: readonly number[],
  to: ReadonlyMap<number, number>,
): Promise<void> => {
  const starts = await data.offsets('first')
  const at = new Map(
    [...to.keys()].map((partition) => [partition, Math.max(from[partition] ?? 0, starts[partition] ?? 0)]),
  )
  for (;;) {
    const open = new Map([...at].filter(([partition, offset]) => offset < (to.get(partition) ?? 0)))
    if (open.size === 0) return
    const fetched = await data.fetch(open, Math.ceil(scanBytes / open.size))
    for (const [partition, { batches, start }] of fetched) {
      const offset = at.get(partition) ?? 0
      for (const { next, head } of batches) {
        if (next <= offset) continue
        at.set(partition, next)
        if (head?.p === undefined) continue
        const known = producers.get(head.p) ?? { epoch: 0, last: new Map() }
        known.last.set(partition, { partition, epoch: head.e ?? 0, sequence: head.s ?? 0, note: head.n ?? '' })
        known.epoch = Math.max(known.epoch, head.e ?? 0)
        producers.set(head.p, known)
      }
      if (start > offset) at.set(partition, Math.max(start, at.get(partition) ?? 0))
    }
  }
}

/**
 * Reads the state of producers and the number of bytes from the end of a log with one writer. A log with several
 * writers has no count of bytes.
 */
const readTail = async (
  given: { data: Partitions; control: Control; fences: ReadonlyMap<number, number>; isShared: boolean },
  producers: Map<string, ProducerState>,
): Promise<Map<number, number>> => {
  const { data, control, fences } = given
  if (given.isShared) return new Map()
  await readOn(data, producers, control.checkpoint(), fences)
  return await bytesBehind(data, control, fences)
}

/** The highest name of an incarnation in the batches directly before some fences; '' if there is none. */
const nameBefore = async (data: Partitions, fences: ReadonlyMap<number, number>): Promise<string> => {
  let highest = ''
  const wanted = new Map([...fences].filter(([, at]) => at > 0).map(([partition, at]) => [partition, at - 1]))
  while (wanted.size > 0)
    for (const [partition, { code, start, batches }] of await data.fetch(wanted, oneBatch)) {
      const offset = wanted.get(partition) ?? 0
      const batch = batches.find(({ base, next }) => base <= offset && offset < next)
      if (batch === undefined && code === codes.none && start <= offset) continue
      const name = batch?.head?.i ?? ''
      // A fence of an older version has no name, so the batch before it counts.
      if (batch !== undefined && batch.head?.f === 1 && name === '' && batch.base > 0)
        wanted.set(partition, batch.base - 1)
      else {
        wanted.delete(partition)
        if (name > highest) highest = name
      }
    }
  return highest
}

const fenceOf = (incarnation: string, stamp: WriterStamp): Buffer =>
  encodeBatch([{ key: '', meta: '', body: Buffer.of(), addressed: false }], {
    // The number of bytes before the fence is unknown while others append.
    head: { i: incarnation, c: 0, f: 1 },
    time: Date.now(),
    stamp,
  })

/**
 * Ends the appends of a writer of an older version, which had one transactional ID for all partitions. Another opening
 * may do the same.
 */
const endOlder = async (
  { cluster, data, controlTopic, name }: SessionTopics,
  owned: readonly number[],
): Promise<void> => {
  const { id, epoch } = await initProducer(cluster, name)
  const stamp = { producerId: id, epoch, sequence: 0 }
  const fence = encodeControl([{ fence: true }], stamp, Date.now())
  await sendAll(cluster, controlTopic, new Map([[0, fence]]), 'fenced is done')
  await sendAll(cluster, data, new Map(owned.map((partition) => [partition, fenceOf('', stamp)])), 'fenced is done')
}

/** Appends a batch to each partition that ends the appends of earlier writers, under a name that sorts after theirs. */
const appendFences = async (
  given: {
    cluster: Cluster
    data: Partitions
    owned: readonly number[]
    sequences: ReturnType<typeof createSequences>
  },
  names: { newest: string; continues: string | undefined },
): Promise<{ name: string; fences: Map<number, number>; bytes: number }> => {
  const { cluster, data, owned, sequences } = given
  let name = newIncarnation(names.newest, Date.now())
  for (;;) {
    const own = names.continues ?? name
    const batches = new Map(owned.map((partition) => [partition, fenceOf(own, sequences.stamp(partition))]))
    const fences = await sendAll(cluster, data, batches)
    for (const partition of owned) sequences.advance(partition, 1)
    const before = await nameBefore(data, fences)
    if (before <= own) return { name, fences, bytes: batches.get(owned[0] ?? 0)?.byteLength ?? 0 }
    if (names.continues !== undefined) throw new WriterReplaced(data.topic)
    // Another opening has begun at the same time, and was earlier in one of the partitions.
    name = newIncarnation(before, Date.now())
  }
}

/** Begins an epoch of the producer in Kafka of each partition. */
const initProducers = async (
  cluster: Cluster,
  name: string,
  owned: readonly number[],
): Promise<Map<number, Producer>> => {
  const found = new Map<number, Producer>()
  const left = [...owned]
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift())
      found.set(next, await initProducer(cluster, `${name}.${next}`))
  }
  await Promise.all(Array.from({ length: initsAtOnce }, work))
  return found
}

const unknownProducer: Producer = { id: noProducer, epoch: -1 }

/** Returns a function that writes to the control topic as this producer. */
const createChange = (
  cluster: Cluster,
  topic: Partitions,
  producer: Producer,
): ((changes: readonly ControlChange[]) => Promise<void>) => {
  const sequences = createSequences(() => producer)
  return async (changes) => {
    for (let at = 0; at < changes.length; at += changesAtOnce) {
      const some = changes.slice(at, at + changesAtOnce)
      await sendAll(cluster, topic, new Map([[0, encodeControl(some, sequences.stamp(0), Date.now())]]))
      sequences.advance(0, some.length)
    }
  }
}

type SessionTopics = {
  cluster: Cluster
  data: Partitions & { id: string }
  controlTopic: Partitions
  name: string
  isShared?: boolean | undefined
  /** The partitions to be written; all unless given. */
  owned?: readonly number[] | undefined
  /** The data folder to record with the opening. */
  folder?: string | undefined
}

/**
 * Opens partitions of a log: begins an epoch of each with Kafka, ends the appends of earlier writers with a batch in
 * each, and reads the needed state. The set `own` has the openings that this writer has begun so far; the new one is
 * added. Rejects with WriterReplaced if another writer has begun the newest opening of a partition. With `continues`,
 * the records get that incarnation. A shared log has no producers.
 */
export const openSession = async (given: SessionTopics, own: Set<string>, continues?: string): Promise<Session> => {
  const { cluster, data, controlTopic, isShared = false } = given
  const owned = given.owned ?? Array.from({ length: data.count }, (_, partition) => partition)
  const control = followControl(controlTopic, data)
  const requireNewest = async (): Promise<void> => {
    await control.refresh()
    if (owned.some((partition) => !own.has(control.openingsOf(partition).at(-1)?.incarnation ?? '')))
      throw new WriterReplaced(data.topic)
  }
  if (own.size > 0) await requireNewest()
  const writing = await initProducers(cluster, given.name, owned)
  const sequences = createSequences((partition) => writing.get(partition) ?? unknownProducer)
  const change = createChange(cluster, controlTopic, writing.get(owned[0] ?? 0) ?? unknownProducer)
  await change([{ fence: true }])
  await control.refresh()
  if (control.openings().some(({ byPartition }) => byPartition !== true)) {
    await endOlder(given, owned)
    await control.refresh()
  }
  const fenced = await appendFences({ cluster, data, owned, sequences }, { newest: control.newest() ?? '', continues })
  const { name, fences } = fenced
  const incarnation = continues ?? name
  own.add(name)
  // Earlier owners of the partitions may have written until now.
  await control.refresh()
  const found = await recordEnds(data, control, fences, {})
  if (control.openings().length === 0 && [...found.values()].some((end) => end > 0))
    throw new KafkaUnusable(
      `The topic ${data.topic} has records and ${controlTopic.topic}, which describes them, has none: one of them was created anew`,
    )
  const producers = control.producers(owned)
  const sparse = (values: ReadonlyMap<number, number>): (number | null)[] =>
    Array.from({ length: data.count }, (_, at) => (fences.has(at) ? (values.get(at) ?? 0) : null))
  const opening: Opening = {
    incarnation: name,
    ...(continues === undefined ? {} : { continues }),
    topicId: data.id,
    byPartition: true,
    ...(given.folder === undefined ? {} : { folder: given.folder }),
    fences: sparse(fences),
    ends: sparse(found),
    bytes: sparse(await readTail({ data, control, fences, isShared }, producers)),
  }
  await change([
    { opening: name, value: opening },
    ...[...producers].map(([producer, value]): ControlChange => ({ of: name, producer, value })),
    { of: name, checkpoint: { topicId: data.id, positions: sparse(fences) } },
  ])
  await control.refresh()
  const gone = await forgettable(data, control)
  await change([...control.superseded(), ...gone.map((each): ControlChange => ({ opening: each, value: undefined }))])
  const ends = opening.ends.map((end) => end ?? 0)
  const bytes = opening.bytes.map((count) => (count === null ? 0 : count + fenced.bytes))
  return {
    name,
    owned,
    incarnation,
    control,
    ends,
    bytes,
    producers,
    change,
    requireNewest,
    stamp: sequences.stamp,
    head: (partition, of) => ({
      i: incarnation,
      c: bytes[partition] ?? 0,
      ...(of === undefined ? {} : { p: of.producer, e: of.epoch, s: of.sequence, n: of.note ?? '' }),
    }),
    acknowledged(partition, batch) {
      sequences.advance(partition, batch.records)
      bytes[partition] = (bytes[partition] ?? 0) + batch.bytes
      ends[partition] = batch.base + batch.records
      if (batch.stamp === undefined) return
      const { producer: of, epoch, sequence, note = '' } = batch.stamp
      producers.get(of)?.last.set(partition, { partition, epoch, sequence, note })
    },
  }
}

/**
 * Begins to append next to the writer of a log, as a producer that Kafka identifies only by its ID: it fences no other
 * producer, and none fences it. Kafka stores each of its batches once, in order within each partition.
 */
export const openSharing = async (cluster: Cluster, data: Partitions): Promise<Sending> => {
  const producer = await persistently(cluster, openMs, async () => {
    const answer = await cluster.call(undefined, initProducerIdV4.api, null, transactionMs, noProducer, -1)
    if (answer.errorCode === codes.clusterDenied || answer.errorCode === codes.topicDenied)
      throw new KafkaUnusable(`Kafka does not let this user write to ${data.topic}. Grant Write on it`)
    if (answer.errorCode !== codes.none) throw new KafkaAnswer(answer.errorCode, `a producer for ${data.topic}`)
    return { id: answer.producerId, epoch: answer.producerEpoch }
  })
  const { stamp, advance } = createSequences(() => producer)
  return {
    stamp,
    head: () => ({ i: '', c: 0, w: 1 }),
    acknowledged: (partition, { records }) => advance(partition, records),
  }
}

/** Returns the openings without remaining records, and those of an earlier topic. */
const forgettable = async (data: Partitions, control: Control): Promise<string[]> => {
  const starts = await data.offsets('first')
  const isOver = (opening: Opening, partition: number): boolean => {
    const openings = control.openingsOf(partition)
    const follower = openings[openings.indexOf(opening) + 1]
    return follower !== undefined && (starts[partition] ?? 0) >= (follower.fences[partition] ?? 0)
  }
  const over = control
    .openings()
    .filter((opening) =>
      [...opening.fences.entries()].every(([partition, fence]) => fence === null || isOver(opening, partition)),
    )
  return [...control.replaced(), ...over.map(({ incarnation }) => incarnation)]
}
