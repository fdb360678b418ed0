import { z } from 'zod'
import { targetProducts } from './catalog.ts'
import { empty, errors, maskQuery, nextPageToken, pageQuery, reference, requestId, time, title } from './fields.ts'
import { defineMethod } from './method.ts'

export const source = z.object({
  /** `workspaces/{id}/sources/{id}`. */
  name: z.string(),
  title: z.string(),
  app: z.object({
    /** The instance: `workspaces/{id}/sources/{id}/app`. */
    name: z.string(),
    /** The catalogue entry it is made of: `catalogSources/{slug}`. */
    catalog_app: z.string(),
    display_name: z.string(),
    docs_url: z.string(),
    type: z.number().int(),
    extra: z.object({ app_icon: z.string() }),
  }),
  target_product: z.enum(targetProducts),
  enabled: z.boolean(),
  create_time: time,
  update_time: time,
  /** True once a request with one of its keys was accepted. */
  has_received: z.boolean(),
  /** When a request was last accepted; exact to a few seconds. */
  last_event_time: time.nullable(),
})
export type Source = z.infer<typeof source>

export const sources = {
  list: defineMethod({
    name: 'sources.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/sources',
    summary: 'The sources of a workspace, newest first.',
    query: pageQuery.extend({ target_product: z.enum(targetProducts).optional() }),
    response: z.object({ sources: z.array(source), next_page_token: nextPageToken }),
    errors: [errors.notFound],
  }),
  get: defineMethod({
    name: 'sources.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/sources/{source}',
    summary: 'Reads a source.',
    response: source,
    errors: [errors.notFound],
  }),
  create: defineMethod({
    name: 'sources.create',
    verb: 'POST',
    path: '/workspaces/{workspace}/sources',
    summary: 'Makes a source of an entry of the catalogue (`app.name` is `catalogSources/{slug}`).',
    request: z.object({ title, app: z.object({ name: reference }), request_id: requestId }),
    response: source,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  update: defineMethod({
    name: 'sources.update',
    verb: 'PATCH',
    path: '/workspaces/{workspace}/sources/{source}',
    summary: 'Changes title or enabled. A disabled source refuses what is sent to it.',
    query: maskQuery,
    request: z.object({ title: title.optional(), enabled: z.boolean().optional() }),
    response: source,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  delete: defineMethod({
    name: 'sources.delete',
    verb: 'DELETE',
    path: '/workspaces/{workspace}/sources/{source}',
    summary: 'Deletes a source; its write keys are refused from then on.',
    response: empty,
    errors: [errors.forbidden, errors.notFound],
  }),
}
