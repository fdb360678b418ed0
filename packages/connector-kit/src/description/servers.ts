import type { SecretTarget } from '@tributary/contract'
import type { Settings } from '../definition/definition.ts'
import { settingText } from '../definition/settings.ts'
import { ConfigurationError } from '../errors.ts'
import type { DescribedServer } from './schema-settings.ts'

/** One label of a host name (RFC 1123, 2.1). */
export const hostLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

/**
 * Returns the URL of a server, without a slash at its end. Only the description and the settings decide it. Throws
 * ConfigurationError if the setting has no usable value.
 */
export const serverUrl = (server: DescribedServer, settings: Settings): string => {
  if (typeof server === 'string') return server
  const given = settingText(settings, server.setting).trim()
  if ('choices' in server) {
    const chosen = Object.hasOwn(server.choices, given) ? server.choices[given] : undefined
    if (chosen === undefined) throw new ConfigurationError(`The setting ${server.setting} has no server`)
    return chosen
  }
  if ('host' in server) {
    if (!hostLabel.test(given)) throw new ConfigurationError(`The setting ${server.setting} is no name of a host`)
    return `https://${server.host.replace('{}', given.toLowerCase())}`
  }
  const url = URL.parse(given)
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new ConfigurationError(`The setting ${server.setting} is no URL`)
  return `${url.origin}${url.pathname.replace(/\/$/, '')}`
}

/** Returns the settings that decide where requests go: a secret must be entered again when one of them changes. */
export const serverSettings = (servers: Readonly<Record<string, DescribedServer>>): SecretTarget[] =>
  [...new Set(Object.values(servers).flatMap((server) => (typeof server === 'string' ? [] : [server.setting])))].map(
    (setting) => ({ setting, by: 'value' }),
  )
