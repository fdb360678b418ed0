import { z } from 'zod'
import { workspaceEditors, workspaceMembers } from '../api/access.ts'
import { empty, errors, maskQuery, nextPageToken, pageQuery, reference, requestId, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { genericTitle } from '../rules/value-rules.ts'
import { dataQueryErrors } from './data-sources.ts'
import { dataColumn, dataQuery, primaryKey } from './queries.ts'

/** Rows of a data source that have a key. */
export const model = z.object({
  /** `workspaces/{id}/models/{id}`. */
  name: z.string(),
  title: z.string(),
  data_source: z.object({ name: z.string(), title: z.string() }),
  query: dataQuery,
  /** The audience whose members are the rows; null for every other table and for queries. */
  audience: z
    .object({
      name: z.string(),
      title: z.string(),
      state: z.enum(['preparing', 'computing', 'live', 'paused', 'failed']),
      /** The time of the audience's last computation; null before the first one. */
      as_of: time.nullable(),
    })
    .nullable(),
  primary_key: z.array(z.string()),
  /** The columns of the result when the query was last saved. */
  columns: z.array(dataColumn),
  create_time: time,
  update_time: time,
})
export type Model = z.infer<typeof model>

export const models = {
  list: defineMethod({
    name: 'models.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/models',
    access: workspaceMembers,
    summary: 'Lists the models of a workspace, newest first; those of one data source by its name.',
    query: pageQuery.extend({ data_source: reference.optional() }),
    response: z.object({ models: z.array(model), next_page_token: nextPageToken }),
    errors: [errors.invalid, errors.notFound],
  }),
  get: defineMethod({
    name: 'models.get',
    verb: 'GET',
    path: '/workspaces/{workspace}/models/{model}',
    access: workspaceMembers,
    summary: 'Gets a model.',
    response: model,
    errors: [errors.notFound],
  }),
  create: defineMethod({
    name: 'models.create',
    verb: 'POST',
    path: '/workspaces/{workspace}/models',
    access: workspaceEditors,
    places: 'abroad',
    summary: 'Creates a model of a table or query, which the database reads and plans first without running it.',
    request: z.object({
      title: genericTitle,
      data_source: reference,
      query: dataQuery,
      primary_key: primaryKey,
      request_id: requestId,
    }),
    response: model,
    errors: dataQueryErrors,
  }),
  update: defineMethod({
    name: 'models.update',
    verb: 'PATCH',
    path: '/workspaces/{workspace}/models/{model}',
    access: workspaceEditors,
    places: 'abroad',
    summary: 'Changes title, query, or primary key of a model. A changed query or key is validated as at creation.',
    query: maskQuery,
    request: z.object({
      title: genericTitle.optional(),
      query: dataQuery.optional(),
      primary_key: primaryKey.optional(),
    }),
    response: model,
    errors: dataQueryErrors,
  }),
  delete: defineMethod({
    name: 'models.delete',
    verb: 'DELETE',
    path: '/workspaces/{workspace}/models/{model}',
    access: workspaceEditors,
    summary: 'Deletes a model. Nothing changes in the database itself.',
    response: empty,
    errors: [errors.forbidden, errors.notFound],
  }),
}
