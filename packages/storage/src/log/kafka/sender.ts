import { setTimeout as pause } from 'node:timers/promises'
import { encodeBatch } from './batches.ts'
import type { Cluster } from './cluster.ts'
import { KafkaAnswer, meaningOf, WriterReplaced } from './errors.ts'
import type { Item } from './items.ts'
import type { Partitions } from './partitions.ts'
import type { Sending } from './session.ts'

const pauseMs = { first: 20, longest: 1000 }

type Batch = { items: readonly Item[]; records: number; bytes: Buffer }

/** Encodes a batch, with its common fields in a header of its first record. */
const encode = (sending: Sending, partition: number, items: readonly Item[]): Batch => {
  const stamp = items[0]?.stamp
  const records = items.flatMap(({ entries }) =>
    entries.map(({ key, meta, body, addressed }) => ({ key, meta, body, addressed: addressed !== false })),
  )
  const bytes = encodeBatch(records, {
    head: sending.head(partition, stamp),
    time: Date.now(),
    stamp: sending.stamp(partition),
  })
  return { items, records: records.length, bytes }
}

/** The outcomes of the batches of a round. */
export type Outcomes = {
  /** Called when items are durable at an offset, with the bytes of their batch. */
  onDone(items: readonly Item[], place: { partition: number; offset: number; bytes: number }): void
  onRefused(items: readonly Item[], error: Error): void
  /** Called if Kafka does not accept batches now. Returns until when to retry, as a time of `performance.now()`. */
  onAway(failure: unknown): number
}

/**
 * Sends a batch for each partition until it is stored or rejected. Only Kafka has the information whether a batch
 * without a response is stored, so it is sent again unchanged, before anything else of its partition. Resolves to false
 * if Kafka has lost the state of the sender. Rejects with WriterReplaced if another writer has begun, and with the last
 * failure when the time for retries is over.
 */
export const sendRound = async (
  given: { cluster: Pick<Cluster, 'forget'>; data: Partitions; sending: Sending },
  taken: ReadonlyMap<number, readonly Item[]>,
  { onDone, onRefused, onAway }: Outcomes,
): Promise<boolean> => {
  const { cluster, data, sending } = given
  const left = new Map([...taken].map(([partition, items]) => [partition, encode(sending, partition, items)]))
  for (let wait = pauseMs.first; left.size > 0; wait = Math.min(wait * 2, pauseMs.longest)) {
    let failure: unknown
    let isLost = false
    try {
      const outcomes = await data.produce(new Map([...left].map(([partition, { bytes }]) => [partition, bytes])))
      for (const [partition, { code, base, error }] of outcomes) {
        const batch = left.get(partition)
        if (batch === undefined) continue
        const answer = new KafkaAnswer(code, `partition ${partition} of ${data.topic}`)
        const meaning = meaningOf(code)
        if (meaning === 'fenced') throw new WriterReplaced(data.topic)
        if (meaning === 'again') {
          failure = error ?? answer
          continue
        }
        left.delete(partition)
        isLost ||= meaning === 'lost'
        if (meaning !== 'done') onRefused(batch.items, answer)
        else {
          const { records, bytes, items } = batch
          sending.acknowledged(partition, { base, records, bytes: bytes.byteLength, stamp: items[0]?.stamp })
          onDone(batch.items, { partition, offset: base, bytes: batch.bytes.byteLength })
        }
      }
    } catch (error) {
      if (error instanceof WriterReplaced) throw error
      failure = error
    }
    if (isLost) {
      for (const { items } of left.values()) onRefused(items, new Error('Kafka lost what this writer appended'))
      return false
    }
    if (left.size === 0) return true
    const until = onAway(failure)
    cluster.forget()
    if (performance.now() + wait > until) throw failure
    await pause(wait)
  }
  return true
}
