import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '@tributary/api-kit'
import { type DeliveryMeta, outboundBody } from '@tributary/contract'
import { faultPoint, type Logger } from '@tributary/kernel'
import type { AudienceDestinationsTable, LogWriter } from '@tributary/storage'
import type { Selectable } from 'kysely'
import { audienceName } from '../read.ts'
import { readChangesBehind, readFill, rowsOfTellings, type Telling } from './changes.ts'

export type AudienceSenderDeps = {
  db: Db
  stream: Pick<LogWriter, 'appendGroup' | 'beginEpoch' | 'lastSequences'>
  /** Whether there is room for more on the disk. */
  mayAppend: () => boolean
  logger: Logger
}

export type AudienceSender = {
  start(): void
  /** Sends what there is. Rejects where it cannot be sent now. */
  send(): Promise<void>
  /** Resolves when nothing of it runs. */
  stop(): Promise<void>
}

/** Rows of one record of the stream. */
const rowsAtOnce = 50
/** Records that one connection sends before the next one has its turn. */
const recordsAtOnce = 20
const everyMs = 1000

type Row = Selectable<AudienceDestinationsTable> & { title: string }

/**
 * Makes what tells destinations who enters and leaves audiences: rows of the stream, which delivery sends and tries again like
 * events. How far a connection is stands in the stream with its rows: whatever is killed when, each change is appended once.
 */
export const createAudienceSender = ({ db, stream, mayAppend, logger }: AudienceSenderDeps): AudienceSender => {
  const stopping = new AbortController()
  const { signal } = stopping
  /** The epoch of each connection that this process has taken up, and its last sequence in the stream. */
  const taken = new Map<string, { epoch: number; sequence: number }>()

  const takeUp = async (id: string): Promise<{ epoch: number; sequence: number }> => {
    const known = taken.get(id)
    if (known !== undefined) return known
    const epoch = await stream.beginEpoch(`audience ${id}`)
    const [last] = await stream.lastSequences(`audience ${id}`)
    const made = { epoch, sequence: last?.sequence ?? 0 }
    taken.set(id, made)
    return made
  }

  const append = async (row: Row, tellings: readonly Telling[], through: number): Promise<void> => {
    const at = await takeUp(row.id)
    const name = `audience ${row.id}`
    const fresh = tellings.filter(({ place }) => place > at.sequence)
    if (fresh.length > 0) {
      const rows = await rowsOfTellings(
        db,
        {
          connection: row.id,
          workspaceId: row.workspace_id,
          audience: { name: audienceName(row.workspace_id, row.audience_id), title: row.title },
        },
        fresh,
      )
      const meta: DeliveryMeta = {
        w: row.workspace_id,
        s: row.audience_id,
        d: [row.destination_id],
        n: rows.length,
        b: { k: 'audience', n: name },
      }
      const entry = { key: row.workspace_id, meta: JSON.stringify(meta), body: Buffer.from(outboundBody(rows)) }
      await stream.appendGroup([entry], { producer: name, epoch: at.epoch, sequence: through })
      faultPoint('audience-sender.after-append')
      taken.set(row.id, { ...at, sequence: through })
    }
  }

  const fill = async (row: Row): Promise<boolean> => {
    const tellings = await readFill(db, row, row.fill_sent, rowsAtOnce)
    const last = tellings.at(-1)
    if (last !== undefined) await append(row, tellings, last.place)
    const { numUpdatedRows } = await db
      .updateTable('audience_destinations')
      .set(last === undefined ? { state: 'live' } : { fill_sent: last.place, fill_cursor: last.profileId })
      .where('id', '=', row.id)
      .where('state', '=', 'filling')
      .executeTakeFirst()
    return numUpdatedRows > 0n
  }

  const follow = async (row: Row): Promise<boolean> => {
    const { tellings, through } = await readChangesBehind(db, row, rowsAtOnce)
    if (through === undefined) return false
    if (tellings.length > 0) await append(row, tellings, through)
    await db.updateTable('audience_destinations').set({ sent_change: through }).where('id', '=', row.id).execute()
    return true
  }

  const read = (): Promise<Row[]> =>
    db
      .selectFrom('audience_destinations')
      .innerJoin('audiences', 'audiences.id', 'audience_destinations.audience_id')
      .innerJoin('destinations', 'destinations.id', 'audience_destinations.destination_id')
      .selectAll('audience_destinations')
      .select('audiences.title')
      .where('destinations.delete_time', 'is', null)
      .orderBy('audience_destinations.create_time')
      .execute()

  /** True when there may be more to send. */
  const turn = async (): Promise<boolean> => {
    let more = false
    for (const { id } of await read())
      for (let records = 0; records < recordsAtOnce && !signal.aborted && mayAppend(); records++) {
        const row = (await read()).find((each) => each.id === id)
        const went = row !== undefined && (row.state === 'filling' ? await fill(row) : await follow(row))
        if (!went) break
        more ||= records === recordsAtOnce - 1
      }
    return more
  }

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        if (await turn()) continue
      } catch (error) {
        // What is remembered may be behind the stream: it is asked for again.
        taken.clear()
        logger.warn({ err: error }, 'Destinations cannot be told of audiences now; trying again')
      }
      await pause(everyMs, undefined, { signal }).catch(() => {})
    }
  }

  let running: Promise<void> | undefined
  return {
    start() {
      running ??= run()
    },
    async send() {
      while (await turn());
    },
    async stop() {
      stopping.abort()
      await running
    },
  }
}
