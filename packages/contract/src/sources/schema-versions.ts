import { z } from 'zod'
import { workspaceMembers } from '../api/access.ts'
import { errors, nextPageToken, pageQuery, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { propertyTypes } from './source-schema.ts'

/** The action on an event that does not match: `allow` delivers it, `block` stores it until it is replayed. */
export const enforcements = ['allow', 'block'] as const
export type Enforcement = (typeof enforcements)[number]

/** Why a version of a schema was made. */
export const schemaChanges = ['created', 'edited', 'property', 'imported', 'inferred', 'restored'] as const

/** The current schema of a source. */
export const currentSchema = z.object({
  /** JSON text of the schema, as `parseSourceSchema` reads it. */
  schema: z.string(),
  /** Increases by one with each change. Events have the number of the version that validated them. */
  version: z.number().int(),
  update_time: time,
})

export const schemaVersion = z.object({
  /** `workspaces/{id}/sources/{id}/schemaVersions/{version}`. */
  name: z.string(),
  version: z.number().int(),
  create_time: time,
  /** The user who created the version; null for the product itself or a deleted user. */
  author: z.object({ name: z.string(), display_name: z.string() }).nullable(),
  change: z.enum(schemaChanges),
  /** The number of events, and of all their properties. */
  event_count: z.number().int(),
  property_count: z.number().int(),
})
export type SchemaVersion = z.infer<typeof schemaVersion>

export const schemaTemplate = z.object({
  /** `sourceSchemaTemplates/{slug}`. */
  name: z.string(),
  title: z.string(),
  description: z.string(),
})
export type SchemaTemplate = z.infer<typeof schemaTemplate>

export const sourceSchemaTemplates = {
  list: defineMethod({
    name: 'sourceSchemaTemplates.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/sourceSchemaTemplates',
    access: workspaceMembers,
    summary: 'Lists the schema templates for a new source; the first one is blank.',
    query: pageQuery,
    response: z.object({ templates: z.array(schemaTemplate), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
}

export const schemaVersions = {
  list: defineMethod({
    name: 'schemaVersions.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/sources/{source}/schemaVersions',
    access: workspaceMembers,
    summary: "Lists the versions of a source's schema, newest first.",
    query: pageQuery,
    response: z.object({ schema_versions: z.array(schemaVersion), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
  get: defineMethod({
    name: 'schemaVersions.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/sources/{source}/schemaVersions/{version}',
    access: workspaceMembers,
    summary: "Gets one version of a source's schema.",
    response: schemaVersion.extend({ schema: z.string() }),
    errors: [errors.notFound],
  }),
}

const days = z
  .union([z.number().int(), z.string().regex(/^\d{1,3}$/, 'Must be a whole number')])
  .transform(Number)
  .refine((value) => value >= 1 && value <= 90, 'From 1 to 90 days')

export const inferredSchemas = {
  get: defineMethod({
    name: 'inferredSchemas.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/sources/{source}/inferredSchema',
    access: workspaceMembers,
    summary: 'Suggests a schema that most recent events match. Nothing is changed.',
    query: z.object({ days: days.default(7) }),
    response: z.object({
      schema: z.string(),
      /**
       * Each event from which the schema was inferred: its title ('' for the user's traits), and the number of samples.
       */
      events: z.array(z.object({ title: z.string(), count: z.number().int() })),
      /**
       * Properties that have values of several types, by the ID that `propertyIdOf` creates. Each type has its count;
       * the proposed type comes first. Values of the other types would not match.
       */
      mixed: z.array(
        z.object({
          id: z.string(),
          types: z.array(z.object({ type: z.enum(propertyTypes), count: z.number().int() })),
        }),
      ),
    }),
    errors: [errors.invalid, errors.notFound, errors.unavailable],
  }),
}
