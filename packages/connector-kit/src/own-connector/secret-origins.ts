import type { Settings } from '../definition/definition.ts'
import type { Description } from '../description/format/schema.ts'
import { settingsOfCredential, tokenServersOf } from '../description/requests/credentials.ts'
import { serverUrl } from '../description/requests/servers.ts'

type Described = Pick<Description, 'settings' | 'servers' | 'auth' | 'requests'>

/** Returns the servers to which a description sends a secret, or what it is exchanged for. */
const serversOf = ({ servers, auth, requests }: Described, secret: string): string[] => {
  const used = Object.entries(auth).flatMap(([name, credentials]) => {
    const own = credentials.filter((credential) => settingsOfCredential(credential).includes(secret))
    if (own.length === 0) return []
    const asked = Object.values(requests).filter((request) => request.auth === name)
    return [...asked.map(({ server }) => server), ...own.flatMap(tokenServersOf)]
  })
  const addressed = Object.entries(servers).flatMap(([name, server]) =>
    typeof server === 'object' && 'secret' in server && server.secret === secret ? [name] : [],
  )
  return [...new Set([...used, ...addressed])]
}

/** Returns the origin of a server; a text that is no origin while its settings are missing. */
const originOf = ({ servers }: Described, name: string, settings: Settings): string => {
  const server = servers[name]
  if (server === undefined) return `unknown ${name}`
  try {
    return new URL(serverUrl(server, settings)).origin
  } catch {
    return `unknown ${JSON.stringify(server)}`
  }
}

const originsOf = (described: Described, secret: string, settings: Settings): string[] =>
  serversOf(described, secret).map((name) => originOf(described, name, settings))

/** A description with the settings of a destination, secrets included. */
type Place = { readonly described: Described; readonly settings: Settings }

/**
 * Returns the names of the secrets that were entered for `before`, and that `after` sends to another origin. A user who may
 * write descriptions may use these secrets, but not read them.
 */
export const secretsSentElsewhere = (before: Place, after: Place): string[] =>
  Object.keys(before.settings).filter((name) => {
    if (before.described.settings[name]?.type !== 'secret') return false
    if (before.settings[name] === undefined || after.described.settings[name]?.type !== 'secret') return false
    const known = new Set(originsOf(before.described, name, before.settings))
    return originsOf(after.described, name, after.settings).some((origin) => !known.has(origin))
  })
