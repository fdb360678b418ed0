import { isJsonObject } from '@tributary/kernel'
import type { Settings } from '../definition/definition.ts'
import { settingText } from '../definition/settings.ts'
import type { Description } from '../description/schema.ts'
import { partsOfAddress, secretAddress } from '../description/servers.ts'
import type { HttpAnswer, OutgoingRequest } from '../http/request-client.ts'

type Described = Pick<Description, 'settings' | 'servers' | 'auth'>

const encodedForms = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  new URLSearchParams([['', secret]]).toString().slice(1),
  JSON.stringify(secret).slice(1, -1),
  Buffer.from(secret).toString('base64'),
]

/** Returns the names in lower case of headers whose values are hidden. */
export const hiddenHeadersOf = ({ auth }: Described): ReadonlySet<string> =>
  new Set([
    'authorization',
    ...Object.values(auth)
      .flat()
      .flatMap((credential) => (credential.in === 'header' ? [credential.name.toLowerCase()] : [])),
  ])

/** Returns all texts by which a secret among settings can be found out, the longest first. */
export const hiddenTextsOf = ({ settings, servers }: Described, values: Settings): string[] => {
  const secrets = Object.entries(values).flatMap(([name, value]) =>
    settings[name]?.type === 'secret' && typeof value === 'string' ? [value, value.trim()] : [],
  )
  const addresses = Object.values(servers).flatMap((server) => {
    if (typeof server !== 'object' || !('secret' in server)) return []
    const address = secretAddress(server, settingText(values, server.secret))
    return address === undefined ? [] : partsOfAddress(address)
  })
  const texts = [...secrets.flatMap(encodedForms), ...addresses].filter((text) => text !== '')
  return [...new Set(texts)].toSorted((a, b) => b.length - a.length)
}

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
