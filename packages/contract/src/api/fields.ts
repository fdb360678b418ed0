import { isJsonObject, type JsonObject } from '@tributary/kernel/browser'
import { z } from 'zod'
import type { DocumentedError } from './method.ts'

// Letters of any script are allowed; characters that control a terminal, a log or a header are not.
const controlCharacters = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

/** One line of text: trimmed, at most `max` characters, without control characters. */
export const line = (max: number): z.ZodString =>
  z
    .string()
    .trim()
    .max(max, `At most ${max} characters`)
    .refine((text) => !controlCharacters.test(text) && text.isWellFormed(), 'Control characters are not allowed')

/** Text of several lines that every store can hold: no NUL, no half of a surrogate pair. */
export const storableText = (max: number): z.ZodString =>
  z
    .string()
    .max(max, `At most ${max} characters`)
    .refine((text) => !text.includes('\0') && text.isWellFormed(), 'Control characters are not allowed')

/** A title that must be given. */
export const title = line(200).min(1, 'Required')

/** A resource name in a body; each method checks that the name has the right kind. */
export const reference = line(300).min(1, 'Required')

/** Lets a client repeat a creation safely: the same id makes one resource (AIP-155). */
export const requestId = z.uuid('Must be a UUID').optional()

/** Milliseconds-precise RFC 3339 in UTC. */
export const time = z.iso.datetime()

const integer = (schema: z.ZodNumber) =>
  z.union([schema, z.string().regex(/^-?\d{1,9}$/, 'Must be a whole number')]).transform(Number)

/** Default and maximum number of rows of a page. */
export const pageLimits = { default: 50, max: 1000 } as const

/** The query of every list (AIP-158): 0 or none means 50, more than 1000 means 1000, less than 0 is refused. */
export const pageQuery = z.object({
  page_size: integer(z.number().int())
    .refine((size) => size >= 0, 'Must not be negative')
    .transform((size) => (size === 0 ? pageLimits.default : Math.min(size, pageLimits.max)))
    .default(pageLimits.default),
  page_token: z.string().max(2000).default(''),
})

/** Token of the next page; empty on the last page. */
export const nextPageToken = z.string()

/**
 * The query of a PATCH: `update_mask` has the comma-separated paths of the fields to change. `*` or no mask means every
 * field of the body.
 */
export const maskQuery = z.object({ update_mask: z.string().max(1000).optional() })

/**
 * A JSON object that passes unchanged, without a copy, so that numbers and order of a `parseExactJson` result are kept.
 */
export const exactObject = z
  .unknown()
  .refine(isJsonObject, 'Must be an object')
  .meta({ type: 'object', additionalProperties: true }) as unknown as z.ZodType<JsonObject>

/** An answer without content. */
export const empty = z.object({})

/** The body of every error: all four keys are always present. */
export const errorBody = z.object({
  code: z.number().int(),
  reason: z.string(),
  message: z.string(),
  metadata: z.record(z.string(), z.string()),
})

/** Failures that many methods document. */
export const errors = {
  invalid: { code: 400, reason: 'VALIDATION', when: 'A field is missing or invalid; metadata names the fields.' },
  unauthorized: { code: 401, reason: 'UNAUTHORIZED', when: 'There is no session.' },
  expired: { code: 401, reason: 'TOKEN_EXPIRED', when: 'The session has ended.' },
  forbidden: { code: 403, reason: 'FORBIDDEN', when: 'The role does not allow this.' },
  notFound: { code: 404, reason: 'NOT_FOUND', when: 'It does not exist, or the caller has no access to it.' },
  exists: { code: 409, reason: 'ALREADY_EXISTS', when: 'It already exists.' },
  tooMany: { code: 429, reason: 'RATE_LIMITED', when: 'Too many attempts; Retry-After says when to try again.' },
  unavailable: { code: 503, reason: 'UNAVAILABLE', when: 'A data store is starting or overloaded; try again.' },
} as const satisfies Record<string, DocumentedError>
