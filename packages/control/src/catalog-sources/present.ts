import { presentOption } from '@tributary/configuration'
import type { ListedSource, SourceDefinition } from '@tributary/connector-kit'
import { type CatalogSource, type ListedCatalogSource, resourceNames } from '@tributary/contract'

/** A kind of source as the list of the catalog shows it. */
export const presentListedSource = (entry: ListedSource, instanceCount: number): ListedCatalogSource => ({
  name: resourceNames.catalogSource.format({ app: entry.slug }),
  title: entry.title,
  display_name: entry.title,
  description: entry.description,
  docs_url: entry.docsUrl,
  instance_count: instanceCount,
  has_predefined_schema: entry.hasSchema,
  extra: { app_icon: entry.icon },
  type: entry.type,
  target_product: entry.targetProduct,
})

/** A kind of source with what its definition says. */
export const presentCatalogSource = (
  entry: ListedSource,
  definition: SourceDefinition,
  instanceCount: number,
): CatalogSource => ({
  ...presentListedSource(entry, instanceCount),
  settings: (definition.settings?.fields ?? []).map(presentOption),
  guide: definition.guide.map((step) => ({
    title: step.title,
    text: step.text,
    code: step.code ?? '',
    language: step.language ?? '',
  })),
})
