import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  type DataSourceDefinition,
  type DestinationDefinition,
  listDataSource,
  listDestination,
  listSource,
  type SourceDefinition,
} from '@tributary/connector-kit'
import { defineDescribed, readDescription } from '@tributary/connector-kit/description'
import { normalizations } from '../connectors/wire/normalization/index.ts'

export type ConnectorKind = 'data-sources' | 'destinations' | 'sources'

/** Path of the generated catalog, relative to the root of the repository. */
export const catalogFile = 'connectors/catalog.generated.ts'

/** Returns the name in code for a slug: `google-sheets` becomes `googleSheets`. */
export const identifierOf = (slug: string): string =>
  slug.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** Returns the slugs of the connector folders of a kind, sorted. */
export const connectorSlugs = (root: string, kind: ConnectorKind): string[] =>
  readdirSync(join(root, 'connectors', kind), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted()

/**
 * Reads the definition of a folder: the export of `definition.ts` with the name of the slug. The caller determines the
 * type. Throws if there is no definition.
 */
const readDefinition = async <Definition>(root: string, kind: ConnectorKind, slug: string): Promise<Definition> => {
  const file = join(root, 'connectors', kind, slug, 'definition.ts')
  const exported: Record<string, unknown> = await import(pathToFileURL(file).href)
  const definition = exported[identifierOf(slug)]
  if (typeof definition !== 'object' || definition === null)
    throw new Error(`connectors/${kind}/${slug}/definition.ts does not export ${identifierOf(slug)}`)
  return definition as Definition
}

/** Whether the folder of a destination describes it by data, in `description.json`. */
export const isDescribed = (root: string, slug: string): boolean =>
  existsSync(join(root, 'connectors/destinations', slug, 'description.json'))

/** Reads the definition or the description in a destination's folder; throws if there is none. */
export const readDestination = async (root: string, slug: string): Promise<DestinationDefinition> => {
  if (!isDescribed(root, slug)) return await readDefinition(root, 'destinations', slug)
  const textOf = (file: string): string => readFileSync(join(root, 'connectors/destinations', slug, file), 'utf8')
  return defineDescribed(
    readDescription(textOf('description.json'), normalizations),
    textOf('guide.md'),
    normalizations,
  )
}

/** Reads the definition in a data source's folder; throws if there is none. */
export const readDataSource = (root: string, slug: string): Promise<DataSourceDefinition> =>
  readDefinition(root, 'data-sources', slug)

/** Reads the definition in a source's folder; throws if there is none. */
export const readSource = (root: string, slug: string): Promise<SourceDefinition> =>
  readDefinition(root, 'sources', slug)

/** Returns the path of a served logo. The path contains a hash of the logo, so that browsers can cache the logo. */
const iconOf = (root: string, kind: ConnectorKind, slug: string): string => {
  const svg = readFileSync(join(root, 'connectors', kind, slug, 'logo.svg'))
  return `/media/connectors/${kind}/${slug}-${createHash('sha256').update(svg).digest('hex').slice(0, 12)}.svg`
}

const loadText = (kind: ConnectorKind, slug: string, described: boolean): string =>
  described
    ? `(await import('./load-described.ts')).loadDescribed('${slug}')`
    : `(await import('./${kind}/${slug}/definition.ts')).${identifierOf(slug)}`

const entryText = (kind: ConnectorKind, entry: { slug: string; load: unknown }, described = false): string =>
  [
    '  {',
    ...Object.entries(entry)
      .filter(([name]) => name !== 'load')
      .map(([name, value]) => `    ${name}: ${JSON.stringify(value)},`),
    `    load: async () => ${loadText(kind, entry.slug, described)},`,
    '  },',
  ].join('\n')

const byTitle = (one: { title: string }, other: { title: string }): number => one.title.localeCompare(other.title, 'en')

/**
 * Returns the text of the generated catalog, with an entry for each folder. Throws if a folder has no definition or no
 * logo.
 */
export const catalogText = async (root: string): Promise<string> => {
  const destinations = await Promise.all(
    connectorSlugs(root, 'destinations').map(async (slug) =>
      listDestination(await readDestination(root, slug), iconOf(root, 'destinations', slug)),
    ),
  )
  const sources = await Promise.all(
    connectorSlugs(root, 'sources').map(async (slug) =>
      listSource(await readSource(root, slug), iconOf(root, 'sources', slug)),
    ),
  )
  const dataSources = await Promise.all(
    connectorSlugs(root, 'data-sources').map(async (slug) =>
      listDataSource(await readDataSource(root, slug), iconOf(root, 'data-sources', slug)),
    ),
  )
  return [
    '// Made by `npm run connector` of the folders beside it. Do not edit it.',
    "import type { ListedDataSource, ListedDestination, ListedSource } from '@tributary/connector-kit'",
    '',
    '/** Every kind of data source, by title. */',
    'export const listedDataSources: readonly ListedDataSource[] = [',
    ...dataSources.toSorted(byTitle).map((entry) => entryText('data-sources', entry)),
    ']',
    '',
    '/** Every kind of destination, by title. */',
    'export const listedDestinations: readonly ListedDestination[] = [',
    ...destinations.toSorted(byTitle).map((entry) => entryText('destinations', entry, isDescribed(root, entry.slug))),
    ']',
    '',
    '/** Every kind of source, by its type and title. */',
    'export const listedSources: readonly ListedSource[] = [',
    ...sources
      .toSorted((one, other) => one.type - other.type || byTitle(one, other))
      .map((entry) => entryText('sources', entry)),
    ']',
    '',
  ].join('\n')
}
