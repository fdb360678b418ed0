import type { Method } from '@tributary/contract'

/** The input of a query; `of` stands for the part that depends on the time of the call. */
export type Given = {
  params?: Readonly<Record<string, string>> | undefined
  query?: object | undefined
  body?: unknown
  of?: unknown
}

/** The key of a query: resource, IDs, verb, and further input of the method. */
export type Key = readonly [resource: string, ids: object, verb: string, ...unknown[]]

/**
 * The key of a query, from its method and its input. A resource with some IDs stands for all queries below it:
 * `['sources', { workspace }]`.
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
