import type { ProducerSequence } from '../port.ts'
import { type Batch, encodeBatch, type RecordToWrite, type WriterStamp } from './batches.ts'
import type { Partitions } from './partitions.ts'

/**
 * What begins with an opening of the log for writing: its incarnation, and by partition the place of the batch that ends what
 * earlier writers may append, the end of the records before it, and the bytes of the batches before it. With `continues`, its records are
 * of that incarnation, which its writer has begun before, and its own name only says which opening is the newest.
 */
export type Opening = {
  incarnation: string
  continues?: string
  topicId: string
  fences: number[]
  ends: number[]
  bytes: number[]
}

/** The incarnation of what an opening appends. */
export const incarnationOf = ({ incarnation, continues }: Opening): string => continues ?? incarnation

/** A producer's epoch, and its last sequences by partition. */
export type ProducerState = { epoch: number; last: Map<number, ProducerSequence> }

/** What the control topic of a log says: the newest record of each key holds. */
export type Control = {
  /** Those of the topic as it is now, in their order. */
  openings(): readonly Opening[]
  /** Incarnations of topics that were before it. */
  replaced(): readonly string[]
  /** The newest incarnation there has been. */
  newest(): string | undefined
  /** The incarnation that a place is of, whoever appended there: that of the newest opening before it; '' before all of them. */
  incarnationAt(partition: number, offset: number): string
  producers(): ReadonlyMap<string, ProducerState>
  /** Places of the data up to which `producers` knows of; of a topic that was before it nothing holds. */
  checkpoint(): readonly number[]
  /** Reads what came since. */
  refresh(): Promise<void>
}

/** What is written to the control topic; undefined forgets a key. */
export type ControlChange =
  | { opening: string; value: Opening | undefined }
  | { producer: string; value: ProducerState }
  | { checkpoint: Checkpoint }
  | { fence: true }

const readBytes = 4 * 1024 * 1024
const prefixes = { opening: 'opening ', producer: 'producer ' }

type Checkpoint = { topicId: string; positions: readonly number[] }
type StoredProducer = { epoch: number; last: ProducerSequence[] }

const recordOf = (change: ControlChange): RecordToWrite => {
  const record = (key: string, value: unknown): RecordToWrite => ({
    key,
    meta: '',
    body: value === undefined ? Buffer.of() : Buffer.from(JSON.stringify(value)),
    addressed: true,
  })
  if ('opening' in change) return record(prefixes.opening + change.opening, change.value)
  if ('producer' in change) {
    const { epoch, last } = change.value
    return record(prefixes.producer + change.producer, { epoch, last: [...last.values()] } satisfies StoredProducer)
  }
  if ('checkpoint' in change) return record('checkpoint', change.checkpoint)
  return record('fence', true)
}

/** The batch that makes changes: all of them or none. */
export const encodeControl = (changes: readonly ControlChange[], stamp: WriterStamp, time: number): Buffer =>
  encodeBatch(changes.map(recordOf), { head: { i: '', c: 0 }, time, stamp })

/** Follows the control topic, which has one partition, of a log whose topic has this id. Nothing is read yet. */
export const followControl = (topic: Partitions, dataId: string): Control => {
  const openings = new Map<string, Opening>()
  const producers = new Map<string, ProducerState>()
  let checkpoint: Checkpoint = { topicId: dataId, positions: [] }
  let next = 0
  let sorted: Opening[] | undefined
  const inOrder = (): Opening[] => {
    sorted ??= [...openings.values()].toSorted((a, b) => (a.incarnation < b.incarnation ? -1 : 1))
    return sorted
  }
  const ofTopic = (): Opening[] => inOrder().filter(({ topicId }) => topicId === dataId)

  const take = (key: string, text: string): void => {
    if (key.startsWith(prefixes.opening)) {
      sorted = undefined
      const incarnation = key.slice(prefixes.opening.length)
      if (text === '') openings.delete(incarnation)
      else openings.set(incarnation, JSON.parse(text) as Opening)
    } else if (key.startsWith(prefixes.producer)) {
      const { epoch, last } = JSON.parse(text) as StoredProducer
      producers.set(key.slice(prefixes.producer.length), {
        epoch,
        last: new Map(last.map((sequence) => [sequence.partition, sequence])),
      })
    } else if (key === 'checkpoint') checkpoint = JSON.parse(text) as Checkpoint
  }
  const takeAll = ({ records, next: behind }: Batch): void => {
    for (const { offset, key, body } of records) if (offset >= next) take(key, Buffer.from(body).toString())
    next = behind
  }

  return {
    openings: ofTopic,
    replaced: () =>
      inOrder()
        .filter(({ topicId }) => topicId !== dataId)
        .map(({ incarnation }) => incarnation),
    newest: () => inOrder().at(-1)?.incarnation,
    incarnationAt(partition, offset) {
      const opening = inOrder().findLast(
        ({ topicId, fences }) => topicId === dataId && (fences[partition] ?? 0) < offset,
      )
      return opening === undefined ? '' : incarnationOf(opening)
    },
    // Epochs go on; of what they appended nothing is there any more.
    producers: () =>
      checkpoint.topicId === dataId
        ? producers
        : new Map([...producers].map(([name, { epoch }]) => [name, { epoch, last: new Map() }])),
    checkpoint: () => (checkpoint.topicId === dataId ? checkpoint.positions : []),
    async refresh() {
      for (;;) {
        const fetched = (await topic.fetch(new Map([[0, next]]), readBytes)).get(0)
        if (fetched === undefined) return
        for (const batch of fetched.batches) if (batch.next > next) takeAll(batch)
        if (fetched.start > next) next = fetched.start
        else if (fetched.batches.length === 0) {
          if (next >= fetched.high) return
          // Nothing is left of what was compacted away up to there.
          next = fetched.high
        }
      }
    },
  }
}
