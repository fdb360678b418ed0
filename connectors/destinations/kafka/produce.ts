import type { MessageRecord } from '@platformatic/kafka'
import { createRefusedInRow, type EventOutcome } from '@tributary/connector-kit'
import { isOfContent, outcomeOfCode } from './failures.ts'

/** A record with the index of its event in the batch. */
export type Item = { readonly index: number; readonly partition: number; readonly record: MessageRecord }

/** Receives the outcome of records. */
export type Note = (items: readonly Item[], outcome: EventOutcome) => void

/** Writes records to their leader. Resolves to the result of each partition. */
export type SendRecords = (
  records: readonly MessageRecord[],
) => Promise<readonly { readonly index: number; readonly errorCode: number }[]>

/**
 * Writes records to the partitions of one leader. If a partition refuses several records for their content, they are
 * sent in halves, so that only the cause is rejected. After many refusals for one reason, the rest waits for its next
 * attempt.
 */
export const produce = async (send: SendRecords, all: readonly Item[], note: Note): Promise<void> => {
  const refusedInRow = createRefusedInRow()
  let rest: EventOutcome | undefined

  const produceSome = async (items: readonly Item[]): Promise<void> => {
    if (rest !== undefined) return note(items, rest)
    const results = await send(items.map(({ record }) => record))
    const refused: Item[][] = []
    for (const [partition, own] of Map.groupBy(items, (item) => item.partition)) {
      const result = results.find(({ index }) => index === partition)
      if (result === undefined) note(own, { kind: 'retry', reason: 'The broker does not name the partition' })
      else if (isOfContent(result.errorCode) && own.length > 1) refused.push(own)
      else {
        const outcome = outcomeOfCode(result.errorCode)
        note(own, outcome)
        if (items.length === 1 || outcome.kind === 'delivered') rest = refusedInRow.note(outcome)
      }
    }
    // The whole answer is noted before a further request can fail: accepted records are never sent again.
    for (const own of refused) {
      const half = Math.ceil(own.length / 2)
      await produceSome(own.slice(0, half))
      await produceSome(own.slice(half))
    }
  }
  await produceSome(all)
}
