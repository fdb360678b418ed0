import { type Method, stockMessage } from '@tributary/contract'
import { badRequest, isJsonObject } from '@tributary/kernel'
import { z } from 'zod'

/** An error at one position of a request. */
export type Issue = { path: readonly PropertyKey[]; message: string }

/** Maximum reported wrong fields. More would not be useful, and a response must not be larger than its request. */
const maxFields = 100

/**
 * Returns the messages of a failed validation by field, for the first 100 fields. Paths are joined with dots; the first
 * message of a field counts.
 */
export const fieldErrors = (issues: readonly Issue[]): Record<string, string> => {
  const fields: Record<string, string> = {}
  for (const issue of issues.slice(0, maxFields)) {
    const field = issue.path.length === 0 ? 'body' : issue.path.map(String).join('.')
    fields[field] ??= issue.message
  }
  return fields
}

const sentence = (fields: Record<string, string>): string =>
  Object.entries(fields)
    .slice(0, 5)
    .map(([field, text]) => `${field}: ${text}`)
    .join('; ')

/**
 * Returns a value that has passed the schema (with defaults and conversions) and has no `unknown` keys. Otherwise
 * throws 400 VALIDATION with a message for each field in its metadata.
 */
export const parseInput = (schema: z.ZodType | undefined, value: unknown, unknown: readonly Issue[] = []): unknown => {
  const result = schema?.safeParse(value, { error: stockMessage })
  if (unknown.length === 0 && result?.success !== false) return result?.data
  const fields = fieldErrors([...unknown, ...(result?.error?.issues ?? [])])
  throw badRequest('VALIDATION', sentence(fields), fields)
}

const fieldsOf = (schema: z.ZodType | undefined): string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : []

/**
 * Returns the part of a PATCH body that its `update_mask` names (AIP-134, AIP-161). Without a mask, every given field
 * changes; with `*`, every field that can be changed. A field that only describes the change of another field is
 * included with it. Fields that only the server sets are ignored. Rejected with 400: a path that the resource does not
 * have, and a named field that is absent from the body.
 */
export const applyMask = (method: Method, body: unknown, mask: string | undefined): unknown => {
  if (!isJsonObject(body)) return body
  const changeable = fieldsOf(method.request)
  if (mask === undefined || mask.trim() === '') {
    return Object.fromEntries(Object.entries(body).filter(([field]) => changeable.includes(field)))
  }
  const outputOnly = fieldsOf(method.response).filter((field) => !changeable.includes(field))
  const companionsOf = (field: string): readonly string[] => method.maskCompanions?.[field] ?? []
  const companions = changeable.flatMap(companionsOf)
  const picked: Record<string, unknown> = {}
  const wrong: Record<string, string> = {}
  const paths =
    mask.trim() === '*'
      ? changeable.filter((field) => !companions.includes(field))
      : mask.split(',').map((path) => path.trim())
  for (const path of paths) {
    if (outputOnly.includes(path)) continue
    if (!changeable.includes(path)) wrong.update_mask = `Unknown field ${path}`
    else if (body[path] === undefined) wrong[path] = 'Required'
    else for (const field of [path, ...companionsOf(path)]) if (body[field] !== undefined) picked[field] = body[field]
  }
  if (Object.keys(wrong).length > 0) throw badRequest('VALIDATION', sentence(wrong), wrong)
  return picked
}
