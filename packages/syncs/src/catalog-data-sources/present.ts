import { presentOption } from '@tributary/configuration'
import type { DataSourceDefinition, ListedDataSource } from '@tributary/connector-kit'
import { type CatalogDataSource, type ListedCatalogDataSource, resourceNames } from '@tributary/contract'

/** Returns a kind of data source for lists. A kind that is no longer in the catalog is shown by its slug. */
export const presentListedDataSource = (
  slug: string,
  entry: ListedDataSource | undefined,
): ListedCatalogDataSource => ({
  name: resourceNames.catalogDataSource.format({ app: slug }),
  title: entry?.title ?? slug,
  description: entry?.description ?? '',
  docs_url: entry?.docsUrl ?? '',
  file: entry?.file ?? false,
  upload: entry?.upload ?? false,
  people: entry?.people ?? false,
  extra: { app_icon: entry?.icon ?? '' },
})

/** Returns a kind of data source with its form and guide. */
export const presentCatalogDataSource = (
  entry: ListedDataSource,
  { settings, docs }: DataSourceDefinition,
): CatalogDataSource => ({
  ...presentListedDataSource(entry.slug, entry),
  settings: settings.fields.map(presentOption),
  guide: docs.steps.map(({ title, text, code = '', language = '' }) => ({ title, text, code, language })),
})
