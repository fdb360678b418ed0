import { z } from 'zod'
import { organizationAdministrators } from '../api/access.ts'
import { errors, line, nextPageToken, pageQuery, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'

/** Who did something: a person, an API key, or the product itself. */
export const auditActorKinds = ['user', 'key', 'product'] as const

/** One thing that was done in an organization. */
export const auditRecord = z.object({
  id: z.string(),
  time,
  /** `<resource>.<verb>`, as the calls of the API are named. */
  action: z.string(),
  /** Resource name of what was changed. */
  resource: z.string(),
  /** The workspace that it happened in; null for the organization itself. */
  workspace: z.object({ name: z.string(), title: z.string() }).nullable(),
  actor: z.object({
    kind: z.enum(auditActorKinds),
    /** Resource name of the user or the key; empty for the product. */
    name: z.string(),
    /** Name of the person or title of the key; empty when both are gone. */
    title: z.string(),
    email: z.string(),
  }),
  /** The organization that staff acted for; null for who belongs to it. */
  on_behalf_of: z.string().nullable(),
  /** Where the call came from; empty where there was none. */
  ip: z.string(),
  user_agent: z.string(),
  /** What else is known of it. */
  detail: z.record(z.string(), z.unknown()),
  /** Fields that were changed, without secrets. */
  changes: z.array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() })),
})
export type AuditRecord = z.infer<typeof auditRecord>

/** What narrows the audit log; nothing finds everything. */
export const auditFilters = z.object({
  /** A part of the name or email of a person, or of the title of a key. */
  actor: line(200).default(''),
  /** A resource, as `sources`, or a call, as `sources.update`. */
  action: line(100).default(''),
  /** A part of a resource name. */
  resource: line(300).default(''),
  /** `staff` for what was done on behalf of the organization, `keys` for what keys did. */
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
      /** Days that records are kept on the plan of the organization; null for ever. */
      retention_days: z.number().nullable(),
      next_page_token: nextPageToken,
    }),
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
}
