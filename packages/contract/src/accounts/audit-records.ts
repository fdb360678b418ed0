import { z } from 'zod'
import { organizationAdministrators } from '../api/access.ts'
import { errors, line, nextPageToken, pageQuery, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'

/** The kinds of actors: a person, an API key, or the product itself. */
export const auditActorKinds = ['user', 'key', 'product'] as const

/** One action in an organization. */
export const auditRecord = z.object({
  id: z.string(),
  time,
  /** The action as `<resource>.<verb>`, such as `sources.update`; the same name as the API call. */
  action: z.string(),
  /** Resource name of the changed resource. */
  resource: z.string(),
  /** The workspace of the action; null for the organization itself. */
  workspace: z.object({ name: z.string(), title: z.string() }).nullable(),
  actor: z.object({
    kind: z.enum(auditActorKinds),
    /** Resource name of the user or the key; empty for the product. */
    name: z.string(),
    /** Name of the person or title of the key; empty when both are deleted. */
    title: z.string(),
    email: z.string(),
  }),
  /** The organization that a platform admin acted for; null when the actor belongs to it. */
  on_behalf_of: z.string().nullable(),
  /** The address of the caller; empty when there was none. */
  ip: z.string(),
  user_agent: z.string(),
  /** Further details of the action. */
  detail: z.record(z.string(), z.unknown()),
  /** Changed fields, without secrets. */
  changes: z.array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() })),
})
export type AuditRecord = z.infer<typeof auditRecord>

/** Filters of the audit log; without any, it lists all records. */
export const auditFilters = z.object({
  /** A part of the name or email of a person, or of the title of a key. */
  actor: line(200).default(''),
  /** A resource, such as `sources`, or a call, such as `sources.update`. */
  action: line(100).default(''),
  /** A part of a resource name. */
  resource: line(300).default(''),
  /** `staff`: only actions of platform admins on behalf of the organization. `keys`: only actions of API keys. */
  by: z.enum(['staff', 'keys']).optional(),
  start_time: time.optional(),
  end_time: time.optional(),
})

export const auditRecords = {
  list: defineMethod({
    name: 'auditRecords.list',
    verb: 'GET',
    path: '/organizations/{organization}/auditRecords',
    access: organizationAdministrators,
    summary: 'Lists what was done in the organization and its workspaces, by whom, and from where, newest first.',
    query: pageQuery.extend(auditFilters.shape),
    response: z.object({
      audit_records: z.array(auditRecord),
      /** Days that records are kept on the plan of the organization; null for forever. */
      retention_days: z.number().nullable(),
      next_page_token: nextPageToken,
    }),
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
}
