import type { DestinationDefinition } from '@tributary/connector-kit'
import { type CatalogDestination, resourceNames } from '@tributary/contract'
import { presentOption } from '../app-settings/present-setting.ts'
import { iconAddress } from '../catalog-sources/present.ts'

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
  actions: definition.actions.map(({ name, title, description }) => ({ name, title, description })),
})
