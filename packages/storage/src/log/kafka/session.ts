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

/** The sequences of a producer that Kafka knows, by partition: they rise by the records that it has appended. */
const createSequences = (count: number, { id, epoch }: Producer) => {
  const sequences = Array.from({ length: count }, () => 0)
  return {
    stamp: (partition: number): WriterStamp => ({ producerId: id, epoch, sequence: sequences[partition] ?? 0 }),
    advance(partition: number, records: number): void {
      sequences[partition] = ((sequences[partition] ?? 0) + records) & wrap
    },
  }
}

/** As whom batches are sent: what each says of itself, and how Kafka knows a repetition of it. */
export type Sending = {
  /** What the next batch of a partition says of itself. */
  head(partition: number, stamp: ProducerStamp | undefined): BatchHead
  /** What it carries for Kafka. */
  stamp(partition: number): WriterStamp
  /** It was acknowledged, from an offset on. */
  acknowledged(
    partition: number,
    batch: { base: number; records: number; bytes: number; stamp: ProducerStamp | undefined },
  ): void
}

/** One opening of a log for writing. Kafka refuses what earlier ones send from then on, in every partition. */
export type Session = Sending & {
  readonly incarnation: string
  readonly control: Control
  /** Offsets behind the newest record, and bytes of all batches that a partition has ever had. */
  readonly ends: number[]
  readonly bytes: number[]
  readonly producers: Map<string, ProducerState>
  /** Writes to the control topic; durable when it resolves. */
  change(changes: readonly ControlChange[]): Promise<void>
}

type Producer = { id: bigint; epoch: number }

/** Begins an epoch of the producer that Kafka knows by this name: batches of earlier ones are refused beside one of it. */
const initProducer = (cluster: Cluster, name: string): Promise<Producer> =>
  persistently(cluster, openMs, async () => {
    const found = await cluster.call(undefined, findCoordinatorV4.api, coordinatesTransactions, [name])
    const [coordinator] = found.coordinators
    if (coordinator === undefined) throw new KafkaAnswer(codes.unknownTopic, 'no coordinator')
    const denied = `Kafka does not let this user write as the transactional id ${name}. Grant Write and Describe on it`
    if (coordinator.errorCode === codes.transactionalIdDenied) throw new KafkaUnusable(denied)
    if (coordinator.errorCode !== codes.none) throw new KafkaAnswer(coordinator.errorCode, `coordinator of ${name}`)
    const answer = await cluster.call(coordinator, initProducerIdV4.api, name, transactionMs, noProducer, -1)
    if (answer.errorCode === codes.transactionalIdDenied) throw new KafkaUnusable(denied)
    if (answer.errorCode !== codes.none) throw new KafkaAnswer(answer.errorCode, `producer ${name}`)
    return { id: answer.producerId, epoch: answer.producerEpoch }
  })

/** Sends batches until each is acknowledged; resolves to their offsets. For what only an opening and the control topic write. */
const sendAll = async (
  cluster: Cluster,
  topic: Partitions,
  batches: ReadonlyMap<number, Buffer>,
): Promise<Map<number, number>> => {
  const offsets = new Map<number, number>()
  await persistently(cluster, openMs, async () => {
    const outcomes = await topic.produce(new Map([...batches].filter(([partition]) => !offsets.has(partition))))
    let failure: unknown
    for (const [partition, { code, base, error }] of outcomes) {
      const meaning = meaningOf(code)
      if (meaning === 'done') offsets.set(partition, base)
      else if (meaning === 'fenced') throw new WriterReplaced(topic.topic)
      else if (code === codes.topicDenied)
        throw new KafkaUnusable(`Kafka does not let this user write to ${topic.topic}. Grant Write on it`)
      else failure = error ?? new KafkaAnswer(code, `partition ${partition} of ${topic.topic}`)
    }
    if (failure !== undefined) throw failure
  })
  return offsets
}

/** Adds what batches behind the checkpoint say of producers, and resolves to whom they are of. */
const readOn = async (
  data: Partitions,
  producers: Map<string, ProducerState>,
  from: readonly number[],
  to: readonly number[],
): Promise<Set<string>> => {
  const changed = new Set<string>()
  const starts = await data.offsets('first')
  const at = new Map(to.map((_, partition) => [partition, Math.max(from[partition] ?? 0, starts[partition] ?? 0)]))
  for (;;) {
    const open = new Map([...at].filter(([partition, offset]) => offset < (to[partition] ?? 0)))
    if (open.size === 0) return changed
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
        changed.add(head.p)
      }
      if (start > offset) at.set(partition, Math.max(start, at.get(partition) ?? 0))
    }
  }
}

/** What of a log that one writes its batches say of producers, and how many bytes there are; of one that several write nobody counts. */
const readTail = async (
  given: { data: Partitions; control: Control; fences: readonly number[]; isShared: boolean },
  producers: Map<string, ProducerState>,
): Promise<{ bytes: number[]; changed: Set<string> }> => {
  const { data, control, fences } = given
  if (given.isShared) return { bytes: fences.map(() => 0), changed: new Set() }
  const before = await bytesBehind(data, control, new Map(fences.entries()))
  const bytes = fences.map((_, partition) => before.get(partition) ?? 0)
  return { bytes, changed: await readOn(data, producers, control.checkpoint(), fences) }
}

/**
 * Opens a log: begins an epoch with Kafka, ends what earlier writers may append by a batch in each partition, and reads what has to be
 * known. With `own`, the openings that this writer has begun so far, it rejects with WriterReplaced when another one has begun the newest;
 * the new one is added. With `continues`, it goes on with that incarnation. A log that is shared has no producers.
 */
export const openSession = async (
  given: {
    cluster: Cluster
    data: Partitions & { id: string }
    controlTopic: Partitions
    name: string
    isShared?: boolean | undefined
  },
  own: Set<string>,
  continues?: string,
): Promise<Session> => {
  const { cluster, data, controlTopic, isShared = false } = given
  const control = followControl(controlTopic, data.id)
  if (own.size > 0) {
    await control.refresh()
    if (!own.has(control.newest() ?? '')) throw new WriterReplaced(data.topic)
  }
  const producer = await initProducer(cluster, given.name)
  const { stamp, advance } = createSequences(data.count, producer)
  let controlSequence = 0
  const change = async (changes: readonly ControlChange[]): Promise<void> => {
    const batch = encodeControl(
      changes,
      { producerId: producer.id, epoch: producer.epoch, sequence: controlSequence },
      Date.now(),
    )
    await sendAll(cluster, controlTopic, new Map([[0, batch]]))
    controlSequence = (controlSequence + changes.length) & wrap
  }
  await change([{ fence: true }])
  await control.refresh()
  const name = newIncarnation(control.newest() ?? '', Date.now())
  const incarnation = continues ?? name
  own.add(name)
  const ending = encodeBatch([{ key: '', meta: '', body: Buffer.of(), addressed: false }], {
    // How many bytes lie before it is not known until nobody else appends.
    head: { i: incarnation, c: 0, f: 1 },
    time: Date.now(),
    stamp: stamp(0),
  })
  const all = Array.from({ length: data.count }, (_, partition) => partition)
  const sent = await sendAll(cluster, data, new Map(all.map((partition) => [partition, ending])))
  for (const partition of all) advance(partition, 1)
  const fences = all.map((partition) => sent.get(partition) ?? 0)
  const found = await recordEnds(data, control, new Map(fences.entries()), {})
  if (control.openings().length === 0 && [...found.values()].some((end) => end > 0))
    throw new KafkaUnusable(
      `The topic ${data.topic} has records and ${controlTopic.topic}, which describes them, has none: one of them was created anew`,
    )
  const producers = new Map(control.producers())
  const tail = await readTail({ data, control, fences, isShared }, producers)
  const opening: Opening = {
    incarnation: name,
    ...(continues === undefined ? {} : { continues }),
    topicId: data.id,
    fences,
    ends: all.map((partition) => found.get(partition) ?? 0),
    bytes: tail.bytes,
  }
  const gone = await forgettable(data, control)
  await change([
    ...gone.map((each): ControlChange => ({ opening: each, value: undefined })),
    { opening: name, value: opening },
    ...[...producers]
      .filter(([each]) => tail.changed.has(each))
      .map(([each, value]): ControlChange => ({ producer: each, value })),
    { checkpoint: { topicId: data.id, positions: fences } },
  ])
  const ends = [...opening.ends]
  const bytes = tail.bytes.map((count) => count + ending.byteLength)
  return {
    incarnation,
    control,
    ends,
    bytes,
    producers,
    change,
    stamp,
    head: (partition, of) => ({
      i: incarnation,
      c: bytes[partition] ?? 0,
      ...(of === undefined ? {} : { p: of.producer, e: of.epoch, s: of.sequence, n: of.note ?? '' }),
    }),
    acknowledged(partition, batch) {
      advance(partition, batch.records)
      bytes[partition] = (bytes[partition] ?? 0) + batch.bytes
      ends[partition] = batch.base + batch.records
      if (batch.stamp === undefined) return
      const { producer: of, epoch, sequence, note = '' } = batch.stamp
      producers.get(of)?.last.set(partition, { partition, epoch, sequence, note })
    },
  }
}

/**
 * Begins to append beside the writer of a log, as a producer that Kafka knows by its id alone: it ends nobody, and nobody ends it. Kafka
 * takes each of its batches once, in each partition in their order.
 */
export const openSharing = async (cluster: Cluster, data: Partitions): Promise<Sending> => {
  const producer = await persistently(cluster, openMs, async () => {
    const answer = await cluster.call(undefined, initProducerIdV4.api, null, transactionMs, noProducer, -1)
    if (answer.errorCode === codes.clusterDenied || answer.errorCode === codes.topicDenied)
      throw new KafkaUnusable(`Kafka does not let this user write to ${data.topic}. Grant Write on it`)
    if (answer.errorCode !== codes.none) throw new KafkaAnswer(answer.errorCode, `a producer for ${data.topic}`)
    return { id: answer.producerId, epoch: answer.producerEpoch }
  })
  const { stamp, advance } = createSequences(data.count, producer)
  return {
    stamp,
    head: () => ({ i: '', c: 0, w: 1 }),
    acknowledged: (partition, { records }) => advance(partition, records),
  }
}

/** Openings of which nothing is held any more, and those of a topic that was before this one. */
const forgettable = async (data: Partitions, control: Control): Promise<string[]> => {
  const openings = control.openings()
  const starts = await data.offsets('first')
  const over = openings.filter((_, at) => {
    const follower = openings[at + 1]
    return follower !== undefined && starts.every((start, partition) => start >= (follower.fences[partition] ?? 0))
  })
  return [...control.replaced(), ...over.map(({ incarnation }) => incarnation)]
}
