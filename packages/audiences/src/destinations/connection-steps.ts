import type { Db, Tx } from '@tributary/api-kit'
import { faultPoint } from '@tributary/kernel'
import type { AudienceDestinationsTable, LogWriter } from '@tributary/storage'
import type { Selectable } from 'kysely'
import { audienceEventText, type Fill, readReportedProfiles } from './audience-events.ts'
import { type ReportedChange, readChangesBehind, readFill } from './changes.ts'
import { audienceRecord, producerOf } from './records.ts'
import { setConnection } from './write.ts'

export type ConnectionSteps = {
  /**
   * Sends one record of a connection under a lock of its row, for which a cancellation or a resend waits. Returns false
   * if nothing is left to send.
   */
  step(id: string): Promise<boolean>
  /** Discards the positions in memory, so that they are read from the stream again. */
  forget(): void
}

/** Maximum events per record of the stream. */
const eventsAtOnce = 50
/**
 * Number of sequence numbers that each run of a connection can use. The numbers of a later run follow all numbers of an
 * earlier run.
 */
const placesOfRun = 2 ** 40

type Row = Selectable<AudienceDestinationsTable> & { title: string }

const sequenceOf = ({ run }: Row, place: number): number => run * placesOfRun + place

const idOf = ({ id, run, state }: Row, { place, profileId }: ReportedChange): string =>
  state === 'filling' ? `${id}-fill-${run}-${profileId}` : `${id}-${place}`

/** Returns the reason why existing members are sent; undefined for changes. */
const fillOf = ({ state, run, run_time, create_time }: Row): Fill | undefined => {
  if (state !== 'filling') return undefined
  return run === 0 ? { kind: 'first_fill', time: create_time } : { kind: 'resend', time: run_time ?? create_time }
}

/**
 * Creates the function that sends the next record of a connection to the stream. Each change is sent once, even after a
 * kill.
 */
export const createConnectionSteps = ({
  db,
  stream,
}: {
  db: Db
  stream: Pick<LogWriter, 'appendGroup' | 'beginEpoch' | 'lastSequences'>
}): ConnectionSteps => {
  /** The producer epoch of each connection in this process, and its last sequence in the stream. */
  const taken = new Map<string, { epoch: number; sequence: number }>()

  const takeUp = async (id: string): Promise<{ epoch: number; sequence: number }> => {
    const known = taken.get(id)
    if (known !== undefined) return known
    const epoch = await stream.beginEpoch(producerOf(id))
    const [last] = await stream.lastSequences(producerOf(id))
    const made = { epoch, sequence: last?.sequence ?? 0 }
    taken.set(id, made)
    return made
  }

  /**
   * Returns the events that report changes, as texts. Omits deleted profiles, because their identifiers no longer
   * exist; `createFarewells` sends their exits.
   */
  const textsOf = async (row: Row, changes: readonly ReportedChange[]) => {
    const audience = { id: row.audience_id, title: row.title }
    const ids = changes.map(({ profileId }) => profileId)
    const profiles = await readReportedProfiles(db, row.workspace_id, [...new Set(ids)])
    return changes.flatMap((change) => {
      const profile = profiles.get(change.profileId)
      if (profile === undefined) return []
      const text = audienceEventText(audience, change, profile, { id: idOf(row, change), fill: fillOf(row) })
      return [{ profileId: change.profileId, text }]
    })
  }

  const append = async (row: Row, changes: readonly ReportedChange[], through: number): Promise<void> => {
    const at = await takeUp(row.id)
    const fresh = changes.filter(({ place }) => sequenceOf(row, place) > at.sequence)
    const events = await textsOf(row, fresh)
    if (events.length === 0) return
    const sequence = sequenceOf(row, through)
    await stream.appendGroup([audienceRecord(row, events)], { producer: producerOf(row.id), epoch: at.epoch, sequence })
    taken.set(row.id, { ...at, sequence })
    faultPoint('audience-sender.after-append')
  }

  const fill = async (tx: Tx, row: Row): Promise<boolean> => {
    const changes = await readFill(tx, row, row.fill_sent, eventsAtOnce)
    const last = changes.at(-1)
    if (last !== undefined) await append(row, changes, last.place)
    await setConnection(
      tx,
      row.id,
      last === undefined ? { state: 'live' } : { fill_sent: last.place, fill_cursor: last.profileId },
    )
    return true
  }

  const follow = async (tx: Tx, row: Row): Promise<boolean> => {
    const { changes, through } = await readChangesBehind(tx, row, eventsAtOnce)
    if (through === undefined) return false
    if (changes.length > 0) await append(row, changes, through)
    await setConnection(tx, row.id, { sent_change: through })
    return true
  }

  const step = (id: string): Promise<boolean> =>
    db.transaction().execute(async (tx) => {
      const row = await tx
        .selectFrom('audience_destinations')
        .innerJoin('audiences', 'audiences.id', 'audience_destinations.audience_id')
        .selectAll('audience_destinations')
        .select('audiences.title')
        .where('audience_destinations.id', '=', id)
        .forUpdate('audience_destinations')
        .executeTakeFirst()
      if (row === undefined) return false
      return row.state === 'filling' ? await fill(tx, row) : await follow(tx, row)
    })

  return { step, forget: () => taken.clear() }
}
