import type { DestinationDefinition, ObjectDefinition, ObjectIdentifier } from '@tributary/connector-kit'
import { type CatalogDestination, resourceNames } from '@tributary/contract'
import { presentOption } from '../app-settings/present-setting.ts'
import { iconAddress } from '../catalog-sources/present.ts'

const eventIdentifiers = { messageId: 'Message id', userId: 'User id' } as const

/** What people call what a record is known by. */
const identifierLabel = ({ fields, actions }: DestinationDefinition, identifier: ObjectIdentifier): string => {
  if ('event' in identifier) return eventIdentifiers[identifier.event]
  if ('setting' in identifier)
    return fields.find(({ name }) => name === identifier.setting)?.label ?? identifier.setting
  const targets = actions.flatMap((action) => action.targets)
  return targets.find(({ name }) => name === identifier.target)?.label ?? identifier.target
}

const presentObject = (
  definition: DestinationDefinition,
  { name, title, description, syncModes, identifiers, actions }: ObjectDefinition,
): CatalogDestination['objects'][number] => ({
  name,
  title,
  description,
  sync_modes: [...syncModes],
  identifiers: identifiers.map((identifier) => identifierLabel(definition, identifier)),
  actions: [...actions],
})

/** An entry of the destination catalogue as the wire shows it. */
export const presentCatalogDestination = (
  definition: DestinationDefinition,
  instanceCount: number,
): CatalogDestination => ({
  name: resourceNames.catalogDestination.format({ app: definition.slug }),
  title: definition.title,
  display_name: definition.title,
  description: definition.description,
  docs_url: definition.docs.url,
  instance_count: instanceCount,
  extra: { app_icon: iconAddress(definition.logo) },
  guide: definition.docs.steps.map(({ title, text, code = '', language = '' }) => ({ title, text, code, language })),
  settings: definition.fields.map(presentOption),
  data_kinds: [...definition.kinds],
  objects: definition.objects.map((object) => presentObject(definition, object)),
  actions: definition.actions.map(({ name, title, description }) => ({ name, title, description })),
})
