import { createHash } from 'node:crypto'
import { type PathParams, type ResourcePattern } from '@tributary/contract'
import { badRequest, newId, notFound } from '@tributary/kernel'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether a text has the form of an ID of this product. The database would reject any other text with an error. */
export const isId = (text: string): boolean => uuid.test(text)

/**
 * Returns the ID of a new resource. With a request ID, the ID is derived from the request ID and the scope (collection
 * and parent): a version 8 UUID, RFC 9562 §5.8. So a repeated request finds its own first result. Without a request ID
 * the ID is random.
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

/** Returns the IDs in a resource name of a body or query. Throws 400 with the field if the name has another kind. */
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

/**
 * Returns the IDs in the name of a resource of this workspace, which need not exist. Throws 400 with the field for a
 * name of another kind, and 404 for a resource of another workspace.
 */
export const referenceIn = <Pattern extends `workspaces/{workspace}/${string}`>(
  workspaceId: string,
  kind: ResourcePattern<Pattern>,
  { field, name, what = field }: { field: string; name: string; what?: string },
): PathParams<Pattern> => {
  const params = parseReference(kind, field, name)
  if ('workspace' in params && params.workspace === workspaceId) return params
  throw notFound(`${what} not found`)
}
