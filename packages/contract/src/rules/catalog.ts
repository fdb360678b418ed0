import { z } from 'zod'
import { workspaceMembers } from '../api/access.ts'
import { errors, line, nextPageToken, pageQuery } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { settingOption } from './settings.ts'

/** Numbers of the source types on the wire. */
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

/** The source type of a number; one that is not known is Unspecified. */
export const sourceTypeOf = (number: number): SourceTypeName => {
  const names = Object.keys(sourceTypes) as SourceTypeName[]
  return names.find((name) => sourceTypes[name] === number) ?? 'Unspecified'
}

/** What a source's events are for. */
export const targetProducts = ['CDP', 'SIGNALS'] as const
export type TargetProduct = (typeof targetProducts)[number]

/**
 * One step of a set-up guide. `{{origin}}`, `{{host}}` (the origin without its scheme), `{{insecure}}` (`true` for an
 * origin of http, else `false`) and `{{writeKey}}` in text and code stand for the reader's own values.
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
  /** How many of it the workspace has. */
  instance_count: z.number().int(),
  /** `app_icon` is a picture's address, also a data: address. */
  extra: z.object({ app_icon: z.string() }),
})

/** A kind of source as the list shows it. */
export const listedCatalogSource = catalogApp.extend({
  has_predefined_schema: z.boolean(),
  /** One of the numbers of `sourceTypes`. */
  type: z.number().int(),
  target_product: z.enum(targetProducts),
})

export const catalogSource = listedCatalogSource.extend({
  /** What its sources ask for; empty for most. */
  settings: z.array(settingOption),
  guide: z.array(guideStep),
})
export type ListedCatalogSource = z.infer<typeof listedCatalogSource>
export type CatalogSource = z.infer<typeof catalogSource>

/** What data an app moves. */
export const dataKinds = ['ETL', 'Reverse ETL', 'Event Streams', 'Offline Data'] as const
export type DataKind = (typeof dataKinds)[number]

/** How records are brought over, by the name on the wire: its number, and what people call it. */
export const syncModes = {
  /** Writes over the record with the same identifier, and makes the others. */
  UPSERT_ONLY: { number: 1, title: 'Create or update' },
  /** Changes records that are there; makes none. */
  UPDATE_ONLY: { number: 2, title: 'Update Only' },
  /** Makes the records what the source has; what it no longer has is removed. */
  FULL_SYNC: { number: 3, title: 'Full' },
  /** Adds; changes nothing that is there. */
  INSERT_ONLY: { number: 4, title: 'Insert Only' },
} as const
export type SyncMode = keyof typeof syncModes
const syncModeNames = Object.keys(syncModes) as SyncMode[]
export const syncMode = z.enum(syncModeNames)

/** Something that a destination has more of or changes when it is sent events, such as rows of a table. */
const destinationObject = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  /** Empty where the user decides, such as by a statement of their own. */
  sync_modes: z.array(z.enum(syncModeNames)),
  /** Labels of what tells one from another; empty where nothing is looked for. */
  identifiers: z.array(z.string()),
  /** Names of the actions that write it. */
  actions: z.array(z.string()),
})

/** Something that syncs write rows to; `sync_modes` has at least one. */
const rowObject = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  sync_modes: z.array(z.enum(syncModeNames)),
  /** Whether people say which one, such as the name of a table; otherwise a sync's `object_name` is this name. */
  named: z.boolean(),
  /** Whether a sync that mirrors may own it: what of it is not in the model is removed then, whoever wrote it. */
  listable: z.boolean(),
})

/** A kind of destination as the list shows it. */
export const listedCatalogDestination = catalogApp.extend({ data_kinds: z.array(z.enum(dataKinds)) })

export const catalogDestination = listedCatalogDestination.extend({
  settings: z.array(settingOption),
  guide: z.array(guideStep),
  /** What it receives. */
  objects: z.array(destinationObject),
  actions: z.array(z.object({ name: z.string(), title: z.string(), description: z.string() })),
  /** What of it syncs can write rows to. */
  row_objects: z.array(rowObject),
})
export type ListedCatalogDestination = z.infer<typeof listedCatalogDestination>
export type CatalogDestination = z.infer<typeof catalogDestination>

/** `search` looks in the title. */
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
