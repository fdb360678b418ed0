import {
  type DataKind,
  type DestinationAbility,
  type DestinationCategory,
  destinationAbilities,
  type TargetProduct,
} from '@tributary/contract'
import type { Logger } from '@tributary/kernel'
import type { DataSourceDefinition } from './data-source.ts'
import type { DestinationDefinition, VendorVersion } from './definition.ts'
import type { SourceDefinition } from './source-definition.ts'

/** The catalog entry of a connector before it is loaded: small enough to keep hundreds in memory. */
type Listed<Definition> = {
  readonly slug: string
  readonly title: string
  readonly description: string
  /** The vendor's documentation; '' if there is none. */
  readonly docsUrl: string
  /** Path of the logo on this server. The path changes with the image. */
  readonly icon: string
  /** Loads the whole definition: guide, settings and code. The first call reads the definition from disk. */
  readonly load: () => Promise<Definition>
}

/** A kind of destination as the catalog lists it. */
export type ListedDestination = Listed<DestinationDefinition> & {
  readonly kinds: readonly DataKind[]
  readonly category: DestinationCategory
  readonly popular: boolean
  readonly abilities: readonly DestinationAbility[]
  readonly apiVersion?: VendorVersion
}

/** A kind of source as the catalog lists it. */
export type ListedSource = Listed<SourceDefinition> & {
  /** Web 1, Mobile 2, Server 3, Warehouse 4, Cloud 5, Offline 6, Unspecified 7. */
  readonly type: number
  readonly targetProduct: TargetProduct
  /** Whether new sources of this kind have a predefined schema. */
  readonly hasSchema: boolean
  /** Whether the definition of this kind of source handles webhook calls itself, in `webhook`. */
  readonly receivesWebhooks: boolean
}

/** A kind of data source as the catalog lists it. */
export type ListedDataSource = Listed<DataSourceDefinition> & {
  /** Whether the rows come from a file. */
  readonly file: boolean
  /** Whether users upload the file. */
  readonly upload: boolean
  /** Whether the tables are the workspace's own audiences and profiles. */
  readonly people: boolean
}

/** Returns the catalog's entry of a data source's definition; `icon` is where its logo is served. */
export const listDataSource = (definition: DataSourceDefinition, icon: string): ListedDataSource => {
  const { slug, title, description, docs, file = false, upload = false, people = false } = definition
  return { slug, title, description, docsUrl: docs.url, icon, file, upload, people, load: async () => definition }
}

const abilitiesOf = (definition: DestinationDefinition): DestinationAbility[] => {
  const { actions, presets, peopleLists, deletesUsers, warehouse } = definition
  const takesPeople =
    presets.some(({ eventType }) => eventType === 'identify') ||
    actions.some(({ eventTypes }) => eventTypes?.includes('identify') === true)
  const has: Record<DestinationAbility, boolean> = {
    People: takesPeople,
    'Lists of people': peopleLists !== undefined,
    'Deletion of users': deletesUsers !== undefined,
    'Tables for analysts': warehouse !== undefined,
  }
  return destinationAbilities.filter((ability) => has[ability])
}

const shownVersion = ({ version, page, until }: VendorVersion): VendorVersion => ({
  version,
  page,
  ...(until === undefined ? {} : { until }),
})

/** Returns the catalog's entry of a destination's definition; `icon` is where its logo is served. */
export const listDestination = (definition: DestinationDefinition, icon: string): ListedDestination => {
  const { slug, title, description, docs, kinds, category, popular = false, apiVersion } = definition
  const abilities = abilitiesOf(definition)
  const load = async () => definition
  const version = apiVersion === undefined ? {} : { apiVersion: shownVersion(apiVersion) }
  return { slug, title, description, docsUrl: docs.url, icon, kinds, category, popular, abilities, ...version, load }
}

/** Returns the catalog's entry of a source's definition; `icon` is where its logo is served. */
export const listSource = (definition: SourceDefinition, icon: string): ListedSource => {
  const { slug, title, description, docsUrl, type, targetProduct = 'CDP', predefinedSchema, webhook } = definition
  return {
    slug,
    title,
    description,
    docsUrl,
    icon,
    type,
    targetProduct,
    hasSchema: predefinedSchema !== undefined,
    receivesWebhooks: webhook !== undefined,
    load: async () => definition,
  }
}

/** The store failed to give a definition of a workspace, so loading it again can succeed. */
export class ConnectorUnavailable extends Error {}

/** The definitions that were loaded before, for code that cannot wait for loading. */
export type LoadedConnectors<Definition> = {
  /** Returns the definition; undefined for an unknown slug, and for a definition that was not loaded. */
  get(slug: string): Definition | undefined
  /**
   * Loads these definitions, and resolves when all are loaded. A definition that cannot be loaded is logged and stays
   * absent; unknown slugs are skipped. Rejects if the store of own definitions fails.
   */
  load(slugs: Iterable<string>): Promise<void>
  /** Forgets the loaded definitions of workspaces, except for these. Those of the product stay. */
  keep(slugs: ReadonlySet<string>): void
}

type Loadable<Definition> = Pick<Listed<Definition>, 'slug' | 'load'>

/**
 * Keeps the loaded definitions of a list. `findOwn` finds those that workspaces describe themselves, which are not in the
 * list. If it rejects, or a found definition does not load because the store fails, `load` rejects, too.
 */
export const createLoadedConnectors = <Definition>(
  listed: readonly Loadable<Definition>[],
  logger: Logger,
  findOwn: (slug: string) => Promise<Pick<Loadable<Definition>, 'load'> | undefined> = async () => undefined,
): LoadedConnectors<Definition> => {
  const bySlug = new Map(listed.map((entry) => [entry.slug, entry]))
  const loaded = new Map<string, Definition>()
  const loadOne = async (slug: string): Promise<void> => {
    if (loaded.has(slug)) return
    const entry = bySlug.get(slug) ?? (await findOwn(slug))
    if (entry === undefined) return
    try {
      loaded.set(slug, await entry.load())
    } catch (error) {
      if (error instanceof ConnectorUnavailable) throw error
      logger.error({ err: error, connector: slug }, 'a connector cannot be loaded')
    }
  }
  return {
    get: (slug) => loaded.get(slug),
    async load(slugs) {
      await Promise.all([...new Set(slugs)].map(loadOne))
    },
    keep(slugs) {
      for (const slug of loaded.keys()) if (!bySlug.has(slug) && !slugs.has(slug)) loaded.delete(slug)
    },
  }
}
