import { checkMappings, presentMappings, readDestination, requireDefinition } from '@tributary/configuration'
import { presetVersion } from '@tributary/connector-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest } from '@tributary/kernel'
import { warnOfMappings } from '../audiences/never-received.ts'
import type { ControlDeps } from '../deps.ts'
import { saveMappings } from './save.ts'

/**
 * Replaces the mappings of a destination; null restores those of its app in their current version. The change
 * applies from the next event on, because a trigger notifies the configuration cache.
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
      const problems = await checkMappings(workShare, workspace.id, definition, wanted, current.settings)
      const [first] = Object.values(problems)
      if (first !== undefined) throw badRequest('VALIDATION', first, problems)
    }
    const { id } = current
    await saveMappings({ db, clock }, current, revision, ({ presetVersion: version }) =>
      wanted === null
        ? { mappings: null, presetVersion, detail: { presets: true } }
        : { mappings: wanted, presetVersion: version, detail: { event_mappings: wanted.length } },
    )
    const updated = await presentMappings({ db, catalog }, await readDestination(db, workspace.id, id))
    const placed = (wanted ?? []).map((mapping, index) => ({ mapping, field: `event_mappings.${index}` }))
    const warnings = await warnOfMappings({ db, eventStore }, placed, { workspaceId: workspace.id, signal })
    return { ...updated, warnings }
  }
