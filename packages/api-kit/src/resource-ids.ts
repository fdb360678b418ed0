import { createHash } from 'node:crypto'
import { type PathParams, type ResourcePattern } from '@tributary/contract'
import { badRequest, newId } from '@tributary/kernel'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether a text can be an id of ours at all; the database would refuse others with an error. */
export const isId = (text: string): boolean => uuid.test(text)

/**
 * The id of a resource to be made. With a request id it is derived from it and the scope (collection and parent), so that
 * the same request sent twice meets its own first result (a version 8 UUID, RFC 9562 §5.8); otherwise it is new.
 */
export const idFor = (requestId: string | undefined, ...scope: string[]): string => {
  if (requestId === undefined) return newId()
  const hash = createHash('sha256')
    .update(JSON.stringify([...scope, requestId]))
    .digest()
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  const hex = hash.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

/** The ids in a resource name of a body or query; throws 400 naming the field when it is not a name of this kind. */
export const parseReference = <Pattern extends string>(
  kind: ResourcePattern<Pattern>,
  field: string,
  name: string,
): PathParams<Pattern> => {
  const params = kind.parse(name)
  if (params !== undefined) return params
  const text = `Must be a name like ${kind.pattern}`
  throw badRequest('VALIDATION', `${field}: ${text}`, { [field]: text })
}
