import { audit, changesOf } from '@tributary/api-kit'
import { type DestinationRow, ownMappings } from '@tributary/configuration'
import { type EventMapping, resourceNames } from '@tributary/contract'
import { conflict, notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'

/** The mappings that a destination gets; `mappings` is null for the presets of its app. */
type NewMappings = {
  mappings: readonly EventMapping[] | null
  /** The version of presets that the destination gets. */
  presetVersion: number
  /** What the audit record has besides the revision. */
  detail: Readonly<Record<string, unknown>>
}

/**
 * Stores the mappings of a destination and audits the change, in one transaction. `change` gets the stored mappings and
 * returns the new ones. The row is locked, so that the second of two changes of the
 * same revision fails with 409. A change that was checked against an earlier version of the app fails with 409, too.
 */
export const saveMappings = async (
  { db, clock }: Pick<ControlDeps, 'db' | 'clock'>,
  { id, workspace_id: workspace, app }: Pick<DestinationRow, 'id' | 'workspace_id' | 'app'>,
  revision: number | undefined,
  change: (stored: { own: EventMapping[] | undefined; presetVersion: number }) => NewMappings,
): Promise<void> => {
  const time = new Date(clock())
  await db.transaction().execute(async (tx) => {
    const row = await tx
      .selectFrom('destinations')
      .select(['app', 'mappings', 'mappings_revision', 'preset_version'])
      .where('id', '=', id)
      .where('delete_time', 'is', null)
      .forUpdate()
      .executeTakeFirst()
    if (row === undefined) throw notFound('destination not found')
    if (row.app !== app) throw conflict('CHANGED', 'A new version was published meanwhile. Try again')
    if (revision !== undefined && revision !== row.mappings_revision)
      throw conflict('MAPPINGS_CHANGED', 'Someone else changed the mappings. Reload them', {
        revision: String(row.mappings_revision),
      })
    const { mappings, presetVersion, detail } = change({ own: ownMappings(row), presetVersion: row.preset_version })
    const next = row.mappings_revision + 1
    await tx
      .updateTable('destinations')
      .set({
        mappings: mappings === null ? null : JSON.stringify(mappings),
        mappings_revision: next,
        preset_version: presetVersion,
        update_time: time,
      })
      .where('id', '=', id)
      .execute()
    await audit(
      tx,
      resourceNames.destination.format({ workspace, destination: id }),
      { revision: next, ...detail },
      { changes: changesOf({ event_mappings: row.mappings }, { event_mappings: mappings }) },
    )
  })
}
