import { type Db, isId, parseReference } from '@tributary/api-kit'
import { type EventConditions, type ReplayScope, resourceNames } from '@tributary/contract'
import { badRequest, notFound } from '@tributary/kernel'
import type { Database } from '@tributary/storage'
import { type Kysely, sql } from 'kysely'

/** Returns the error for an invalid field of a replay's scope. */
export const refuseScope = (field: string, text: string): Error =>
  badRequest('VALIDATION', `${field}: ${text}`, { [field]: text })

/**
 * Returns the ID of the scope's source; undefined for all sources. Throws 404 if the source is not in the workspace.
 */
export const scopeSource = async (db: Db, workspaceId: string, scope: ReplayScope): Promise<string | undefined> => {
  if (scope.source === undefined) return undefined
  const { workspace, source } = parseReference(resourceNames.source, 'source', scope.source)
  const row =
    workspace === workspaceId && isId(source)
      ? await db
          .selectFrom('sources')
          .select('id')
          .where('id', '=', source)
          .where('workspace_id', '=', workspaceId)
          .executeTakeFirst()
      : undefined
  if (row === undefined) throw notFound('source not found')
  return row.id
}

/** The criteria by which a replay filters events. */
export type EventScope = { event: string | undefined; eventType: string | undefined; filter: EventConditions }

/** The dead letters of a destination that a replay includes, before conditions on events. */
export type DeadScope = {
  workspaceId: string
  destinationId: string
  sourceId: string | undefined
  start: Date
  end: Date
  reason: string | undefined
}

/** Returns the condition on the table of parked deliveries for the dead letters of a scope. */
export const deadLetters = (scope: DeadScope) => sql<boolean>`
  workspace_id = ${scope.workspaceId}::uuid and destination_id = ${scope.destinationId}::uuid and state = 'dead'
  and first_time >= ${scope.start}::timestamptz and first_time < ${scope.end}::timestamptz
  and (${scope.sourceId ?? null}::uuid is null or source_id = ${scope.sourceId ?? null}::uuid)
  and (${scope.reason ?? null}::text is null or last_reason = ${scope.reason ?? null}::text)`

/** Counts the events of a scope's dead letters, with the first and last time. */
export const countDead = async (
  db: Kysely<Database>,
  scope: DeadScope,
): Promise<{ count: number; first: Date | null; last: Date | null }> => {
  const row = await db
    .selectFrom('parked_deliveries')
    .select((query) => [
      query.fn.sum<string | null>('event_count').as('count'),
      query.fn.min('first_time').as('first'),
      query.fn.max('first_time').as('last'),
    ])
    .where(deadLetters(scope))
    .executeTakeFirstOrThrow()
  return { count: Number(row.count ?? 0), first: row.first, last: row.last }
}
