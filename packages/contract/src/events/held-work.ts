import { z } from 'zod'
import { staff, workspaceAdministrators, workspaceMembers } from '../api/access.ts'
import { empty, errors, nextPageToken, pageQuery, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'

/** Maximum number of retries of one item by users within 24 hours. */
export const maxHeldWorkReleases = 3

export const heldWorkKinds = ['request', 'event', 'template', 'call', 'job'] as const

/** Work that is not retried automatically, because it stopped a thread twice or could not be processed. */
export const heldWork = z.object({
  /** Resource name of the item; empty for work that belongs to no workspace. */
  name: z.string(),
  kind: z.enum(heldWorkKinds),
  /** A description of the work. */
  title: z.string(),
  /**
   * Resource name of the source, destination, audience or sync that the work belongs to; empty if there is none, or if
   * it was deleted.
   */
  target: z.string(),
  workspace_title: z.string(),
  reason: z.string(),
  /** Number of times that the work failed or stopped a thread. */
  times: z.number().int(),
  last_time: time,
  /** The time at which the work was set aside. */
  hold_time: time,
  /** Number of times that users retried the work in the last 24 hours; at most `maxHeldWorkReleases`. */
  releases: z.number().int().default(0),
  /** The time from which users can retry the work again; null for now. */
  release_time: time.nullable().default(null),
})
export type HeldWork = z.infer<typeof heldWork>

const heldWorkList = z.object({ held_work: z.array(heldWork), next_page_token: nextPageToken })

export const heldWorkMethods = {
  list: defineMethod({
    name: 'heldWork.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/heldWork',
    access: workspaceMembers,
    summary:
      "Lists a workspace's work that is not retried automatically, because it stopped Tributary twice or could not be processed, latest first.",
    query: pageQuery,
    response: heldWorkList,
    errors: [errors.notFound],
  }),
  listAll: defineMethod({
    name: 'heldWork.listAll',
    verb: 'GET',
    path: '/heldWork',
    access: staff,
    summary: 'Lists the work of all workspaces, and of none, that is not retried automatically. Platform admins only.',
    query: pageQuery,
    response: heldWorkList,
    errors: [errors.forbidden],
  }),
  release: defineMethod({
    name: 'heldWork.release',
    verb: 'POST',
    path: '/workspaces/{workspace}/heldWork/{held_work}:release',
    access: workspaceAdministrators,
    summary:
      'Retries work within ten seconds. It is held again the next time that it stops a thread. An item can be retried 3 times within 24 hours, and one item of the installation every 5 minutes.',
    request: empty,
    response: empty,
    errors: [errors.forbidden, errors.notFound, errors.tooMany],
  }),
}
