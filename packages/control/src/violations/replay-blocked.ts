import { audit } from '@tributary/api-kit'
import { readSource } from '@tributary/configuration'
import { type methods, parseSourceSchema, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { type Again, type BlockedFilter, countBlocked, readBlocked, replayedEvent, sendAgain } from '@tributary/replays'
import type { ControlDeps } from '../deps.ts'

/** Maximum number and bytes of events that one call sends, and maximum number of events that it reads. */
const maxEvents = 10_000
const maxBytes = 64 * 1024 * 1024
const maxLookedAt = 200_000

/**
 * Sends the blocked events of a source that match its current schema through the pipeline again, oldest first. Writes
 * requests to the log that refer to the stored events. Records events as sent only once the log has them, so that a
 * crash in between makes them be sent again. The pipeline recognizes the IDs of the stored events and processes each
 * event once. Events beyond the limits of one call remain blocked until the next call.
 */
export const replayBlockedEvents =
  ({
    db,
    eventStore,
    appendRequest,
    clock,
  }: Pick<ControlDeps, 'db' | 'eventStore' | 'appendRequest' | 'clock'>): Handler<
    typeof methods.violations.replayBlocked
  > =>
  async ({ workspace, params, body, signal }) => {
    const source = await readSource(db, workspace.id, params.source)
    const { schema: text } = await db
      .selectFrom('source_schemas')
      .select('schema')
      .where('source_id', '=', source.id)
      .where('version', '=', source.schema_version)
      .executeTakeFirstOrThrow()
    const schema = parseSourceSchema(text)
    // The audit record is written before anything is sent, so that every replay has a known author.
    await db.transaction().execute((tx) =>
      audit(tx, resourceNames.source.format({ workspace: workspace.id, source: source.id }), {
        schema_version: source.schema_version,
        ...(body.event === undefined ? {} : { event: body.event }),
      }),
    )
    const filter: BlockedFilter = { workspaceId: workspace.id, sourceId: source.id, event: body.event }

    let replayed = 0
    let bytes = 0
    let lookedAt = 0
    for await (const { rows, readAt } of readBlocked({ eventStore, clock }, filter, signal)) {
      const fitting: Again[] = []
      for (const row of rows) {
        if (replayed + fitting.length >= maxEvents) break
        const event = replayedEvent(row, schema)
        if (event !== undefined) fitting.push({ id: row.event_id, text: event })
      }
      await sendAgain({ eventStore, appendRequest }, filter, fitting, readAt)
      replayed += fitting.length
      bytes += fitting.reduce((sum, event) => sum + event.text.length, 0)
      lookedAt += rows.length
      if (replayed >= maxEvents || bytes >= maxBytes || lookedAt >= maxLookedAt) break
    }
    return { replayed, still_blocked: await countBlocked(eventStore, filter, signal) }
  }
