import type { Db } from '@tributary/api-kit'
import {
  type ActionDefinition,
  type ActionTarget,
  type DestinationDefinition,
  mappingsNeeds,
  mappingTargetOf,
  newPresetMappings,
  presetMappings,
} from '@tributary/connector-kit'
import {
  type DestinationAction,
  type DestinationMappings,
  type EventMapping,
  eventMappings,
  mappingVariables,
  resourceNames,
} from '@tributary/contract'
import { badRequest } from '@tributary/kernel'
import type { DestinationRow } from '../destinations/read.ts'
import { findDestination } from '../own-connectors/find-destination.ts'
import { readPersonData } from '../person-data.ts'
import type { Catalog } from '../services.ts'

const shownChoices = ({ choices = [] }: Pick<ActionTarget, 'choices'>): { value: string; label: string }[] =>
  choices.map(({ value, label }) => ({ value, label }))

/** Returns an action of an app in the form of the API. */
export const presentAction = (action: ActionDefinition): DestinationAction => ({
  name: action.name,
  title: action.title,
  description: action.description,
  targets: action.targets.map((target) => ({
    ...mappingTargetOf(target),
    help_text: target.help,
    pii: target.pii ?? '',
    choices: shownChoices(target),
    is_people_list: target.peopleList === true,
    fields: (target.fields ?? []).map((field) => ({
      name: field.name,
      display_name: field.label,
      help_text: field.help,
      type: field.type,
      is_required: field.required === true,
      choices: shownChoices(field),
    })),
  })),
  custom_targets: action.customTargets,
  whole_event: action.wholeEvent,
  event_types: [...action.eventTypes],
})

/** Returns the definition of a destination's app; undefined if the app is no longer in the catalog. */
export const definitionOf = async (
  catalog: Catalog,
  row: Pick<DestinationRow, 'app'>,
): Promise<DestinationDefinition | undefined> => await (await findDestination(catalog, row.app))?.load()

/** Like `definitionOf`, but throws 400 with `field` if there is no definition. */
export const requireDefinition = async (
  catalog: Catalog,
  row: Pick<DestinationRow, 'app'>,
  field: string,
): Promise<DestinationDefinition> => {
  const definition = await definitionOf(catalog, row)
  const text = 'The app of this destination is no longer in the catalog'
  if (definition === undefined) throw badRequest('VALIDATION', text, { [field]: text })
  return definition
}

const presentNew = ({
  event_name,
  event_type,
  destination,
}: EventMapping): DestinationMappings['new_presets'][number] => ({
  event_name,
  event_type,
  destination,
})

/** Returns the mappings that users saved for a destination; undefined while it uses the presets of its app. */
export const ownMappings = (row: Pick<DestinationRow, 'mappings'>): EventMapping[] | undefined =>
  row.mappings === null ? undefined : eventMappings.parse(row.mappings)

/** Returns the mappings of a destination in the form of the API. */
export const presentMappings = async (
  { db, catalog }: { db: Db; catalog: Catalog },
  row: DestinationRow,
): Promise<DestinationMappings> => {
  const personData = await readPersonData(db, row.workspace_id)
  const definition = await definitionOf(catalog, row)
  const own = ownMappings(row)
  const used = own ?? (definition === undefined ? [] : presetMappings(definition, row.preset_version))
  const enabled = used.filter((mapping) => mapping.enabled)
  const name = resourceNames.destination.format({ workspace: row.workspace_id, destination: row.id })
  return {
    name: `${name}/mappings`,
    is_preset: own === undefined,
    revision: row.mappings_revision,
    event_mappings: used,
    new_presets: definition === undefined ? [] : newPresetMappings(definition, row.preset_version, own).map(presentNew),
    uses_profile: mappingsNeeds(enabled, personData).length > 0,
    actions: (definition?.actions ?? []).map(presentAction),
    variables: mappingVariables.map((variable) => ({ ...variable })),
    warnings: [],
  }
}
