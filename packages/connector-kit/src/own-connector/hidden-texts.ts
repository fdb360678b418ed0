import { isJsonObject } from '@tributary/kernel'
import type { Description } from '../description/format/schema.ts'
import type { HttpAnswer, OutgoingRequest } from '../http/request-client.ts'

/** Returns the names in lower case of headers whose values are hidden. */
export const hiddenHeadersOf = ({ auth }: Pick<Description, 'auth'>): ReadonlySet<string> =>
  new Set([
    'authorization',
    ...Object.values(auth)
      .flat()
      .flatMap((credential) => (credential.in === 'header' ? [credential.name.toLowerCase()] : [])),
  ])

const tokenNames = ['access_token', 'refresh_token', 'id_token', 'client_secret']

const tokensOf = (body: string): string[] => {
  try {
    const given: unknown = JSON.parse(body)
    if (!isJsonObject(given)) return []
    return tokenNames.flatMap((name) => (typeof given[name] === 'string' ? [given[name]] : []))
  } catch {
    return []
  }
}

/** Returns tokens in a request or its answer, which are hidden in all requests of a trial. */
export const tokensIn = (request: OutgoingRequest, answer: HttpAnswer | undefined): string[] => {
  const authorization = Object.entries(request.headers).flatMap(([name, value]) =>
    name.toLowerCase() === 'authorization' ? [value, value.slice(value.indexOf(' ') + 1)] : [],
  )
  return [...authorization, ...(answer === undefined ? [] : tokensOf(answer.body))].filter((text) => text !== '')
}
