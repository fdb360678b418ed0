import { findCoordinatorV4, initProducerIdV4 } from '@platformatic/kafka'
import { newIncarnation } from '../incarnations.ts'
import { encodeBatch, type WriterStamp } from './batches.ts'
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

/** One opening of a log for writing. Kafka refuses what earlier ones send from then on, in every partition. */
export type Session = {
  readonly incarnation: string
  readonly control: Control
  /** Offsets behind the newest record, and bytes of all batches that a partition has ever had. */
  readonly ends: number[]
  readonly bytes: number[]
  readonly producers: Map<string, ProducerState>
  /** What the next batch of a partition carries. */
  stamp(partition: number): WriterStamp
  /** Batches of a partition with so many records were acknowledged. */
  advance(partition: number, records: number): void
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

/**
 * Opens a log: begins an epoch with Kafka, ends what earlier writers may append by a batch in each partition, and reads what has to be
 * known. With `own`, the incarnations that this
 * writer has begun so far, it rejects with WriterReplaced when another one has begun the newest; the new one is added.
 */
export const openSession = async (
  given: { cluster: Cluster; data: Partitions & { id: string }; controlTopic: Partitions; name: string },
  own: Set<string>,
): Promise<Session> => {
  const { cluster, data, controlTopic } = given
  const control = followControl(controlTopic, data.id)
  if (own.size > 0) {
    await control.refresh()
    if (!own.has(control.newest() ?? '')) throw new WriterReplaced(data.topic)
  }
  const producer = await initProducer(cluster, given.name)
  const sequences = Array.from({ length: data.count }, () => 0)
  let controlSequence = 0
  const stampOf = (sequence: number): WriterStamp => ({ producerId: producer.id, epoch: producer.epoch, sequence })
  const change = async (changes: readonly ControlChange[]): Promise<void> => {
    const batch = encodeControl(changes, stampOf(controlSequence), Date.now())
    await sendAll(cluster, controlTopic, new Map([[0, batch]]))
    controlSequence = (controlSequence + changes.length) & wrap
  }
  await change([{ fence: true }])
  await control.refresh()
  const incarnation = newIncarnation(control.newest() ?? '', Date.now())
  own.add(incarnation)
  const ending = encodeBatch([{ key: '', meta: '', body: Buffer.of(), addressed: false }], {
    // How many bytes lie before it is not known until nobody else appends.
    head: { i: incarnation, c: 0, f: 1 },
    time: Date.now(),
    stamp: stampOf(0),
  })
  const sent = await sendAll(cluster, data, new Map(sequences.map((_, partition) => [partition, ending])))
  const fences = sequences.map((_, partition) => sent.get(partition) ?? 0)
  const byPartition = new Map(fences.entries())
  const ends = await recordEnds(data, control, byPartition, {})
  if (control.openings().length === 0 && [...ends.values()].some((end) => end > 0))
    throw new KafkaUnusable(
      `The topic ${data.topic} has records and ${controlTopic.topic}, which describes them, has none: one of them was created anew`,
    )
  const before = await bytesBehind(data, control, byPartition)
  const bytes = fences.map((_, partition) => before.get(partition) ?? 0)
  const producers = new Map(control.producers())
  const changed = await readOn(data, producers, control.checkpoint(), fences)
  const opening: Opening = {
    incarnation,
    topicId: data.id,
    fences,
    ends: fences.map((_, partition) => ends.get(partition) ?? 0),
    bytes,
  }
  const gone = await forgettable(data, control)
  await change([
    ...gone.map((each): ControlChange => ({ opening: each, value: undefined })),
    { opening: incarnation, value: opening },
    ...[...producers]
      .filter(([name]) => changed.has(name))
      .map(([name, value]): ControlChange => ({ producer: name, value })),
    { checkpoint: { topicId: data.id, positions: fences } },
  ])
  for (const partition of sequences.keys()) sequences[partition] = 1
  return {
    incarnation,
    control,
    ends: [...opening.ends],
    bytes: bytes.map((count) => count + ending.byteLength),
    producers,
    stamp: (partition) => stampOf(sequences[partition] ?? 0),
    advance(partition, records) {
      sequences[partition] = ((sequences[partition] ?? 0) + records) & wrap
    },
    change,
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
