import { z } from 'zod'
import { staffOfWorkspace } from '../api/access.ts'
import { empty, errors, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'

const invalidDomain = 'Invalid domain name'

/**
 * A domain name in ASCII, so that no letter looks like another. Parts have letters, digits and inner hyphens; the last
 * part has two or more letters.
 */
const domainForm = /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}$/

/** A domain name, in lower case. International names are written in their `xn--` form. */
export const domainName = z
  .string()
  .trim()
  .max(253, invalidDomain)
  .regex(domainForm, invalidDomain)
  .transform((name) => name.toLowerCase())

/**
 * `pending` until the DNS records of the domain are found. `failing` if the records of an active domain no longer
 * exist.
 */
export const customDomainStates = ['pending', 'active', 'failing'] as const
export type CustomDomainState = (typeof customDomainStates)[number]

/** A record to create where the domain is managed. */
const dnsRecord = z.object({
  type: z.enum(['CNAME', 'TXT']),
  name: z.string(),
  value: z.string(),
  /** Whether the last check found the record. */
  found: z.boolean(),
})

/** A domain on which a workspace collects its events. */
export const customDomain = z.object({
  /** `workspaces/{id}/customDomains/{id}`. */
  name: z.string(),
  domain_name: z.string(),
  state: z.enum(customDomainStates),
  records: z.array(dnsRecord),
  /** The time when the records were last checked; null before the first check. */
  check_time: time.nullable(),
  /** Why the last check failed, as a text; empty after a success. */
  problem: z.string(),
  create_time: time,
})
export type CustomDomain = z.infer<typeof customDomain>

export const customDomains = {
  list: defineMethod({
    name: 'customDomains.list',
    verb: 'GET',
    path: '/workspaces/{workspace}/customDomains',
    access: staffOfWorkspace,
    summary:
      'Lists the custom domain of a workspace, which has one at most, with the DNS records to create. For platform admins.',
    response: z.object({ custom_domains: z.array(customDomain) }),
    errors: [errors.forbidden, errors.notFound],
  }),
  create: defineMethod({
    name: 'customDomains.create',
    verb: 'POST',
    path: '/workspaces/{workspace}/customDomains',
    access: staffOfWorkspace,
    places: 'abroad',
    followedBy: ['collection'],
    summary: 'Adds a custom domain to a workspace. It works once its DNS records are found. For platform admins.',
    request: z.object({ domain_name: domainName }),
    response: customDomain,
    errors: [errors.invalid, errors.forbidden, errors.notFound, errors.exists],
  }),
  verify: defineMethod({
    name: 'customDomains.verify',
    verb: 'POST',
    path: '/workspaces/{workspace}/customDomains/{custom_domain}:verify',
    access: staffOfWorkspace,
    places: 'abroad',
    followedBy: ['collection'],
    summary:
      'Looks for the DNS records of a custom domain now. They are also looked for automatically. For platform admins.',
    request: z.object({}),
    response: customDomain,
    errors: [errors.forbidden, errors.notFound, errors.exists],
  }),
  delete: defineMethod({
    name: 'customDomains.delete',
    verb: 'DELETE',
    path: '/workspaces/{workspace}/customDomains/{custom_domain}',
    access: staffOfWorkspace,
    followedBy: ['collection'],
    summary: 'Removes a custom domain from a workspace. Events are no longer accepted on it. For platform admins.',
    response: empty,
    errors: [errors.forbidden, errors.notFound],
  }),
}
