import type { Db } from '@tributary/api-kit'
import type { DeliveryMeta } from '@tributary/contract'
import { createSendLoop, faultPoint, type Logger, losesDigits, type SendLoop } from '@tributary/kernel'
import type { LogEntry, LogWriter } from '@tributary/storage'
import { sql } from 'kysely'

export type SignalSenderDeps = {
  db: Db
  stream: Pick<LogWriter, 'appendGroup' | 'beginEpoch' | 'lastSequences'>
  /** Whether this process sends for a workspace; true for all if undefined. */
  isMine?: (workspaceId: string) => boolean
  /** Whether the disk has space for more records. */
  mayAppend: () => boolean
  logger: Logger
}

export type SignalSender = SendLoop

type Row = { id: string; signal_id: string; destinations: string[]; key: string; json: string }

/** Maximum number of conversions that are appended at once. */
const rowsAtOnce = 1000
/** Maximum number of conversions per record of the stream. */
const eventsOfRecord = 100

/** Topic of a message, without content, that there are new conversions to send. */
export const conversionsTopic = 'signals.conversions'
/** How often the sender looks for conversions itself, ms: `conversionsTopic` announces them. */
const looksMs = 5000

/** Returns the producer name for the conversions of a workspace in the stream. */
const producerOf = (workspaceId: string): string => `signals ${workspaceId}`

/** Returns the name that delivery uses for the producer of the conversions of a signal. */
export const signalProducer = (signalId: string): string => `signal ${signalId}`

const recordOf = (workspaceId: string, rows: readonly Row[]): LogEntry => {
  const [first] = rows
  if (first === undefined) throw new Error('a record has conversions')
  const meta: DeliveryMeta = {
    w: workspaceId,
    s: first.signal_id,
    d: first.destinations,
    n: rows.length,
    b: { k: 'signal', n: signalProducer(first.signal_id), e: rows.map(({ key }) => key) },
    ...(rows.some(({ json }) => losesDigits(json)) ? { e: true } : {}),
  }
  const body = `[${rows.map(({ json }) => json).join(',\n')}]\n`
  return { key: workspaceId, meta: JSON.stringify(meta), body: Buffer.from(body) }
}

/** Makes records of conversions with the same signal and the same destinations, in their order. */
const recordsOf = (workspaceId: string, rows: readonly Row[]): LogEntry[] =>
  [...Map.groupBy(rows, ({ signal_id, destinations }) => `${signal_id} ${destinations.join(' ')}`).values()].flatMap(
    (own) =>
      Array.from({ length: Math.ceil(own.length / eventsOfRecord) }, (_, index) =>
        recordOf(workspaceId, own.slice(index * eventsOfRecord, (index + 1) * eventsOfRecord)),
      ),
  )

/**
 * Creates the sender, which appends conversions to the stream for the destinations of their signals. Its position is
 * stored in the stream with the conversions, so each is appended once, even after a kill.
 */
export const createSignalSender = ({
  db,
  stream,
  isMine = () => true,
  mayAppend,
  logger,
}: SignalSenderDeps): SignalSender => {
  /** The producer epoch of each workspace in this process, and its last sequence in the stream. */
  const taken = new Map<string, { epoch: number; sequence: number }>()

  const takeUp = async (workspaceId: string): Promise<{ epoch: number; sequence: number }> => {
    const known = taken.get(workspaceId)
    if (known !== undefined) return known
    const epoch = await stream.beginEpoch(producerOf(workspaceId))
    const [last] = await stream.lastSequences(producerOf(workspaceId))
    const made = { epoch, sequence: last?.sequence ?? 0 }
    taken.set(workspaceId, made)
    return made
  }

  /** Appends the next conversions of a workspace; resolves to true if there may be more conversions. */
  const step = async (workspaceId: string): Promise<boolean> => {
    const { rows } = await sql<Row>`
      select id, signal_id, destinations, key, json from signal_outbox
      where workspace_id = ${workspaceId}::uuid order by id limit ${rowsAtOnce}`.execute(db)
    const last = rows.at(-1)
    if (last === undefined) return false
    const at = await takeUp(workspaceId)
    const sequence = Number(last.id)
    const fresh = rows.filter(({ id }) => Number(id) > at.sequence)
    if (fresh.length > 0) {
      const stamp = { producer: producerOf(workspaceId), epoch: at.epoch, sequence }
      await stream.appendGroup(recordsOf(workspaceId, fresh), stamp)
      taken.set(workspaceId, { ...at, sequence })
      faultPoint('signal-sender.after-append')
    }
    await sql`delete from signal_outbox
      where workspace_id = ${workspaceId}::uuid and id <= ${last.id}::bigint`.execute(db)
    return rows.length === rowsAtOnce
  }

  return createSendLoop(
    async (signal) => {
      const waiting = await sql<{ id: string }>`
        select distinct workspace_id as id from signal_outbox`.execute(db)
      const mine = waiting.rows.filter(({ id }) => isMine(id))
      let more = false
      for (const { id } of mine) if (!signal.aborted && mayAppend() && (await step(id))) more = true
      return { found: mine.length > 0, more }
    },
    (error) => {
      // The position in memory may be behind the stream, so it is read again.
      taken.clear()
      logger.warn({ err: error }, 'conversions cannot be sent now; trying again')
    },
    looksMs,
  )
}
