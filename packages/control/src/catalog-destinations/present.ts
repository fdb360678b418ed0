import { presentOption } from '@tributary/configuration'
import type {
  DestinationDefinition,
  ListedDestination,
  ObjectDefinition,
  ObjectIdentifier,
} from '@tributary/connector-kit'
import { type CatalogDestination, type ListedCatalogDestination, resourceNames } from '@tributary/contract'

const eventIdentifiers = { messageId: 'Message ID', userId: 'User ID' } as const

/** The label of the field that identifies a record. */
const identifierLabel = ({ settings, actions }: DestinationDefinition, identifier: ObjectIdentifier): string => {
  if ('event' in identifier) return eventIdentifiers[identifier.event]
  if ('setting' in identifier)
    return settings.fields.find(({ name }) => name === identifier.setting)?.label ?? identifier.setting
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

/** A kind of destination as the list of the catalog shows it. */
export const presentListedDestination = (
  entry: ListedDestination,
  instanceCount: number,
): ListedCatalogDestination => ({
  name: resourceNames.catalogDestination.format({ app: entry.slug }),
  title: entry.title,
  display_name: entry.title,
  description: entry.description,
  docs_url: entry.docsUrl,
  instance_count: instanceCount,
  extra: { app_icon: entry.icon },
  data_kinds: [...entry.kinds],
  category: entry.category,
  popular: entry.popular,
  abilities: [...entry.abilities],
})

const presentVersion = ({ apiVersion }: DestinationDefinition): CatalogDestination['api_version'] =>
  apiVersion === undefined
    ? null
    : { version: apiVersion.version, docs_url: apiVersion.page, end_date: apiVersion.until ?? null }

/** A kind of destination with what its definition says. */
export const presentCatalogDestination = (
  entry: ListedDestination,
  definition: DestinationDefinition,
  instanceCount: number,
): CatalogDestination => ({
  ...presentListedDestination(entry, instanceCount),
  api_version: presentVersion(definition),
  guide: definition.docs.steps.map(({ title, text, code = '', language = '' }) => ({ title, text, code, language })),
  settings: definition.settings.fields.map(presentOption),
  objects: definition.objects.map((object) => presentObject(definition, object)),
  actions: definition.actions.map(({ name, title, description }) => ({ name, title, description })),
  row_objects: (definition.rowObjects ?? []).map(
    ({ name, title, description, syncModes, named = true, listable = false }) => ({
      name,
      title,
      description,
      sync_modes: [...syncModes],
      named,
      listable,
    }),
  ),
})
