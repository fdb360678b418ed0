import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import {
  empty,
  errors,
  line,
  maskQuery,
  nextPageToken,
  pageQuery,
  reference,
  requestId,
  storableText,
  time,
  title,
} from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { targetProducts } from '../rules/catalog.ts'
import { newSettingValue, setting, settingsInput } from '../rules/settings.ts'
import { currentSchema, enforcements, schemaChanges } from './schema-versions.ts'
import { schemaLimits } from './source-schema.ts'

export const source = z.object({
  /** `workspaces/{id}/sources/{id}`. */
  name: z.string(),
  title: z.string(),
  app: z.object({
    /** Resource name of the app instance: `workspaces/{id}/sources/{id}/app`. */
    name: z.string(),
    /** The catalog entry it was created from: `catalogSources/{slug}`. */
    catalog_app: z.string(),
    display_name: z.string(),
    docs_url: z.string(),
    type: z.number().int(),
    extra: z.object({ app_icon: z.string() }),
    /** The settings that this kind of source has, such as the secret that signs deliveries; empty for most. */
    settings: z.array(setting),
  }),
  target_product: z.enum(targetProducts),
  enabled: z.boolean(),
  /** The action on events that do not match the schema. */
  enforcement: z.enum(enforcements),
  /** Version of its schema. */
  schema_version: z.number().int(),
  create_time: time,
  update_time: time,
  /** True once a request with one of its keys was accepted. */
  has_received: z.boolean(),
  /** The time of the last accepted request, exact to a few seconds. */
  last_event_time: time.nullable(),
})
export type Source = z.infer<typeof source>

/** A source with its schema. */
export const sourceWithSchema = source.extend({ schema: currentSchema })
export type SourceWithSchema = z.infer<typeof sourceWithSchema>

export const sources = {
  list: defineMethod({
    name: 'sources.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/sources',
    access: workspaceMembers,
    summary: 'Lists the sources of a workspace, newest first.',
    query: pageQuery.extend({ target_product: z.enum(targetProducts).optional() }),
    response: z.object({ sources: z.array(source), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
  get: defineMethod({
    name: 'sources.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/sources/{source}',
    access: workspaceMembers,
    summary: 'Gets a source with its schema.',
    response: sourceWithSchema,
    errors: [errors.notFound],
  }),
  create: defineMethod({
    name: 'sources.create',
    verb: 'POST',
    path: '/workspaces/{workspace}/sources',
    access: workspaceEditors,
    followedBy: ['pipeline'],
    summary:
      "Creates a source from a catalog entry (`app.name` is `catalogSources/{slug}`). Its schema starts from a template or a copy of another source's schema (`schema.initial_template.name`); otherwise it is its app's schema, or empty.",
    request: z.object({
      title,
      app: z.object({ name: reference }),
      schema: z.object({ initial_template: z.object({ name: reference }) }).optional(),
      settings: settingsInput.default({}),
      request_id: requestId,
    }),
    response: source,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  update: defineMethod({
    name: 'sources.update',
    verb: 'PATCH',
    path: '/workspaces/{workspace}/sources/{source}',
    access: workspaceEditors,
    followedBy: ['collection', 'pipeline', 'delivery'],
    summary:
      'Updates title, enabled, enforcement, or schema. A disabled source refuses events. A `schema` with `schema_version` is refused if the schema changed since; with `propertyId`, only that property is updated.',
    query: maskQuery.extend({ force_refresh: z.enum(['true', 'false']).optional() }),
    bodyLimit: 2 * schemaLimits.bytes,
    maskCompanions: { schema: ['propertyId', 'schema_version', 'schema_change'] },
    request: z.object({
      title: title.optional(),
      enabled: z.boolean().optional(),
      enforcement: z.enum(enforcements).optional(),
      /** JSON text of the full schema. */
      schema: z.string().optional(),
      /** JSON Pointer of the one property that changes, as `propertyIdOf` makes it. */
      propertyId: z.string().max(2000).optional(),
      /** The version that the change is based on. */
      schema_version: z.number().int().optional(),
      /** The origin of the schema, for its history. */
      schema_change: z.enum(schemaChanges).exclude(['created']).optional(),
    }),
    response: sourceWithSchema,
    errors: [
      errors.invalid,
      errors.forbidden,
      errors.notFound,
      { code: 409, reason: 'SCHEMA_CHANGED', when: 'The schema changed since `schema_version`.' },
    ],
  }),
  updateSetting: defineMethod({
    name: 'sources.updateSetting',
    verb: 'POST',
    path: '/workspaces/{workspace}/sources/{source}/app:updateSetting',
    access: workspaceEditors,
    followedBy: ['collection', 'pipeline', 'delivery'],
    summary: "Updates one setting of a source's app; null resets it to its default.",
    request: z.object({ name: line(100).min(1, 'Required'), value: newSettingValue }),
    alsoKnown: Object.keys(setting.shape),
    response: source,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  previewTemplate: defineMethod({
    name: 'sources.previewTemplate',
    verb: 'POST',
    path: '/workspaces/{workspace}/sources/{source}:previewTemplate',
    access: workspaceEditors,
    reads: true,
    summary: "Previews the events a template creates from a call to this source's webhook. Nothing is saved.",
    request: z.object({
      template: storableText(10_000).min(1, 'Required'),
      /** The body of the call. */
      body: storableText(100_000),
      /** The query parameters of its URL. */
      query: storableText(2000).default(''),
      headers: z.record(line(200), storableText(4000)).default({}),
    }),
    response: z.object({
      /** JSON text of each event that the body would create. */
      events: z.array(z.string()),
      /** Why the body creates no events; null if the template works. */
      error: z.object({ reason: z.string(), message: z.string() }).nullable(),
    }),
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  delete: defineMethod({
    name: 'sources.delete',
    verb: 'DELETE',
    path: '/workspaces/{workspace}/sources/{source}',
    access: workspaceEditors,
    followedBy: ['collection', 'pipeline', 'delivery'],
    summary: 'Deletes a source. Its write keys stop working.',
    response: empty,
    errors: [errors.forbidden, errors.notFound],
  }),
}
