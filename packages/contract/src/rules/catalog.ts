import { z } from 'zod'
import { workspaceMembers } from '../api/access.ts'
import { errors, line, nextPageToken, pageQuery } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { settingOption } from './settings.ts'

/** The number of each source type in the API. */
export const sourceTypes = {
  Web: 1,
  Mobile: 2,
  Server: 3,
  Warehouse: 4,
  Cloud: 5,
  Offline: 6,
  Unspecified: 7,
} as const
export type SourceTypeName = keyof typeof sourceTypes

/** Returns the name of the source type with this number; Unspecified for an unknown number. */
export const sourceTypeOf = (number: number): SourceTypeName => {
  const names = Object.keys(sourceTypes) as SourceTypeName[]
  return names.find((name) => sourceTypes[name] === number) ?? 'Unspecified'
}

/** The use of a source's events. */
export const targetProducts = ['CDP', 'SIGNALS'] as const
export type TargetProduct = (typeof targetProducts)[number]

/**
 * One step of a set-up guide. Its texts and code can have placeholders for the reader's own values:
 * - `{{origin}}`, and `{{host}}`, the origin without its scheme,
 * - `{{insecure}}`: `true` for an http origin, otherwise `false`,
 * - `{{writeKey}}`.
 */
export const guideStep = z.object({
  title: z.string(),
  text: z.string(),
  code: z.string(),
  language: z.string(),
})
export type GuideStep = z.infer<typeof guideStep>

const catalogApp = z.object({
  /** `catalogSources/{slug}` or `catalogDestinations/{slug}`. */
  name: z.string(),
  title: z.string(),
  display_name: z.string(),
  description: z.string(),
  docs_url: z.string(),
  /** Number of instances in the workspace. */
  instance_count: z.number().int(),
  /** `app_icon` is a picture's address, possibly a data: address. */
  extra: z.object({ app_icon: z.string() }),
})

/** A kind of source as the catalog lists it. */
export const listedCatalogSource = catalogApp.extend({
  has_predefined_schema: z.boolean(),
  /** One of the numbers of `sourceTypes`. */
  type: z.number().int(),
  target_product: z.enum(targetProducts),
})

export const catalogSource = listedCatalogSource.extend({
  /** The settings of sources of this kind; empty for most kinds. */
  settings: z.array(settingOption),
  guide: z.array(guideStep),
})
export type ListedCatalogSource = z.infer<typeof listedCatalogSource>
export type CatalogSource = z.infer<typeof catalogSource>

/** The kinds of data that an app moves. */
export const dataKinds = ['ETL', 'Reverse ETL', 'Event Streams', 'Offline Data'] as const
export type DataKind = (typeof dataKinds)[number]

/** The modes of a sync, by name in the API: the number, and the title on screens. */
export const syncModes = {
  /** Overwrites the record with the same identifier, and creates new ones. */
  UPSERT_ONLY: { number: 1, title: 'Create or update' },
  /** Changes existing records; creates none. */
  UPDATE_ONLY: { number: 2, title: 'Update Only' },
  /** Makes the records equal to the model; removes those that it no longer has. */
  FULL_SYNC: { number: 3, title: 'Full' },
  /** Adds records; changes none. */
  INSERT_ONLY: { number: 4, title: 'Insert Only' },
} as const
export type SyncMode = keyof typeof syncModes
const syncModeNames = Object.keys(syncModes) as SyncMode[]
export const syncMode = z.enum(syncModeNames)

/** A mode as callers send it, by name or number (SYN-02 to SYN-05). The result is the name.. */
export const syncModeInput = z
  .union([syncMode, z.literal(syncModeNames.map((name) => syncModes[name].number))], {
    error: `One of ${syncModeNames.map((name) => `${name} (${syncModes[name].number})`).join(', ')}`,
  })
  .transform((given) => syncModeNames.find((name) => name === given || syncModes[name].number === given) ?? 'FULL_SYNC')

/** A kind of record of a destination that events create or change, such as rows of a table. */
const destinationObject = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  /** The supported sync modes; empty if the user's own configuration decides, such as an SQL statement. */
  sync_modes: z.array(z.enum(syncModeNames)),
  /** Labels of the fields that identify a record; empty if no record is looked up. */
  identifiers: z.array(z.string()),
  /** Names of the actions that write the object. */
  actions: z.array(z.string()),
})

/** An object that syncs write rows to; `sync_modes` has at least one. */
const rowObject = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  sync_modes: z.array(z.enum(syncModeNames)),
  /**
   * Whether users enter the name of the object, such as a table name. Otherwise the sync's `object_name` is this name.
   */
  named: z.boolean(),
  /**
   * Whether a mirroring sync can own the object. It then removes all records that are not in the model, whatever wrote
   * them.
   */
  listable: z.boolean(),
})

/** A kind of destination as the catalog lists it. */
export const listedCatalogDestination = catalogApp.extend({
  data_kinds: z.array(z.enum(dataKinds)),
  /** One of `destinationCategories`. */
  category: z.string(),
  /** Whether many organizations use it. */
  popular: z.boolean(),
  /** Some of `destinationAbilities`. */
  abilities: z.array(z.string()),
})

export const catalogDestination = listedCatalogDestination.extend({
  settings: z.array(settingOption),
  guide: z.array(guideStep),
  /** The kinds of records that the destination accepts. */
  objects: z.array(destinationObject),
  actions: z.array(z.object({ name: z.string(), title: z.string(), description: z.string() })),
  /** The objects to which syncs can write rows. */
  row_objects: z.array(rowObject),
  /** The version of the vendor's API in use; null if the vendor has no versions. */
  api_version: z
    .object({
      version: z.string(),
      /** The vendor's page about the version. */
      docs_url: z.string(),
      /** The first day without the version; null if the vendor has announced none. */
      end_date: z.iso.date().nullable(),
    })
    .nullable(),
})
export type ListedCatalogDestination = z.infer<typeof listedCatalogDestination>
export type CatalogDestination = z.infer<typeof catalogDestination>

/** The query of a catalog. `search` matches the title. */
const catalogQuery = pageQuery.extend({ search: line(200).optional() })

export const catalogSources = {
  list: defineMethod({
    name: 'catalogSources.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/catalogSources',
    access: workspaceMembers,
    summary: 'Lists the source catalog, or the entries for one product.',
    query: catalogQuery.extend({ target_product: z.enum(targetProducts).optional() }),
    response: z.object({ catalog_sources: z.array(listedCatalogSource), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
  get: defineMethod({
    name: 'catalogSources.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/catalogSources/{app}',
    access: workspaceMembers,
    summary: 'Gets a source catalog entry with its settings and setup guide.',
    response: catalogSource,
    errors: [errors.notFound],
  }),
}

export const catalogDestinations = {
  list: defineMethod({
    name: 'catalogDestinations.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/catalogDestinations',
    access: workspaceMembers,
    summary: 'Lists the destination catalog.',
    query: catalogQuery.extend({ data_kind: z.enum(dataKinds).optional() }),
    response: z.object({ catalog_destinations: z.array(listedCatalogDestination), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
  get: defineMethod({
    name: 'catalogDestinations.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/catalogDestinations/{app}',
    access: workspaceMembers,
    summary: 'Gets a destination catalog entry with its settings and setup guide.',
    response: catalogDestination,
    errors: [errors.notFound],
  }),
}
