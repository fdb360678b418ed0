import { requireKnownFormat } from '@tributary/kernel'
import type { ProducerSequence } from '../port.ts'
import { type Batch, encodeBatch, type RecordToWrite, type WriterStamp } from './batches.ts'
import type { Partitions } from './partitions.ts'

/**
 * The state of an opening of the log for writing. It has the incarnation, and three values by partition. These are the
 * position of the batch that ends the appends of earlier writers, the end of the records before that batch, and the
 * bytes of the batches before it. With `continues`, the records of the opening have that incarnation, which the same
 * writer began before; the opening's own name then only shows which opening is the newest. Null stands for a partition
 * that the opening does not include. An opening without `byPartition` is from a version whose writers had one
 * transactional ID for all partitions.
 */
export type Opening = {
  incarnation: string
  continues?: string
  topicId: string
  byPartition?: true
  /** The data folder that keeps state about the log; absent for an older version. */
  folder?: string
  fences: (number | null)[]
  ends: (number | null)[]
  bytes: (number | null)[]
}

/** The incarnation of records that an opening appends. */
export const incarnationOf = ({ incarnation, continues }: Opening): string => continues ?? incarnation

/** A producer's epoch, and its last sequences by partition. */
export type ProducerState = { epoch: number; last: Map<number, ProducerSequence> }

/** The state in the control topic of a log: the newest record of each key counts. */
export type Control = {
  /** The openings of the current topic, sorted by name. */
  openings(): readonly Opening[]
  /** The openings of a partition, in the order of their positions in it. */
  openingsOf(partition: number): readonly Opening[]
  /** Incarnations of deleted topics that had the same name before. */
  replaced(): readonly string[]
  /** The newest incarnation so far. */
  newest(): string | undefined
  /**
   * The incarnation at a position, regardless of the process that appended there: that of the newest opening before it;
   * '' before all openings.
   */
  incarnationAt(partition: number, offset: number): string
  /**
   * The state of producers in some partitions: the last sequences, and the highest epoch that was begun with one of
   * these partitions.
   */
  producers(partitions: readonly number[]): Map<string, ProducerState>
  /** Positions up to which `producers` covers the data; those of an earlier topic do not count. */
  checkpoint(): readonly number[]
  /** Changes that delete the state of openings whose partitions all have a checkpoint of a later opening. */
  superseded(): ControlChange[]
  /** Reads new records of the topic. */
  refresh(): Promise<void>
}

/** A record for the control topic; undefined deletes a key. */
export type ControlChange =
  | { opening: string; value: Opening | undefined }
  | { of: string; producer: string; value: ProducerState | undefined }
  | { of: string; checkpoint: Checkpoint | undefined }
  | { fence: true }

const readBytes = 4 * 1024 * 1024
const prefixes = { opening: 'opening ', producer: 'producer ', ofOne: 'sequences ', checkpoint: 'checkpoint ' }
/**
 * The key under which older versions, whose writers had all partitions, recorded their state. This state is older than
 * that of any opening by partition.
 */
const ofAll = ''

type Checkpoint = { topicId: string; positions: readonly (number | null)[] }
type Notes = { producers: Map<string, ProducerState>; checkpoint: Checkpoint | undefined }
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
    const { of, producer, value } = change
    const key = of === ofAll ? prefixes.producer + producer : `${prefixes.ofOne}${of} ${producer}`
    if (value === undefined) return record(key, undefined)
    return record(key, { epoch: value.epoch, last: [...value.last.values()] } satisfies StoredProducer)
  }
  if ('checkpoint' in change)
    return record(change.of === ofAll ? 'checkpoint' : prefixes.checkpoint + change.of, change.checkpoint)
  return record('fence', true)
}

/** Parses a value of the control topic that another process wrote. */
const known = <Value>(text: string): Value => {
  const value: unknown = JSON.parse(text)
  requireKnownFormat('A record of the control topic of the log', value)
  // A version of this file wrote it.
  return value as Value
}

/** Encodes a batch with changes, which Kafka stores completely or not at all. */
export const encodeControl = (changes: readonly ControlChange[], stamp: WriterStamp, time: number): Buffer =>
  encodeBatch(changes.map(recordOf), { head: { i: '', c: 0 }, time, stamp })

/** The state that writers have recorded, by the name of their opening. */
const createNotes = (given: {
  dataId: string
  partitions: number
  openings: ReadonlyMap<string, Opening>
  openingsOf(partition: number): readonly Opening[]
}) => {
  const { dataId, partitions, openings, openingsOf } = given
  const notes = new Map<string, Notes>()
  const notesOf = (name: string): Notes => {
    const found = notes.get(name) ?? { producers: new Map(), checkpoint: undefined }
    notes.set(name, found)
    return found
  }
  const positionIn = (name: string, partition: number): number | undefined => {
    const checkpoint = notes.get(name)?.checkpoint
    return checkpoint?.topicId === dataId ? (checkpoint.positions[partition] ?? undefined) : undefined
  }
  /** The names of the openings that may have recorded state of a partition, oldest first. */
  const notersOf = (partition: number): string[] => [
    ofAll,
    ...openingsOf(partition).flatMap(({ incarnation, byPartition }) => (byPartition === true ? [incarnation] : [])),
  ]
  const isOf = (name: string, partition: number): boolean =>
    name === ofAll || typeof openings.get(name)?.fences[partition] === 'number'
  const all = Array.from({ length: partitions }, (_, partition) => partition)

  return {
    takeProducer(name: string, producer: string, text: string): void {
      const { producers } = notesOf(name)
      if (text === '') return void producers.delete(producer)
      const { epoch, last } = known<StoredProducer>(text)
      producers.set(producer, { epoch, last: new Map(last.map((sequence) => [sequence.partition, sequence])) })
    },
    takeCheckpoint(name: string, checkpoint: Checkpoint | undefined): void {
      notesOf(name).checkpoint = checkpoint
    },
    producers(wanted: readonly number[]): Map<string, ProducerState> {
      const found = new Map<string, ProducerState>()
      const stateOf = (producer: string, epoch: number): ProducerState => {
        const state = found.get(producer) ?? { epoch: 0, last: new Map() }
        state.epoch = Math.max(state.epoch, epoch)
        found.set(producer, state)
        return state
      }
      // The epochs of a producer continue after its topic was replaced, but no record of the earlier topic exists any
      // more.
      for (const [name, { producers }] of notes)
        if (wanted.some((partition) => isOf(name, partition)))
          for (const [producer, { epoch }] of producers) stateOf(producer, epoch)
      for (const partition of wanted)
        for (const name of notersOf(partition)) {
          if (name === ofAll && notes.get(name)?.checkpoint?.topicId !== dataId) continue
          for (const [producer, { epoch, last }] of notes.get(name)?.producers ?? []) {
            const sequence = last.get(partition)
            if (sequence !== undefined) stateOf(producer, epoch).last.set(partition, sequence)
          }
        }
      return found
    },
    checkpoint: () =>
      all.map((partition) => {
        const name = notersOf(partition).findLast((each) => positionIn(each, partition) !== undefined)
        return name === undefined ? 0 : (positionIn(name, partition) ?? 0)
      }),
    superseded(): ControlChange[] {
      const isOver = (name: string, partition: number): boolean => {
        const noters = notersOf(partition)
        return noters.findLastIndex((each) => positionIn(each, partition) !== undefined) > noters.indexOf(name)
      }
      return [...notes].flatMap(([name, { producers, checkpoint }]) => {
        if (all.some((partition) => isOf(name, partition) && !isOver(name, partition))) return []
        const gone: ControlChange[] = [...producers.keys()].map((producer) => ({
          of: name,
          producer,
          value: undefined,
        }))
        return checkpoint === undefined ? gone : [...gone, { of: name, checkpoint: undefined }]
      })
    },
  }
}

/** Follows the control topic, which has one partition, of a log whose data topic has this ID. Reads nothing yet. */
export const followControl = (
  topic: Partitions,
  { id: dataId, count: partitions }: { id: string; count: number },
): Control => {
  const openings = new Map<string, Opening>()
  let next = 0
  let sorted: Opening[] | undefined
  const inOrder = (): Opening[] => {
    sorted ??= [...openings.values()].toSorted((a, b) => (a.incarnation < b.incarnation ? -1 : 1))
    return sorted
  }
  const ofTopic = (): Opening[] => inOrder().filter(({ topicId }) => topicId === dataId)
  const places = new Map<number, Opening[]>()
  const openingsOf = (partition: number): Opening[] => {
    let found = places.get(partition)
    if (found === undefined) {
      const fenceOf = ({ fences }: Opening): number => fences[partition] ?? -1
      found = ofTopic()
        .filter((opening) => fenceOf(opening) >= 0)
        .toSorted((a, b) => fenceOf(a) - fenceOf(b))
      places.set(partition, found)
    }
    return found
  }

  const notes = createNotes({ dataId, partitions, openings, openingsOf })
  const take = (key: string, text: string): void => {
    if (key.startsWith(prefixes.opening)) {
      sorted = undefined
      places.clear()
      const incarnation = key.slice(prefixes.opening.length)
      if (text === '') openings.delete(incarnation)
      else openings.set(incarnation, known<Opening>(text))
    } else if (key.startsWith(prefixes.producer)) {
      notes.takeProducer(ofAll, key.slice(prefixes.producer.length), text)
    } else if (key.startsWith(prefixes.ofOne)) {
      const name = key.slice(prefixes.ofOne.length)
      const end = name.indexOf(' ')
      notes.takeProducer(name.slice(0, end), name.slice(end + 1), text)
    } else if (key === 'checkpoint' || key.startsWith(prefixes.checkpoint)) {
      const checkpoint = text === '' ? undefined : known<Checkpoint>(text)
      notes.takeCheckpoint(key.slice(prefixes.checkpoint.length), checkpoint)
    }
  }
  const takeAll = ({ records, next: behind }: Batch): void => {
    for (const { offset, key, body } of records) if (offset >= next) take(key, Buffer.from(body).toString())
    next = behind
  }

  return {
    openings: ofTopic,
    openingsOf,
    replaced: () =>
      inOrder()
        .filter(({ topicId }) => topicId !== dataId)
        .map(({ incarnation }) => incarnation),
    newest: () => inOrder().at(-1)?.incarnation,
    incarnationAt(partition, offset) {
      const opening = openingsOf(partition).findLast(({ fences }) => (fences[partition] ?? 0) < offset)
      return opening === undefined ? '' : incarnationOf(opening)
    },
    producers: notes.producers,
    checkpoint: notes.checkpoint,
    superseded: notes.superseded,
    async refresh() {
      for (;;) {
        const fetched = (await topic.fetch(new Map([[0, next]]), readBytes)).get(0)
        if (fetched === undefined) return
        for (const batch of fetched.batches) if (batch.next > next) takeAll(batch)
        if (fetched.start > next) next = fetched.start
        else if (fetched.batches.length === 0) {
          if (next >= fetched.high) return
          // Compaction has removed all records up to this offset.
          next = fetched.high
        }
      }
    },
  }
}
