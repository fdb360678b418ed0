import type { DataKind, TargetProduct } from '@tributary/contract'
import type { Logger } from '@tributary/kernel'
import type { DataSourceDefinition } from './data-source.ts'
import type { DestinationDefinition } from './definition.ts'
import type { SourceDefinition } from './source-definition.ts'

/** The catalog's entry of a connector before it is loaded: little enough to be in memory for hundreds. */
type Listed<Definition> = {
  readonly slug: string
  readonly title: string
  readonly description: string
  /** The vendor's documentation; '' where there is none. */
  readonly docsUrl: string
  /** Path of its logo on this server. A changed picture has another path. */
  readonly icon: string
  /** The whole definition: guide, settings and code. Read from disk once, when it is first asked for. */
  readonly load: () => Promise<Definition>
}

/** A kind of destination as the catalog lists it. */
export type ListedDestination = Listed<DestinationDefinition> & { readonly kinds: readonly DataKind[] }

/** A kind of source as the catalog lists it. */
export type ListedSource = Listed<SourceDefinition> & {
  /** Web 1, Mobile 2, Server 3, Warehouse 4, Cloud 5, Offline 6, Unspecified 7. */
  readonly type: number
  readonly targetProduct: TargetProduct
  /** Its sources begin with a schema of their own. */
  readonly hasSchema: boolean
  /** It has a rule of its own for calls to its webhook. */
  readonly receivesWebhooks: boolean
}

/** A kind of data source as the catalog lists it. */
export type ListedDataSource = Listed<DataSourceDefinition> & {
  /** Its rows are those of a file. */
  readonly file: boolean
  /** People upload that file. */
  readonly upload: boolean
  /** Its tables are the workspace's own audiences and profiles. */
  readonly people: boolean
}

/** Returns the catalog's entry of a data source's definition; `icon` is where its logo is served. */
export const listDataSource = (definition: DataSourceDefinition, icon: string): ListedDataSource => {
  const { slug, title, description, docs, file = false, upload = false, people = false } = definition
  return { slug, title, description, docsUrl: docs.url, icon, file, upload, people, load: async () => definition }
}

/** Returns the catalog's entry of a destination's definition; `icon` is where its logo is served. */
export const listDestination = (definition: DestinationDefinition, icon: string): ListedDestination => {
  const { slug, title, description, docs, kinds } = definition
  return { slug, title, description, docsUrl: docs.url, icon, kinds, load: async () => definition }
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

/** Definitions for code that cannot wait: `get` answers for what was loaded before. */
export type LoadedConnectors<Definition> = {
  /** Undefined for an unknown slug and for one that was not loaded. */
  get(slug: string): Definition | undefined
  /** Resolves when each of these is loaded. One that cannot be loaded is logged and stays absent; unknown slugs are left out. */
  load(slugs: Iterable<string>): Promise<void>
}

/** Keeps the definitions that were loaded of a list. */
export const createLoadedConnectors = <Definition>(
  listed: readonly Pick<Listed<Definition>, 'slug' | 'load'>[],
  logger: Logger,
): LoadedConnectors<Definition> => {
  const bySlug = new Map(listed.map((entry) => [entry.slug, entry]))
  const loaded = new Map<string, Definition>()
  const loadOne = async (slug: string): Promise<void> => {
    const entry = bySlug.get(slug)
    if (entry === undefined || loaded.has(slug)) return
    try {
      loaded.set(slug, await entry.load())
    } catch (error) {
      logger.error({ err: error, connector: slug }, 'a connector cannot be loaded')
    }
  }
  return {
    get: (slug) => loaded.get(slug),
    async load(slugs) {
      await Promise.all([...new Set(slugs)].map(loadOne))
    },
  }
}
