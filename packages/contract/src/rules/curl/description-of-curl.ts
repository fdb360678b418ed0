import { type CurlCommand, readCurl } from './curl-command.ts'
import { createFields } from './curl-fields.ts'
import { asTemplate, isSecretName, type Json, type JsonObject, pairsOf, placeholderIn } from './curl-parts.ts'
import { type CurlSettings, createSettings, pathOf, serverOf, splitUrl } from './curl-server.ts'
import { CurlProblem } from './shell-words.ts'

/** Maximum characters of a command. */
export const maxCurlCharacters = 64 * 1024

/** The description of a destination that sends what a command sends, or why there is none. */
export type CurlReading =
  | { readonly ok: true; readonly title: string; readonly description: string }
  | { readonly ok: false; readonly message: string }

/** Headers that follow from the body and the connection. */
const ownHeaders =
  /^(content-type|content-length|accept|accept-encoding|host|user-agent|connection|origin|referer|te|transfer-encoding|expect)$/i
/** Headers that browsers add when a request is copied. */
const browserHeaders = /^(sec-|accept-language|cache-control|pragma|dnt|priority|upgrade-insecure-requests)/i

type Encoding = 'json' | 'form'

/** Returns how a body is encoded. Throws CurlProblem for what is neither JSON nor a form. */
const encodingOf = ({ headers, body }: CurlCommand): Encoding => {
  const type = headers.findLast(([name]) => name.toLowerCase() === 'content-type')?.[1].toLowerCase() ?? ''
  if (body === '') return 'json'
  if (/[/+]json/.test(type)) return 'json'
  if (type.includes('x-www-form-urlencoded')) return 'form'
  const isJson = /^\s*[[{]/.test(body)
  if (type === '' || (isJson && type.startsWith('text/plain'))) return isJson ? 'json' : 'form'
  throw new CurlProblem(`A body of the type ${type.slice(0, 60)} cannot be sent. Only JSON and URL-encoded forms can`)
}

const parsed = (body: string): Json => {
  try {
    return JSON.parse(body) as Json
  } catch (error) {
    throw new CurlProblem(`The body is no JSON: ${error instanceof Error ? error.message : ''}`)
  }
}

/** Names that stand for the prototype of an object cannot be members of a form. */
const objectOf = (pairs: readonly (readonly [string, string])[]): Record<string, Json> => {
  const grouped = Map.groupBy(pairs, ([name]) => name)
  return Object.fromEntries(
    [...grouped].map(([name, values]): [string, Json] => {
      const texts = values.map(([, value]) => value)
      return [name, texts.length === 1 ? (texts[0] ?? '') : texts]
    }),
  )
}

const authorization = (value: string, settings: CurlSettings): Json => {
  const [, scheme = ''] = /^([A-Za-z][\w-]*)[ =]+\S/.exec(value) ?? []
  const separator = scheme === '' ? '' : value.charAt(scheme.length) === '=' ? '=' : ' '
  const name = /^bearer$/i.test(scheme) ? 'access_token' : /^basic$/i.test(scheme) ? 'basic_credentials' : 'api_key'
  return {
    in: 'header',
    name: 'Authorization',
    prefix: `${scheme}${separator}`,
    setting: settings.secret(name),
  }
}

const basic = (user: string, settings: CurlSettings): Json => {
  const at = user.indexOf(':')
  const [name, password] = at === -1 ? [user, ''] : [user.slice(0, at), user.slice(at + 1)]
  if (password === '') return { in: 'basic', user: { setting: settings.secret('api_key') }, password: { text: '' } }
  const isOpen = placeholderIn(name) !== undefined
  const login = settings.text('user_name', isOpen || name.length > 20 ? {} : { default: name })
  return { in: 'basic', user: { setting: login }, password: { setting: settings.secret('password') } }
}

/** Sorts headers into credentials and templates. */
const readHeaders = (
  { headers, user }: CurlCommand,
  settings: CurlSettings,
  fields: ReturnType<typeof createFields>,
) => {
  const auth: Json[] = user === undefined ? [] : [basic(user, settings)]
  const templates: Record<string, string> = {}
  for (const [name, value] of headers) {
    if (ownHeaders.test(name) || browserHeaders.test(name) || value === '') continue
    if (!/^[A-Za-z0-9_-]{1,60}$/.test(name)) throw new CurlProblem(`A header cannot have the name ${name.slice(0, 60)}`)
    if (name.toLowerCase() === 'authorization') {
      if (user === undefined) auth.push(authorization(value, settings))
    } else if (isSecretName(name))
      auth.push({ in: 'header', name, prefix: '', setting: settings.secret(name.replace(/^x-/i, '')) })
    else if (/idempotency|request-id/i.test(name)) templates[name] = fields.add('message_id', ['message_id'], '')
    else {
      const open = placeholderIn(value)
      templates[name] = open === undefined ? asTemplate(value) : `{{ settings.${settings.text(open)} }}`
    }
  }
  return { auth, templates }
}

/** Takes secret members out of an object, and returns the credentials that put them back. */
const takeSecrets = (members: JsonObject, place: 'body' | 'query', settings: CurlSettings) => {
  const secret = Object.entries(members).filter(
    ([name, value]) => typeof value === 'string' && isSecretName(name) && name.length <= 60,
  )
  const names = new Set(secret.map(([name]) => name))
  return {
    auth: secret.map(([name]): Json => ({ in: place, name, setting: settings.secret(name) })),
    others: Object.fromEntries(Object.entries(members).filter(([name]) => !names.has(name))),
  }
}

/** A title from the host: `api.example.com` is `Example`. */
const titleOf = (host: string): string => {
  const labels = host
    .replace(/:\d+$/, '')
    .split('.')
    .filter((label) => /^[a-z0-9-]+$/i.test(label))
  const name = /^[\d.]+$|^localhost$/.test(labels.join('.')) ? '' : (labels.at(-2) ?? '')
  return name === '' ? 'New destination' : name.charAt(0).toUpperCase() + name.slice(1)
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const describe = (command: CurlCommand): { title: string; whole: JsonObject } => {
  if (!['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].includes(command.method))
    throw new CurlProblem(
      `The method ${command.method.slice(0, 20)} is not possible. Use GET, POST, PUT, PATCH, or DELETE`,
    )
  const settings = createSettings()
  const fields = createFields()
  const url = splitUrl(command.url)
  const { auth, templates } = readHeaders(command, settings, fields)
  const encoding = encodingOf(command)
  const { others: query, auth: ofQuery } = takeSecrets(objectOf(pairsOf(url.query)), 'query', settings)
  const { server, secret } = serverOf(url, settings, auth.length + ofQuery.length > 0)
  const { path, credentials } = secret ? { path: '/', credentials: [] } : pathOf(url.path, settings)
  const given: Json =
    command.body === '' ? null : encoding === 'json' ? parsed(command.body) : objectOf(pairsOf(command.body))
  const { others: body, auth: ofBody } =
    isObject(given) && !secret ? takeSecrets(given, 'body', settings) : { others: given, auth: [] }
  const item = command.body === '' ? undefined : fields.tree(body, [])
  const queryTemplates = Object.fromEntries(
    // A secret address has its query in itself.
    Object.entries(secret ? {} : query).map(([name, value]) => {
      if (item === undefined) return [name, fields.add(name, [name], value)]
      return [name, asTemplate(typeof value === 'string' ? value : (value as readonly string[]).join(','))]
    }),
  )
  const title = titleOf(url.host)
  const page = typeof server === 'string' ? `${server}/` : 'https://example.com/docs'
  const whole = {
    format: 1,
    slug: 'own',
    title,
    category: 'Automation',
    description: `Sends events to ${title === 'New destination' ? 'an API' : title}.`,
    docs_url: page,
    settings: settings.settings,
    servers: { api: server },
    auth: { default: [...auth, ...ofQuery, ...credentials, ...ofBody] },
    requests: {
      send: {
        method: command.method,
        server: 'api',
        path,
        ...(Object.keys(queryTemplates).length === 0 ? {} : { query: queryTemplates }),
        ...(Object.keys(templates).length === 0 ? {} : { headers: templates }),
        ...(encoding === 'form' ? { encoding } : {}),
      },
      test: { method: 'GET', server: 'api', path: credentials.length === 0 ? '/' : '/{auth}' },
    },
    answers: { reason: ['message', 'error.message', 'error', 'errors.0.message', 'errors.0'] },
    objects: [
      {
        name: 'events',
        title: 'Events',
        description: 'One request for each event.',
        sync_modes: ['INSERT_ONLY'],
        identifiers: [{ event: 'messageId' }],
        actions: ['send'],
      },
    ],
    actions: {
      send: {
        title: 'Send event',
        description: 'Sends one request for the event.',
        request: 'send',
        event_types: ['track'],
        fields: fields.fields,
        ...(item === undefined ? {} : { item }),
      },
    },
    presets: [{ event_type: 'track', action: 'send' }],
    limits: { page, max_events: 1, max_bytes: 1_000_000, max_wait_ms: 0 },
    test: {
      request: 'test',
      accepts: [400, 404, 405],
      message: 'The server answers. Use a request that needs the credentials for a better test.',
    },
    vectors: { requests: [], answers: [] },
  } as JsonObject
  return { title, whole }
}

/**
 * Makes the description of a destination of a cURL command. Credentials become secret settings, placeholders become
 * settings, and values of the body become fields whose constants are those of the command. Never throws: a command that
 * cannot be described has a sentence for the user.
 */
export const descriptionOfCurl = (text: string): CurlReading => {
  if (text.length > maxCurlCharacters)
    return { ok: false, message: `The command has more than ${maxCurlCharacters / 1024} KB` }
  try {
    const { title, whole } = describe(readCurl(text))
    return { ok: true, title, description: `${JSON.stringify(whole, null, 2)}\n` }
  } catch (error) {
    if (error instanceof CurlProblem) return { ok: false, message: error.message }
    if (error instanceof RangeError) return { ok: false, message: 'The body is too deep' }
    throw error
  }
}
