import type { Method } from '@tributary/contract'

/** What a query is called with; `of` stands for what depends on the time of the call. */
export type Given = {
  params?: Readonly<Record<string, string>> | undefined
  query?: object | undefined
  body?: unknown
  of?: unknown
}

/** The key of a query: resource, ids, verb, and what else the method is called with. */
export type Key = readonly [resource: string, ids: object, verb: string, ...unknown[]]

/**
 * The key of a query, made of its method and what that is called with. A resource with some ids stands for all that is
 * known of it: `['sources', { workspace }]`.
 */
export const keyOf = (method: Pick<Method, 'name'>, { params = {}, query, body, of }: Given = {}): Key => {
  const [resource = '', verb = ''] = method.name.split('.')
  const rest = [query, body, of]
  return [
    resource,
    params,
    verb,
    ...(rest.every((each) => each === undefined) ? [] : [rest.map((each) => each ?? null)]),
  ]
}
