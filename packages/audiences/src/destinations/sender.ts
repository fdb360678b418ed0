import { setTimeout as pause } from 'node:timers/promises'
import type { Db } from '@tributary/api-kit'
import { createRestPace, inWork, isHeldWork, type Logger } from '@tributary/kernel'
import type { LogWriter } from '@tributary/storage'
import { createConnectionSteps } from './connection-steps.ts'

export type AudienceSenderDeps = {
  db: Db
  stream: Pick<LogWriter, 'appendGroup' | 'beginEpoch' | 'lastSequences'>
  /** Whether this process sends for a workspace; for all unless given. */
  isMine?: (workspaceId: string) => boolean
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

type Connection = { id: string; workspace_id: string; audience_id: string }

/** Records that one connection sends in its turn. */
const recordsAtOnce = 20
/** Ms between two looks for something to send. */
const looks = { leastMs: 250, mostMs: 1000 }

/**
 * Makes the sender of entries and exits of audiences: it appends them to the stream as events for one destination. Delivery maps,
 * sends and retries them like events of sources. The position of a connection is in the stream beside its events, so each change
 * is appended once, even after a kill.
 */
export const createAudienceSender = ({
  db,
  stream,
  isMine = () => true,
  mayAppend,
  logger,
}: AudienceSenderDeps): AudienceSender => {
  const stopping = new AbortController()
  const { signal } = stopping
  const { step, forget } = createConnectionSteps({ db, stream })

  /** Connections that have something to send. */
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

  /** Sends some records of a connection; whether there may be more. One that is held waits until it is released. */
  const sendOf = async ({ id, workspace_id: workspaceId, audience_id: audienceId }: Connection): Promise<boolean> => {
    const work = { step: 'audiences.send', workspaceId, item: `audience-sending ${audienceId} ${id}` }
    if (isHeldWork(work.item)) return false
    for (let records = 0; records < recordsAtOnce; records++)
      if (signal.aborted || !mayAppend() || !(await inWork(work, () => step(id)))) return false
    return true
  }

  /** Whether there was something to send, and whether there may be more. */
  const turn = async (): Promise<{ found: boolean; more: boolean }> => {
    const connections = (await read()).filter(({ workspace_id: workspaceId }) => isMine(workspaceId))
    let more = false
    for (const connection of connections) more = (await sendOf(connection)) || more
    return { found: connections.length > 0, more }
  }

  const run = async (): Promise<void> => {
    const pace = createRestPace(looks)
    while (!signal.aborted) {
      let rest: number = looks.leastMs
      try {
        const { found, more } = await turn()
        if (more) continue
        rest = pace.after(found)
      } catch (error) {
        // The position in memory may be behind the stream: it is read again.
        forget()
        logger.warn({ err: error }, 'changes of audiences cannot be sent to destinations now; trying again')
      }
      await pause(rest, undefined, { signal }).catch(() => {})
    }
  }

  let running: Promise<void> | undefined
  return {
    start() {
      running ??= run()
    },
    async send() {
      while ((await turn()).more);
    },
    async stop() {
      stopping.abort()
      await running
    },
  }
}
