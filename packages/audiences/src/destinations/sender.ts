import type { Db } from '@tributary/api-kit'
import { createSendLoop, inWork, isHeldWork, type Logger, type SendLoop } from '@tributary/kernel'
import type { LogWriter } from '@tributary/storage'
import { createConnectionSteps } from './connection-steps.ts'

export type AudienceSenderDeps = {
  db: Db
  stream: Pick<LogWriter, 'appendGroup' | 'beginEpoch' | 'lastSequences'>
  /** Returns whether this process sends for a workspace; if undefined, it sends for all. */
  isMine?: (workspaceId: string) => boolean
  /** Returns whether the disk has space for more records. */
  mayAppend: () => boolean
  logger: Logger
}

export type AudienceSender = SendLoop

type Connection = { id: string; workspace_id: string; audience_id: string }

/** How often the sender looks for changes itself, ms: `changesTopic` announces those of the incremental evaluation. */
const looksMs = 2000
/** Topic of a message, without content, that audiences may have changed. */
export const changesTopic = 'audiences.changes'

/** Maximum number of records that one connection sends per turn. */
const recordsAtOnce = 20

/**
 * Creates the sender of entries and exits of audiences, which appends them to the stream as events for one destination.
 * Delivery maps, sends and retries them like events of sources. The position of a connection is in the stream beside
 * its events, so each change is appended once, even after a kill.
 */
export const createAudienceSender = ({
  db,
  stream,
  isMine = () => true,
  mayAppend,
  logger,
}: AudienceSenderDeps): AudienceSender => {
  const { step, forget } = createConnectionSteps({ db, stream })

  /** Reads the connections that have something to send. */
  const read = () =>
    db
      .selectFrom('audience_destinations as c')
      .innerJoin('destinations', 'destinations.id', 'c.destination_id')
      .select(['c.id', 'c.workspace_id', 'c.audience_id'])
      .where('destinations.delete_time', 'is', null)
      .where(({ or, eb, exists, selectFrom }) =>
        or([
          eb('c.state', '=', 'filling'),
          exists(
            selectFrom('audience_changes as e')
              .select('e.id')
              .whereRef('e.audience_id', '=', 'c.audience_id')
              .whereRef('e.id', '>', 'c.sent_change'),
          ),
        ]),
      )
      .orderBy('c.create_time')
      .execute()

  /**
   * Sends some records of a connection; returns whether there may be more records. Skips a connection whose work is
   * held (`isHeldWork`).
   */
  const sendOf = async (
    { id, workspace_id: workspaceId, audience_id: audienceId }: Connection,
    signal: AbortSignal,
  ): Promise<boolean> => {
    const work = { step: 'audiences.send', workspaceId, item: `audience-sending ${audienceId} ${id}` }
    if (isHeldWork(work.item)) return false
    for (let records = 0; records < recordsAtOnce; records++)
      if (signal.aborted || !mayAppend() || !(await inWork(work, () => step(id)))) return false
    return true
  }

  return createSendLoop(
    async (signal) => {
      const connections = (await read()).filter(({ workspace_id: workspaceId }) => isMine(workspaceId))
      let more = false
      for (const connection of connections) more = (await sendOf(connection, signal)) || more
      return { found: connections.length > 0, more }
    },
    (error) => {
      // The position in memory may be behind the stream, so it is read again.
      forget()
      logger.warn({ err: error }, 'changes of audiences cannot be sent to destinations now; trying again')
    },
    looksMs,
  )
}
