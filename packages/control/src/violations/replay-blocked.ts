import { audit } from '@tributary/api-kit'
import { readSource } from '@tributary/configuration'
import { type methods, parseSourceSchema, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { type Again, type BlockedFilter, countBlocked, readBlocked, replayedEvent, sendAgain } from '@tributary/replays'
import type { ControlDeps } from '../deps.ts'

/** The most that one call sends, in events and bytes, and the most events that it reads. */
const maxEvents = 10_000
const maxBytes = 64 * 1024 * 1024
const maxLookedAt = 200_000

/**
 * Sends the blocked events of a source that match its present schema through the pipeline again, oldest first, as requests of the log that
 * name the stored events. They are recorded as sent only when the log has them: after a crash between the two they are sent once
 * more. The pipeline recognizes them by the IDs of the stored events, and takes them once. Events beyond the limit of one call
 * wait for the next and count as still blocked.
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
    // Before anything is sent, so that every replay that goes out names its author.
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
