import type { Db } from '@tributary/api-kit'
import {
  ConnectorUnavailable,
  type DestinationDefinition,
  type ListedDestination,
  listDestination,
} from '@tributary/connector-kit'
import { type OwnReading, readOwn } from '@tributary/connector-kit/own-connector'
import { dataKinds, destinationAbilities } from '@tributary/contract'
import { z } from 'zod'
import { letterIcon } from './letter-icon.ts'
import { type OwnVersion, ownApp, ownVersionOf } from './own-app.ts'

type Texts = { readonly description: string; readonly guide: string }

/** Destinations that workspaces describe themselves, as entries of the catalog. */
export type OwnDestinations = {
  /** Finds a published version by its app, of any workspace; undefined if there is none. */
  find(app: string): Promise<ListedDestination | undefined>
  /** Returns the published versions of a workspace that new destinations use, by title. */
  list(workspaceId: string): Promise<ListedDestination[]>
  /** Reads texts that a user wrote; `app` becomes the slug of the destination. */
  read(texts: Texts, app: string): OwnReading
  /** Returns the texts of a destination of the product that is described by data; undefined for any other. */
  textsOf(slug: string): Promise<Texts | undefined>
}

/** The members of a version that the catalog lists. One that cannot be read is left out. */
const listing = z.object({
  description: z.string().catch(''),
  docsUrl: z.string().catch(''),
  kinds: z.array(z.enum(dataKinds)).catch([]),
  category: z.custom<ListedDestination['category']>((given) => typeof given === 'string'),
  abilities: z.array(z.enum(destinationAbilities)).catch([]),
})

/** Returns what the catalog lists of a definition, as JSON text. */
export const listingOf = (definition: DestinationDefinition): string => {
  const { description, docsUrl, kinds, category, abilities } = listDestination(definition, '')
  return JSON.stringify({ description, docsUrl, kinds, category, abilities })
}

/** Maximum definitions in memory, beside those that a thread keeps for its destinations. */
const maxLoaded = 50

type Deps = {
  db: Db
  normalizations: Parameters<typeof readOwn>[2]
  /** Reads the texts of a destination of the product; see `textsOf`. */
  textsOf?: OwnDestinations['textsOf']
}

/** Creates the catalog of own destinations. A version never changes, so the definitions of the last ones stay in memory. */
export const createOwnDestinations = ({ db, normalizations, textsOf }: Deps): OwnDestinations => {
  const loaded = new Map<string, Promise<DestinationDefinition>>()

  const read = (texts: Texts, app: string): OwnReading => readOwn(texts, app, normalizations)

  const loadVersion = async ({ id, version }: OwnVersion): Promise<DestinationDefinition> => {
    const row = await db
      .selectFrom('own_connector_versions')
      .select(['description', 'guide'])
      .where('own_connector_id', '=', id)
      .where('version', '=', version)
      .executeTakeFirst()
      .catch((error: unknown) => {
        throw new ConnectorUnavailable('The store failed to give the version', { cause: error })
      })
    if (row === undefined) throw new Error('The own connector was deleted')
    const reading = read(row, ownApp({ id, version }))
    if (!reading.ok)
      throw new Error(
        `The version cannot be read: ${reading.problems.map(({ path, message }) => `${path}: ${message}`).join('; ')}`,
      )
    return reading.definition
  }

  const load = (own: OwnVersion): Promise<DestinationDefinition> => {
    const app = ownApp(own)
    const definition = loaded.get(app) ?? loadVersion(own)
    loaded.delete(app)
    loaded.set(app, definition)
    // A failure is not kept, because the store may have been away.
    definition.catch(() => loaded.delete(app))
    for (const oldest of loaded.keys()) {
      if (loaded.size <= maxLoaded) break
      loaded.delete(oldest)
    }
    return definition
  }

  const rows = () =>
    db
      .selectFrom('own_connectors as c')
      .innerJoin('own_connector_versions as v', 'v.own_connector_id', 'c.id')
      .select(['c.id', 'c.title', 'v.version', 'v.listing'])

  const entryOf = (row: { id: string; title: string; version: number; listing: unknown }): ListedDestination => {
    const own = { id: row.id, version: row.version }
    return {
      slug: ownApp(own),
      title: row.title,
      icon: letterIcon(row.title),
      popular: false,
      ...listing.parse(row.listing),
      load: () => load(own),
    }
  }

  return {
    async find(app) {
      const own = ownVersionOf(app)
      if (own === undefined) return undefined
      const row = await rows().where('c.id', '=', own.id).where('v.version', '=', own.version).executeTakeFirst()
      return row === undefined ? undefined : entryOf(row)
    },
    async list(workspaceId) {
      const found = await rows()
        .where('c.workspace_id', '=', workspaceId)
        .whereRef('v.version', '=', 'c.current_version')
        .orderBy('c.title')
        .orderBy('c.id')
        .execute()
      return found.map(entryOf)
    },
    read,
    textsOf: textsOf ?? (async () => undefined),
  }
}
