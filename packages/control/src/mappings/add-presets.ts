import { presentMappings, readDestination, requireDefinition } from '@tributary/configuration'
import { newPresetMappings, presetVersion } from '@tributary/connector-kit'
import { type EventMapping, mappingLimits, type methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { saveMappings } from './save.ts'

/** Whether a mapping matches all events of a preset that matches only some events. */
const hides = (mapping: EventMapping, preset: EventMapping): boolean =>
  mapping.event_name === '' &&
  mapping.filters.length === 0 &&
  (mapping.event_type === '' || mapping.event_type === preset.event_type) &&
  (preset.event_name !== '' || preset.filters.length > 0)

/** Adds presets to own mappings: each before the first mapping that would hide it, or else at the end. */
const withPresets = (own: readonly EventMapping[], presets: readonly EventMapping[]): EventMapping[] => {
  const mappings = [...own]
  for (const preset of presets) {
    const at = mappings.findIndex((mapping) => hides(mapping, preset))
    mappings.splice(at === -1 ? mappings.length : at, 0, preset)
  }
  return mappings
}

/**
 * Adds the presets that the app of a destination got after the destination. A destination without own mappings then uses
 * the current presets. Own mappings of others stay as they are, in their order.
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
      const mappings = own === undefined ? null : withPresets(own, added)
      if (mappings !== null && mappings.length > mappingLimits.eventMappings) {
        const text = `With ${added.length} presets, there would be ${mappings.length} mappings. At most ${mappingLimits.eventMappings} are possible`
        throw badRequest('VALIDATION', text, { event_mappings: text })
      }
      return { mappings, presetVersion, detail: { new_presets: added.length } }
    })
    return await presentMappings({ db, catalog }, await readDestination(db, workspace.id, current.id))
  }
