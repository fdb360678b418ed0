import { presentMappings, readDestination, requireDefinition } from '@tributary/configuration'
import { newPresetMappings, presetVersion } from '@tributary/connector-kit'
import { mappingLimits, type methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { saveMappings } from './save.ts'

/**
 * Adds the presets that the app of a destination got after the destination. A destination without own mappings then uses
 * the current presets. To others, the new presets are added after their own mappings, which stay as they are.
 */
export const addPresets =
  ({
    db,
    catalog,
    clock,
  }: Pick<ControlDeps, 'db' | 'catalog' | 'clock'>): Handler<typeof methods.mappings.addPresets> =>
  async ({ workspace, params, body }) => {
    const current = await readDestination(db, workspace.id, params.destination)
    const definition = await requireDefinition(catalog, current, 'destination')
    await saveMappings({ db, clock }, current, body.revision, ({ own, presetVersion: version }) => {
      const added = newPresetMappings(definition, version, own)
      const mappings = own === undefined ? null : [...own, ...added]
      if (mappings !== null && mappings.length > mappingLimits.eventMappings) {
        const text = `With ${added.length} presets, there would be ${mappings.length} mappings. At most ${mappingLimits.eventMappings} are possible`
        throw badRequest('VALIDATION', text, { event_mappings: text })
      }
      return { mappings, presetVersion, detail: { new_presets: added.length } }
    })
    return await presentMappings(await readDestination(db, workspace.id, current.id), catalog)
  }
