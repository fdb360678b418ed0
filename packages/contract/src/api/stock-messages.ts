import type { z } from 'zod'

const elements = (count: number | bigint): string => (Number(count) === 1 ? '1 element' : `${count} elements`)

const tooSmall = ({ origin, minimum, inclusive, input }: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): string => {
  if (origin === 'string') return input === '' ? 'Required' : `At least ${minimum} characters`
  if (origin === 'array' || origin === 'set') return `At least ${elements(minimum)}`
  return inclusive === false ? `Must be greater than ${minimum}` : `At least ${minimum}`
}

const tooBig = ({ origin, maximum, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig>): string => {
  if (origin === 'string') return `At most ${maximum} characters`
  if (origin === 'array' || origin === 'set') return `At most ${elements(maximum)}`
  return inclusive === false ? `Must be less than ${maximum}` : `At most ${maximum}`
}

/**
 * Returns the message for a broken rule whose schema has no message. Covers missing values, addresses, and the limits
 * of texts, numbers and lists. Pass it to a parse as `error`. If it returns undefined, Zod's text is used.
 */
export const stockMessage: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined || issue.input === null ? 'Required' : undefined
    case 'invalid_format':
      return issue.input === '' ? 'Required' : { email: 'Invalid email', url: 'Invalid url' }[String(issue.format)]
    case 'too_small':
      return tooSmall(issue as z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>)
    case 'invalid_key':
      // The message of the key's own rule, in place of a general one.
      return (issue as z.core.$ZodRawIssue<z.core.$ZodIssueInvalidKey>).issues[0]?.message
    case 'too_big':
      return tooBig(issue as z.core.$ZodRawIssue<z.core.$ZodIssueTooBig>)
    default:
      return issue.input === undefined ? 'Required' : undefined
  }
}
