import { withoutEnd } from '@tributary/kernel/text-ends'
import { z } from 'zod'
import { line } from '../api/fields.ts'

/** An email address: trimmed, at most 320 characters; letter case is kept, comparisons ignore it. */
export const email = line(320).pipe(z.email('Invalid email'))

/** The five rules of a new password, in the order shown. Unicode decides what letters and digits are. */
export const passwordRules = [
  { message: 'Must be at least 8 characters in length', test: (text: string) => Array.from(text).length >= 8 },
  { message: 'One uppercase character', test: (text: string) => /\p{Lu}/u.test(text) },
  { message: 'One lowercase character', test: (text: string) => /\p{Ll}/u.test(text) },
  { message: 'One number', test: (text: string) => /\p{Nd}/u.test(text) },
  { message: 'One special character', test: (text: string) => /[^\p{L}\p{N}\s]/u.test(text) },
] as const

/** A new password: the rules above, at most 1024 characters, never trimmed. The error names the first unmet rule. */
export const newPassword = z
  .string()
  .max(1024, 'At most 1024 characters')
  .superRefine((text, context) => {
    const unmet = passwordRules.find(({ test }) => !test(text))
    if (unmet !== undefined) context.addIssue({ code: 'custom', message: unmet.message })
  })

const personName = (label: string) =>
  z.string().trim().min(1, `${label} is required`).max(15, `${label} is too long`).pipe(line(15))

/** First and last name: 1 to 15 characters. */
export const firstName = personName('First Name')
export const lastName = personName('Last Name')

/** A one-time code: at least 9 letters, digits or hyphens. */
export const oneTimeCode = z
  .string()
  .trim()
  .min(9, 'At least 9 characters')
  .max(200, 'At most 200 characters')
  .regex(/^[A-Za-z0-9-]+$/, 'Only letters, numbers and hyphens are allowed')

/** The title of an organisation: at least 4 characters. */
export const organizationTitle = line(200).pipe(z.string().min(4, 'Please provide a name that is 4 characters or more'))

/** An amount of US dollars as text: digits, then at most two decimals; less than a billion. */
export const amount = z
  .string()
  .max(20, 'At most 20 characters')
  .regex(/^\d+(\.\d{1,2})?$/, 'Must be a valid number with up to two decimals')
  .refine((text) => Number(text) < 1_000_000_000, 'Must be less than 1000000000')

/** Maximum number of addresses in one batch of invitations. */
export const inviteEmailsMax = 10

/** Addresses to invite: trimmed, empty ones and repetitions (ignoring case) dropped, then 1 to 10 valid ones. */
export const inviteEmails = z
  .array(z.string().max(1000))
  .max(1000)
  .transform((emails) => {
    const found = new Map<string, string>()
    for (const each of emails) {
      const text = each.trim()
      if (text !== '' && !found.has(text.toLowerCase())) found.set(text.toLowerCase(), text)
    }
    return [...found.values()]
  })
  .superRefine((emails, context) => {
    const fail = (message: string): void => {
      context.addIssue({ code: 'custom', message })
    }
    if (emails.length === 0) fail('Please enter at least 1 email')
    else if (emails.length > inviteEmailsMax) fail("You can't invite more than 10 emails at once")
    else if (emails.some((each) => !email.safeParse(each).success)) fail('One of the emails is invalid')
  })

/** Maximum bytes of an uploaded image. */
export const imageMaxBytes = 2_097_152

/** Media types of images that are accepted; the server recognizes the type by the bytes of the image. */
export const imageTypes = ['image/jpeg', 'image/jpg', 'image/png', 'image/webp'] as const

/**
 * Maximum bytes of the body of a call with an image. Base64 adds a third. A slightly larger image still fits, so that
 * it gets the message about its size.
 */
export const imageBodyLimit = 4 * 1_048_576

/** An image in a request: base64 of at most 2 MB of bytes. */
export const imageUpload = z.object({
  content: z
    .base64('Must be base64')
    .min(1, 'Image is required.')
    .refine((text) => Math.floor((withoutEnd(text, '=').length * 3) / 4) <= imageMaxBytes, 'Max file size is 2MB.'),
})
