import { audit } from '@tributary/api-kit'
import { type methods, parseSourceSchema, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { readSource } from '../sources/read.ts'
import { replayedEvent } from './blocked-event.ts'
import { type BlockedFilter, countBlocked, readBlocked } from './read-blocked.ts'
import { type Again, sendAgain } from './send-again.ts'

/** What one call does at most: events that it sends, their bytes, and events that it looks at. */
const maxEvents = 10_000
const maxBytes = 64 * 1024 * 1024
const maxLookedAt = 200_000

/**
 * Sends the blocked events of a source that fit its schema as it is now through the pipeline again, oldest first, as
 * requests of the log that name the stored events. They are written down as sent only when the log has them: after a
 * crash between the two they are sent once more, and the pipeline, which knows them by the stored events' ids, takes
 * them once. What exceeds one call waits for the next and counts as still blocked.
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
  async ({ actor, workspace, params, body, signal }) => {
    const source = await readSource(db, workspace.id, params.source)
    const { schema: text } = await db
      .selectFrom('source_schemas')
      .select('schema')
      .where('source_id', '=', source.id)
      .where('version', '=', source.schema_version)
      .executeTakeFirstOrThrow()
    const schema = parseSourceSchema(text)
    // Before anything is sent: nothing goes out of which nobody knows who wanted it.
    await db.transaction().execute((tx) =>
      audit(tx, {
        actor,
        action: 'violations.replayBlocked',
        resource: resourceNames.source.format({ workspace: workspace.id, source: source.id }),
        organizationId: workspace.organizationId,
        workspaceId: workspace.id,
        detail: { schema_version: source.schema_version, ...(body.event === undefined ? {} : { event: body.event }) },
        time: new Date(clock()),
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
