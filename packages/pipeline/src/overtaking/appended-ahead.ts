import { isEarlier, type RecordPlace } from '@tributary/kernel'
import type { ProducerSequence } from '@tributary/storage'
import { formatOvertaking, isOvertaken, type Overtaking, parseOvertaking } from './overtakings.ts'

/** The producer name of the reading ahead in the deliveries log. */
export const aheadProducer = 'events ahead'

/** The note of a group that was read ahead: the incarnation of its last request, and the overtaken workspaces. */
export const noteOfAhead = (incarnation: string, overtaking: Overtaking | undefined): string =>
  `${incarnation} ${formatOvertaking(overtaking)}`

/**
 * Reads the last sequences of the reading ahead. The result returns whether the reading ahead already appended the
 * deliveries of a record, by the place of the record and the workspace.
 */
export const readAheadSequences = (
  sequences: readonly ProducerSequence[],
): ((record: RecordPlace, workspaceId: string) => boolean) => {
  const known = new Map<number, { end: RecordPlace; overtaking: Overtaking | undefined }>()
  for (const { partition, sequence, note } of sequences) {
    const [incarnation = '', overtaken = ''] = note.split(' ')
    const end = { partition, offset: sequence, incarnation }
    known.set(partition, { end, overtaking: parseOvertaking(overtaken) })
  }
  return (record, workspaceId) => {
    const { end, overtaking } = known.get(record.partition) ?? {}
    if (end === undefined || overtaking === undefined || !isEarlier(record, end)) return false
    // Before `from`, the partition had only one reading, whose own sequence says what is appended.
    if (record.offset < overtaking.from) return false
    return !isOvertaken(overtaking, { offset: record.offset, key: workspaceId })
  }
}
