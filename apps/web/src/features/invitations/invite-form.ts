import { inviteEmails, roles } from '@tributary/contract'
import { z } from 'zod'
import { roleIndex } from '../../lib/people/roles.ts'

/** Splits comma-separated text into addresses: trimmed, without empty ones and duplicates. */
const split = (text: string) => inviteEmails.safeParse(text.split(','))

/** The fields of the dialog: a text with addresses, and the role for all of them. */
export const inviteForm = z.object({
  emails: z.string().superRefine((text, context) => {
    const { error } = split(text)
    if (error !== undefined) context.addIssue({ code: 'custom', message: error.issues[0]?.message ?? 'Required' })
  }),
  role: z.enum(roles, 'Choose a role'),
})
export type InviteValues = z.infer<typeof inviteForm>

/** The request for the fields: a list of addresses, and the role as its index. */
export const inviteBody = ({ emails, role }: InviteValues): { emails: string[]; role: number } => ({
  emails: split(emails).data ?? [],
  role: roleIndex(role),
})
