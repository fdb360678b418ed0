import type { SecretTarget } from '@tributary/contract'
import type { Settings } from '../../definition/definition.ts'
import { settingText } from '../../definition/settings.ts'
import { ConfigurationError } from '../../errors.ts'
import type { DescribedServer } from '../format/schema-settings.ts'

/** One label of a host name (RFC 1123, 2.1). */
export const hostLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i

type SecretServer = Extract<DescribedServer, { secret: string }>

/** Returns the secret address of a server; undefined if the text is no https URL of one of its hosts. */
export const secretAddress = ({ hosts }: SecretServer, text: string): URL | undefined => {
  const url = URL.parse(text.trim())
  if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '') return undefined
  url.hash = ''
  const { hostname } = url
  const fits = (host: string): boolean => (host.startsWith('*') ? hostname.endsWith(host.slice(1)) : hostname === host)
  return hosts.some(fits) ? url : undefined
}

/**
 * Returns the texts by which someone could find out a secret address: its whole, its path, its query, and their parts
 * with digits or capital letters. The long ones are also there without the last slash, and with JSON's escaped slashes.
 */
export const partsOfAddress = ({ href, origin, pathname, search, searchParams }: URL): string[] => {
  const parts = [...pathname.split('/'), ...searchParams.values(), ...search.split(/[?&=]/)]
  const whole = [href, `${origin}${pathname}`, `${pathname}${search}`, pathname, search.slice(1)]
  const long = [...whole, ...whole.map((text) => text.replace(/\/$/, ''))].filter((text) => text.length >= 12)
  const telling = parts.filter((text) => text.length >= 12 || (text.length >= 6 && /[0-9A-Z]/.test(text)))
  return [...new Set([...long, ...long.map((text) => text.replaceAll('/', '\\/')), ...telling])]
}

const addressOf = (server: DescribedServer, settings: Settings): string => {
  if (typeof server === 'string') return server
  if ('secret' in server) {
    const address = secretAddress(server, settingText(settings, server.secret))
    if (address === undefined) throw new ConfigurationError(`The setting ${server.secret} is no address of this kind`)
    return address.href
  }
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

/**
 * Returns the URL of a server, without a slash at its end, or its whole secret address. Only the description and the
 * settings decide it. Throws ConfigurationError if the setting has no usable value, or if the host is none, such as an
 * IP address with five parts.
 */
export const serverUrl = (server: DescribedServer, settings: Settings): string => {
  const address = addressOf(server, settings)
  if (!URL.canParse(address)) throw new ConfigurationError(`The address ${address} of a server is no URL`)
  return address
}

/** Returns the settings that decide where requests go: a secret must be entered again when one of them changes. */
export const serverSettings = (servers: Readonly<Record<string, DescribedServer>>): SecretTarget[] =>
  [
    ...new Set(
      Object.values(servers).flatMap((server) =>
        typeof server === 'string' || 'secret' in server ? [] : [server.setting],
      ),
    ),
  ].map((setting) => ({ setting, by: 'value' }))
