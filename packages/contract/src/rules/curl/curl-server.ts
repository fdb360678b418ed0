import { isSecretName, type Json, labelOf, partNameOf, placeholderIn, withinText } from './curl-parts.ts'
import { CurlProblem } from './shell-words.ts'

/** The parts of a URL as they are written, so that placeholders stay. */
export type UrlParts = { scheme: string; host: string; path: string; query: string }

/** Splits a URL. Without a scheme it is https. Throws CurlProblem for other schemes and for user info. */
export const splitUrl = (url: string): UrlParts => {
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(url) ? url : `https://${url}`
  const found = /^(https?):\/\/([^/?#]+)([^?#]*)(?:\?([^#]*))?(?:#.*)?$/is.exec(whole.trim())
  if (found === null) throw new CurlProblem(`This is no URL of a web server: ${url.slice(0, 100)}`)
  const [, scheme = '', host = '', path = '', query = ''] = found
  if (host.includes('@')) throw new CurlProblem('The URL has a password in it. Write it as -u user:password')
  return {
    scheme: scheme.toLowerCase(),
    host: host.toLowerCase() === host ? host : keepPlaceholder(host),
    path: path || '/',
    query,
  }
}

/** Host names have no case, but placeholders do. */
const keepPlaceholder = (host: string): string => (/[{<$[]|YOUR/.test(host) ? host : host.toLowerCase())

/** The settings that a description needs, by name. */
export const createSettings = () => {
  const used = new Set<string>()
  const settings: Record<string, Json> = {}
  const add = (name: string, form: Record<string, Json>): string => {
    const part = partNameOf(name, used)
    settings[part] = { label: labelOf(name), help: `The value of ${labelOf(name)}.`, required: true, ...form }
    return part
  }
  return {
    settings,
    text: (name: string, more: Record<string, Json> = {}): string => add(name, { type: 'text', ...more }),
    secret: (name: string): string =>
      add(name, { type: 'secret', help: `The ${withinText(labelOf(name))} of the service. Stored encrypted.` }),
    url: (name: string, origin: string): string =>
      add(name, { type: 'url', help: 'The address of the server, without the path of the request.', default: origin }),
  }
}
export type CurlSettings = ReturnType<typeof createSettings>

/** Hosts and paths of addresses that are secret as a whole, such as incoming webhooks. */
const isSecretAddress = ({ scheme, host, path }: UrlParts): boolean =>
  scheme === 'https' &&
  /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(host) &&
  (/^hooks?\./.test(host) || /\/(incoming-?)?(web)?hooks?\//i.test(path) || host.endsWith('.webhook.office.com'))

/** Returns the server of a URL, and the settings that it needs. `secret`: the URL is secret as a whole. */
export const serverOf = (
  url: UrlParts,
  settings: CurlSettings,
  hasCredentials: boolean,
): { server: Json; secret: boolean } => {
  const { scheme, host } = url
  if (!hasCredentials && isSecretAddress(url))
    return { server: { secret: settings.secret('webhook_url'), hosts: [host] }, secret: true }
  if (
    scheme === 'https' &&
    /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(host) &&
    !/^[\d.]+$/.test(host) &&
    !/^your[-_]/.test(host)
  )
    return { server: `https://${host}`, secret: false }
  const [label = '', ...rest] = host.split('.')
  const isOpen = placeholderIn(label) !== undefined || /^your[-_]?/i.test(label)
  if (scheme === 'https' && isOpen && rest.length >= 2 && rest.every((part) => /^[a-z0-9-]+$/.test(part))) {
    const name = placeholderIn(label) ?? label
    const setting = settings.text(name, {
      host_label: true,
      help: `The part of the address before .${rest.join('.')}.`,
    })
    return { server: { setting, host: `{}.${rest.join('.')}` }, secret: false }
  }
  const origin = URL.parse(`${scheme}://${host}`)?.origin
  if (origin === undefined && !/[{<$[]/.test(host))
    throw new CurlProblem(`This is no name of a host: ${host.slice(0, 100)}`)
  const setting = settings.url('url', origin ?? '')
  return { server: { setting }, secret: false }
}

type Path = { path: string; credentials: Json[] }

/** Returns the path of the request. Placeholders in it are settings, and one that is a secret is a credential. */
export const pathOf = (path: string, settings: CurlSettings): Path => {
  const credentials: Json[] = []
  const segments = path.split('/').map((segment) => {
    const inner = /^([\w.~-]{0,60})(\{[\w .-]{1,60}\}|<[\w .-]{1,60}>|\$\{[A-Za-z_]\w{0,60}\})([\w.~-]{0,60})$/.exec(
      segment,
    )
    const [, before = '', open = '', after = ''] = inner ?? []
    const name = inner === null ? placeholderIn(segment) : placeholderIn(open)
    if (name === undefined) return encodeURI(decoded(segment)).replaceAll(/[?#{}]/g, encodeURIComponent)
    if (isSecretName(name) && credentials.length === 0) {
      credentials.push({ in: 'path', setting: settings.secret(name), at: `${before}{}${after}` })
      return '{auth}'
    }
    return `${before}{{ settings.${settings.text(name)} }}${after}`
  })
  const whole = segments.join('/')
  return { path: whole.startsWith('/') ? whole : `/${whole}`, credentials }
}

const decoded = (segment: string): string => {
  try {
    return decodeURI(segment)
  } catch {
    throw new CurlProblem('The path of the URL has a % that is no encoded character')
  }
}
