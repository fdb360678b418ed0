import { requireKnownFormat } from '@tributary/kernel'
import type { ProducerSequence } from '../port.ts'
import { type Batch, encodeBatch, type RecordToWrite, type WriterStamp } from './batches.ts'
import type { Partitions } from './partitions.ts'

/**
 * State that begins with an opening of the log for writing. It has the incarnation, and three values by partition.
 * These are the position of the batch that ends the appends of earlier writers, the end of the records before it, and
 * the bytes of the batches before it. With `continues`, its records have that incarnation, which its writer has begun
 * before; its own name only says which opening is the newest. Null stands for a partition that is not of it. Without
 * `byPartition` it is of a version whose writers had one transactional id for all partitions.
 */
export type Opening = {
  incarnation: string
  continues?: string
  topicId: string
  byPartition?: true
  /** The data folder that has what is known of the log beside it; absent where a version before wrote it. */
  folder?: string
  fences: (number | null)[]
  ends: (number | null)[]
  bytes: (number | null)[]
}

/** The incarnation of what an opening appends. */
export const incarnationOf = ({ incarnation, continues }: Opening): string => continues ?? incarnation

/** A producer's epoch, and its last sequences by partition. */
export type ProducerState = { epoch: number; last: Map<number, ProducerSequence> }

/** The state in the control topic of a log: the newest record of each key holds. */
export type Control = {
  /** Those of the topic as it is now, by their names. */
  openings(): readonly Opening[]
  /** The openings of a partition, in the order of their positions in it. */
  openingsOf(partition: number): readonly Opening[]
  /** Incarnations of topics that were before it. */
  replaced(): readonly string[]
  /** The newest incarnation there has been. */
  newest(): string | undefined
  /**
   * The incarnation of a position, whichever process appended there: that of the newest opening before it; '' before
   * all of them.
   */
  incarnationAt(partition: number, offset: number): string
  /** The state of producers in some partitions: sequences, and the highest epoch that was begun with one of them. */
  producers(partitions: readonly number[]): Map<string, ProducerState>
  /** Positions of the data that `producers` covers; those of a topic that was there before do not count. */
  checkpoint(): readonly number[]
  /** Changes that forget what writers noted of partitions of which later ones have noted all. */
  superseded(): ControlChange[]
  /** Reads what came since. */
  refresh(): Promise<void>
}

/** A record of the control topic; undefined deletes a key. */
export type ControlChange =
  | { opening: string; value: Opening | undefined }
  | { of: string; producer: string; value: ProducerState | undefined }
  | { of: string; checkpoint: Checkpoint | undefined }
  | { fence: true }

const readBytes = 4 * 1024 * 1024
const prefixes = { opening: 'opening ', producer: 'producer ', ofOne: 'sequences ', checkpoint: 'checkpoint ' }
/**
 * The noter of versions whose writers had all partitions: its notes are older than those of any opening by partition.
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

/** A value of the control topic, which other processes wrote. */
const known = <Value>(text: string): Value => {
  const value: unknown = JSON.parse(text)
  requireKnownFormat('A record of the control topic of the log', value)
  // Written by a version of this file.
  return value as Value
}

/** The batch that makes changes: all of them or none. */
export const encodeControl = (changes: readonly ControlChange[], stamp: WriterStamp, time: number): Buffer =>
  encodeBatch(changes.map(recordOf), { head: { i: '', c: 0 }, time, stamp })

/** The notes of writers, by the opening that wrote them. */
const createNotes = (given: {
  dataId: string
  partitions: number
  openings: ReadonlyMap<string, Opening>
  openingsOf(partition: number): readonly Opening[]
}) => {
  const { dataId, partitions, openings, openingsOf } = given
  const notes = new Map<string, Notes>()
  const notesOf = (name: string): Notes => {
    let found = notes.get(name)
    if (found === undefined) {
      found = { producers: new Map(), checkpoint: undefined }
      notes.set(name, found)
    }
    return found
  }
  const positionIn = (name: string, partition: number): number | undefined => {
    const checkpoint = notes.get(name)?.checkpoint
    return checkpoint?.topicId === dataId ? (checkpoint.positions[partition] ?? undefined) : undefined
  }
  /** Openings that may have written notes of a partition, the oldest first. */
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
      if (text === '') {
        producers.delete(producer)
        return
      }
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
      // Epochs go on, also those of a topic that was before; of what was appended to that nothing is there any more.
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

/** Follows the control topic, which has one partition, of a log whose topic has this id. Nothing is read yet. */
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
          // Nothing is left of what was compacted away up to there.
          next = fetched.high
        }
      }
    },
  }
}
