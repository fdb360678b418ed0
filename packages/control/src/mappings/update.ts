import { audit, changesOf } from '@tributary/api-kit'
import { checkMappings, presentMappings, readDestination, requireDefinition } from '@tributary/configuration'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, conflict, notFound } from '@tributary/kernel'
import { warnOfMappings } from '../audiences/never-received.ts'
import type { ControlDeps } from '../deps.ts'

/**
 * Replaces the mappings of a destination; null restores those of its app. The change applies from the next event on,
 * because a trigger notifies the configuration cache. The row is locked, so that the second of two changes of the same
 * revision fails with 409.
 */
export const updateMappings =
  ({
    db,
    eventStore,
    catalog,
    clock,
    workShare,
  }: Pick<ControlDeps, 'db' | 'eventStore' | 'catalog' | 'clock' | 'workShare'>): Handler<
    typeof methods.mappings.update
  > =>
  async ({ workspace, params, body, signal }) => {
    const current = await readDestination(db, workspace.id, params.destination)
    const { event_mappings: wanted, revision } = body
    if (wanted !== null) {
      const definition = await requireDefinition(catalog, current, 'event_mappings')
      const problems = await checkMappings(workShare, workspace.id, definition, wanted)
      const [first] = Object.values(problems)
      if (first !== undefined) throw badRequest('VALIDATION', first, problems)
    }
    const { id } = current
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      const row = await tx
        .selectFrom('destinations')
        .select(['mappings', 'mappings_revision'])
        .where('id', '=', id)
        .where('delete_time', 'is', null)
        .forUpdate()
        .executeTakeFirst()
      if (row === undefined) throw notFound('destination not found')
      if (revision !== undefined && revision !== row.mappings_revision)
        throw conflict('MAPPINGS_CHANGED', 'Someone else changed the mappings. Reload them', {
          revision: String(row.mappings_revision),
        })
      const next = row.mappings_revision + 1
      await tx
        .updateTable('destinations')
        .set({
          mappings: wanted === null ? null : JSON.stringify(wanted),
          mappings_revision: next,
          update_time: time,
        })
        .where('id', '=', id)
        .execute()
      await audit(
        tx,
        resourceNames.destination.format({ workspace: workspace.id, destination: id }),
        wanted === null ? { revision: next, presets: true } : { revision: next, event_mappings: wanted.length },
        { changes: changesOf({ event_mappings: row.mappings }, { event_mappings: wanted }) },
      )
    })
    const updated = await presentMappings(await readDestination(db, workspace.id, id), catalog)
    const placed = (wanted ?? []).map((mapping, index) => ({ mapping, field: `event_mappings.${index}` }))
    const warnings = await warnOfMappings({ db, eventStore }, placed, { workspaceId: workspace.id, signal })
    return { ...updated, warnings }
  }
