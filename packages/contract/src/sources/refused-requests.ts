import { z } from 'zod'
import { staff, workspaceMembers } from '../api/access.ts'
import { errors, nextPageToken, pageQuery, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'

/** Requests of the last 24 hours that collection refused for one reason. */
export const refusedRequest = z.object({
  /** Resource name of the source, or empty if the request had no source of the workspace. */
  source: z.string(),
  source_title: z.string(),
  /** Whether the source was deleted, while a client still sends with one of its keys. */
  source_deleted: z.boolean(),
  /** First characters of the key in the request. */
  key_hint: z.string(),
  reason: z.string(),
  /** HTTP status of the response. */
  code: z.number().int(),
  count: z.number().int(),
  last_time: time,
  /** Whether the last such request came within the last two minutes. */
  ongoing: z.boolean(),
  /** The message in the responses. */
  message: z.string(),
  /** Start of the last such request, without secrets. */
  sample: z.string(),
})
export type RefusedRequest = z.infer<typeof refusedRequest>

const refusedList = z.object({ refused_requests: z.array(refusedRequest), next_page_token: nextPageToken })

export const refusedRequests = {
  listBySource: defineMethod({
    name: 'refusedRequests.listBySource',
    verb: 'GET',
    path: '/workspaces/{workspace}/sources/{source}/refusedRequests',
    access: workspaceMembers,
    summary: "Lists a source's refused requests in the last 24 hours by reason, latest first.",
    query: pageQuery,
    response: refusedList,
    errors: [errors.notFound],
  }),
  list: defineMethod({
    name: 'refusedRequests.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/refusedRequests',
    access: workspaceMembers,
    summary:
      "Lists a workspace's refused requests in the last 24 hours by source and reason, latest first. Use `source_deleted` to filter by deleted sources.",
    query: pageQuery.extend({ source_deleted: z.enum(['true', 'false']).optional() }),
    response: refusedList,
    errors: [errors.notFound],
  }),
  listUnowned: defineMethod({
    name: 'refusedRequests.listUnowned',
    verb: 'GET',
    path: '/refusedRequests',
    access: staff,
    summary:
      'Lists refused requests in the last 24 hours that belong to no source, latest first. Platform admins only.',
    query: pageQuery,
    response: refusedList,
    errors: [errors.forbidden],
  }),
}
