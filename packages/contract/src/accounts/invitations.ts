import { roles } from '@tributary/kernel/browser'
import { z } from 'zod'
import { anybody, everybody, organizationAdministrators } from '../api/access.ts'
import { empty, errors, line, nextPageToken, pageQuery, time } from '../api/fields.ts'
import { defineMethod } from '../api/method.ts'
import { inviteEmails } from './account-rules.ts'
import { roleInput } from './memberships.ts'
import { organization } from './organizations.ts'

const role = z.object({ value: z.enum(roles) })

export const invitation = z.object({
  /** `organizations/{id}/invitations/{id}`. */
  name: z.string(),
  invitee_email: z.string(),
  role,
  /** Name or address of the inviting user. */
  inviter: z.string(),
  create_time: time,
  /** The time of the last invitation email. */
  send_time: time,
  expire_time: time,
})
export type Invitation = z.infer<typeof invitation>

export const invitationLink = z.object({
  /** `organizations/{id}/invitationlinks/{id}`; also the path of the page to share. */
  name: z.string(),
  role,
  create_time: time,
  expire_time: time,
})
export type InvitationLink = z.infer<typeof invitationLink>

/** The facts about an invitation that its page shows before the user accepts. */
export const invitationPreview = z.object({
  organization: z.object({ name: z.string(), display_name: z.string(), logo: z.string() }),
  inviter: z.string(),
  role,
  /** The address to which the invitation was sent; empty for a link that any user can open. */
  invitee_email: z.string(),
  /** Whether the invited address has an account; false for a link. */
  has_account: z.boolean(),
})
export type InvitationPreview = z.infer<typeof invitationPreview>

const requestLine = z.object({ invitee_email: z.string().max(1000), role: roleInput })

/**
 * A batch of invitations: one role for a list of addresses, or one role for each address. The schema converts both into
 * lines of address and role.
 */
const batch = z
  .object({
    emails: z.array(z.string().max(1000)).max(1000).optional(),
    role: roleInput.optional(),
    requests: z.array(requestLine).max(1000).optional(),
  })
  .transform(({ emails = [], role, requests }, context) => {
    if (requests === undefined && role === undefined)
      context.addIssue({ code: 'custom', path: ['role'], message: 'Choose a role' })
    const lines = requests ?? emails.map((invitee_email) => ({ invitee_email, role: role ?? 'ORG_GUEST' }))
    const found = inviteEmails.safeParse(lines.map(({ invitee_email }) => invitee_email))
    if (!found.success)
      context.addIssue({ code: 'custom', path: ['emails'], message: found.error.issues[0]?.message ?? 'Required' })
    const roleOf = new Map(lines.map((each) => [each.invitee_email.trim().toLowerCase(), each.role]))
    return {
      requests: (found.data ?? []).map((invitee_email) => ({
        invitee_email,
        role: roleOf.get(invitee_email.toLowerCase()) ?? 'ORG_GUEST',
      })),
    }
  })

const gone = {
  code: 410,
  reason: 'INVITATION_GONE',
  when: 'It was revoked, has expired, or was used by someone else.',
} as const

export const invitations = {
  batchCreate: defineMethod({
    name: 'invitations.batchCreate',
    verb: 'POST',
    path: '/organizations/{organization}/invitations:batchCreate',
    access: organizationAdministrators,
    summary: 'Invites up to ten email addresses, all or none. An address with a pending invitation gets a new email.',
    request: batch,
    response: z.object({ invitations: z.array(invitation) }),
    errors: [errors.invalid, errors.forbidden, errors.notFound, errors.exists, errors.tooMany],
  }),
  list: defineMethod({
    name: 'invitations.list',
    verb: 'GET',
    path: '/organizations/{organization}/invitations',
    access: organizationAdministrators,
    summary: 'Lists pending invitations, including expired ones, newest first.',
    query: pageQuery,
    response: z.object({ invitations: z.array(invitation), next_page_token: nextPageToken }),
    errors: [errors.forbidden, errors.notFound],
  }),
  resend: defineMethod({
    name: 'invitations.resend',
    verb: 'POST',
    path: '/organizations/{organization}/invitations/{invitation}:resend',
    access: organizationAdministrators,
    summary: 'Resends an invitation with a new link. The old link stops working.',
    request: empty,
    response: invitation,
    errors: [errors.forbidden, errors.notFound, errors.tooMany],
  }),
  delete: defineMethod({
    name: 'invitations.delete',
    verb: 'DELETE',
    path: '/organizations/{organization}/invitations/{invitation}',
    access: organizationAdministrators,
    summary: 'Revokes an invitation.',
    response: empty,
    errors: [errors.forbidden, errors.notFound],
  }),
  get: defineMethod({
    name: 'invitations.get',
    verb: 'GET',
    path: '/invitations/{invitation}',
    access: anybody,
    summary: 'Gets an invitation by the token of its link.',
    query: z.object({ token: z.string().max(200).default('') }),
    response: invitationPreview,
    errors: [errors.notFound, gone],
  }),
  accept: defineMethod({
    name: 'invitations.accept',
    verb: 'POST',
    path: '/invitations/{invitation}:accept',
    access: everybody,
    summary: 'Accepts an invitation. The caller must have the invited email address.',
    request: z.object({ token: z.string().min(1, 'Required').max(200) }),
    response: z.object({ organization }),
    errors: [errors.forbidden, errors.notFound, gone],
  }),
}

export const invitationLinks = {
  create: defineMethod({
    name: 'invitationLinks.create',
    verb: 'POST',
    path: '/organizations/{organization}/invitationlinks',
    access: organizationAdministrators,
    summary: 'Creates a link that anyone can join with for 7 days, never as Administrator.',
    request: z.object({ role: roleInput }),
    response: invitationLink,
    errors: [errors.invalid, errors.forbidden, errors.notFound],
  }),
  list: defineMethod({
    name: 'invitationLinks.list',
    verb: 'GET',
    path: '/organizations/{organization}/invitationlinks',
    access: organizationAdministrators,
    summary: 'Lists the active invitation links, newest first.',
    query: pageQuery,
    response: z.object({ invitation_links: z.array(invitationLink), next_page_token: nextPageToken }),
    errors: [errors.forbidden, errors.notFound],
  }),
  delete: defineMethod({
    name: 'invitationLinks.delete',
    verb: 'DELETE',
    path: '/organizations/{organization}/invitationlinks/{invitation_link}',
    access: organizationAdministrators,
    summary: 'Revokes an invitation link immediately.',
    response: empty,
    errors: [errors.forbidden, errors.notFound],
  }),
  get: defineMethod({
    name: 'invitationLinks.get',
    verb: 'GET',
    path: '/organizations/{organization}/invitationlinks/{invitation_link}',
    access: anybody,
    summary: 'Gets an invitation link.',
    response: invitationPreview,
    errors: [errors.notFound, gone],
  }),
  accept: defineMethod({
    name: 'invitationLinks.accept',
    verb: 'POST',
    path: '/organizations/{organization}/invitationlinks/{invitation_link}:accept',
    access: everybody,
    summary: 'Accepts an invitation link.',
    request: z.object({ user: line(300) }),
    response: z.object({ organization }),
    errors: [errors.forbidden, errors.notFound, gone],
  }),
}
