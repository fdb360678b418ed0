import type { Tx } from '@tributary/api-kit'
import { newId } from '@tributary/kernel'
import { JobGivenUp, type JobKind } from '@tributary/storage'
import { sql } from 'kysely'
import { z } from 'zod'
import type { SyncServices } from '../services.ts'
import { type AlertMessage, alertMessage } from './message.ts'
import { type PostDeps, type PostOutcome, postAlert } from './post.ts'
import type { AlertChannelRow } from './read.ts'

const data = z.object({ message: z.string() })

/**
 * Sends a message to a channel: eight attempts within about 20 minutes. The job contains only the ID of the message.
 */
export const alertJob: JobKind<z.output<typeof data>> = {
  name: 'send-alert',
  data,
  retries: { most: 7, pauseSeconds: 10, maxPauseSeconds: 10 * 60 },
  // The lease is longer than a request takes.
  leaseSeconds: 60,
  maxSeconds: 60,
  atOnce: 4,
  exclusive: false,
  keepSeconds: 60 * 60,
}

/** Time in ms after which a message is no longer useful. */
const usefulMs = 24 * 60 * 60_000

/** Queues a message for each channel that receives alerts of a sync, in the caller's transaction. */
export const queueAlerts = async (
  tx: Tx,
  { jobs, clock }: Pick<SyncServices, 'jobs' | 'clock'>,
  of: { workspaceId: string; syncId: string },
  message: Omit<AlertMessage, 'id' | 'time'>,
): Promise<void> => {
  const channels = await tx
    .selectFrom('alert_channels')
    .select('id')
    .where('workspace_id', '=', of.workspaceId)
    .where(sql<boolean>`(sync_ids is null or ${of.syncId}::uuid = any(sync_ids))`)
    .execute()
  const time = new Date(clock())
  for (const channel of channels) {
    const id = newId()
    await tx
      .insertInto('alert_messages')
      .values({
        id,
        channel_id: channel.id,
        message: JSON.stringify({ ...message, id, time: time.toISOString() } satisfies AlertMessage),
        create_time: time,
        expire_time: new Date(Number(time) + usefulMs),
      })
      .execute()
    await jobs.send(tx, alertJob, { message: id }, { id })
  }
}

/** Stores the outcome of a message, which is shown with the channel. */
export const noteOutcome = async (
  { db, clock }: Pick<SyncServices, 'db' | 'clock'>,
  channel: Pick<AlertChannelRow, 'id'>,
  outcome: PostOutcome,
): Promise<void> => {
  const time = new Date(clock())
  await db
    .updateTable('alert_channels')
    .set(
      outcome.kind === 'sent'
        ? { last_sent_time: time, failure: '', failure_time: null }
        : { failure: outcome.reason, failure_time: time },
    )
    .where('id', '=', channel.id)
    .execute()
}

/**
 * Runs a job of `alertJob`. If the process dies before the outcome is stored, the message is sent again, with the same
 * ID. A message that was accepted or refused is removed.
 *
 * @throws JobGivenUp if the message is permanently refused; an error with the reason if it must be retried
 */
export const sendAlert = async (
  deps: PostDeps & Pick<SyncServices, 'db'>,
  { message: id }: { message: string },
  { signal }: { signal: AbortSignal },
): Promise<void> => {
  const { db, clock } = deps
  const row = await db
    .selectFrom('alert_messages')
    .innerJoin('alert_channels', 'alert_channels.id', 'alert_messages.channel_id')
    .select(['alert_channels.id', 'kind', 'secrets_encrypted', 'message'])
    .where('alert_messages.id', '=', id)
    .where('expire_time', '>', new Date(clock()))
    .executeTakeFirst()
  if (row === undefined) return
  const outcome = await postAlert(deps, row, alertMessage.parse(JSON.parse(row.message)), signal)
  signal.throwIfAborted()
  await noteOutcome(deps, row, outcome)
  if (outcome.kind === 'retry') throw new Error(outcome.reason)
  await db.deleteFrom('alert_messages').where('id', '=', id).execute()
  if (outcome.kind === 'refused') throw new JobGivenUp(outcome.reason)
}
