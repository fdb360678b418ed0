import { isJsonObject } from '@tributary/kernel'
import type { DeliverContext, Settings } from '../../definition/definition.ts'
import { settingText } from '../../definition/settings.ts'
import { ConfigurationError } from '../../errors.ts'
import type { OAuth2Client } from '../../http/oauth2.ts'
import type { OutgoingRequest } from '../../http/request-client.ts'
import type { Hidden } from '../../http/send-request.ts'
import type { Description } from '../format/schema.ts'
import type { DescribedRequest } from '../format/schema-requests.ts'
import type { DescribedCredential } from '../format/schema-settings.ts'
import { bodyText } from '../templates/body-text.ts'
import { perSettings } from '../templates/per-settings.ts'
import { authSegment, settingRenderers } from '../templates/render-text.ts'
import { clientToken } from './client-credentials.ts'
import { hiddenTextsOf } from './hidden-texts.ts'
import { serverUrl } from './servers.ts'

type Described = Pick<Description, 'settings' | 'servers'>

/** A request before its credentials are added. `body` is a JSON value; undefined for none. */
export type OpenRequest = Pick<OutgoingRequest, 'method' | 'headers'> & { url: URL; body: unknown }

const secretOf = (settings: Settings, name: string): string => {
  const value = settingText(settings, name).trim()
  if (value === '') throw new ConfigurationError(`The setting ${name} is missing`)
  return value
}

const partOf = (part: { setting: string; suffix: string } | { text: string }, settings: Settings): string =>
  'text' in part ? part.text : `${secretOf(settings, part.setting)}${part.suffix}`

const addToBody = (body: unknown, name: string, value: string): unknown => {
  if (body === undefined) return { [name]: value }
  if (!isJsonObject(body)) throw new ConfigurationError('The credentials need a body that is an object')
  return { [name]: value, ...body }
}

/** Returns a path with a secret segment at its place, or else at its end. */
const withSegment = (path: string, at: string, secret: string): string => {
  const segments = path.split('/')
  const place = segments.includes(authSegment) ? segments.indexOf(authSegment) : segments.length
  const isAtEnd = place === segments.length && segments.at(-1) === ''
  return segments
    .toSpliced(
      isAtEnd ? place - 1 : place,
      1,
      at.replace('{}', () => encodeURIComponent(secret)),
    )
    .join('/')
}

const rendered = (parameters: Readonly<Record<string, string>>, text: (template: string) => string) =>
  Object.fromEntries(
    Object.entries(parameters)
      .map(([name, template]) => [name, text(template)])
      .filter(([, value]) => value !== ''),
  ) as Record<string, string>

const hiddenTexts = perSettings(hiddenTextsOf)

/**
 * Adds the credentials to a request, and returns what is to be hidden of it. `refused` is a token of client credentials
 * that got 401. A grant is added when the request is sent: see `withGrant`.
 */
export const authorize = async (
  described: Pick<Description, 'auth'> & Described,
  credentials: readonly DescribedCredential[],
  open: OpenRequest,
  encoding: DescribedRequest['encoding'],
  context: DeliverContext,
  refused?: string,
): Promise<{ request: OutgoingRequest; hidden: Hidden; token: string | undefined }> => {
  const { settings } = context
  const headers = { ...open.headers }
  const url = new URL(open.url)
  let { body } = open
  let token: string | undefined
  const hiddenHeaders: string[] = ['authorization']
  const isLeftOut = (credential: DescribedCredential): boolean =>
    'optional' in credential && credential.optional === true && settingText(settings, credential.setting).trim() === ''
  for (const credential of credentials.filter((one) => !isLeftOut(one)))
    switch (credential.in) {
      case 'header':
        headers[credential.name.toLowerCase()] = `${credential.prefix}${secretOf(settings, credential.setting)}`
        hiddenHeaders.push(credential.name.toLowerCase())
        break
      case 'query':
        url.searchParams.set(credential.name, secretOf(settings, credential.setting))
        break
      case 'path':
        url.pathname = withSegment(url.pathname, credential.at, secretOf(settings, credential.setting))
        break
      case 'body':
        body = addToBody(body, credential.name, secretOf(settings, credential.setting))
        break
      case 'basic': {
        const pair = `${partOf(credential.user, settings)}:${partOf(credential.password, settings)}`
        headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`
        break
      }
      case 'client_credentials': {
        const render = settingRenderers(described, settings)
        const client = {
          tokenUrl: `${serverOf(described, credential.server, settings)}${render.path(credential.path)}`,
          id: secretOf(settings, credential.client_id),
          secret: secretOf(settings, credential.client_secret),
          authentication: credential.client_authentication,
          scope: render.text(credential.scope),
          parameters: rendered(credential.parameters, render.text),
        }
        token = await clientToken(client, context, refused)
        headers['authorization'] = `${credential.prefix}${token}`
        break
      }
      case 'grant':
        break
    }
  const { method } = open
  const texts = [...hiddenTexts(described, settings), ...(token === undefined ? [] : [token])]
  const content = body === undefined ? {} : { body: bodyText(body, encoding) }
  return { request: { method, url: url.href, headers, ...content }, hidden: { headers: hiddenHeaders, texts }, token }
}

/** Returns the URL of a named server of a description. */
export const serverOf = ({ servers }: Pick<Description, 'servers'>, name: string, settings: Settings): string => {
  const server = servers[name]
  if (server === undefined) throw new Error(`There is no server ${name}`)
  return serverUrl(server, settings)
}

const urlOrNone = (described: Described, server: string, path: string, settings: Partial<Settings>): string => {
  try {
    const render = settingRenderers(described, settings as Settings)
    return `${serverOf(described, server, settings as Settings)}${path === '' ? '' : render.path(path)}`
  } catch (error) {
    // While a user enters the settings, the address may still be unknown.
    if (error instanceof ConfigurationError) return ''
    throw error
  }
}

/** Returns the client of a description with a grant, from the settings that are there; undefined without a grant. */
export const grantClient = (
  described: Pick<Description, 'settings' | 'servers' | 'auth'>,
  settings: Partial<Settings>,
): OAuth2Client | undefined => {
  const grant = Object.values(described.auth)
    .flat()
    .find((credential) => credential.in === 'grant')
  if (grant === undefined) return undefined
  const text = (name: string): string => settingText(settings as Settings, name).trim()
  const render = settingRenderers(described, settings as Settings)
  return {
    authorizeUrl: urlOrNone(described, grant.authorize_server, grant.authorize_path, settings),
    tokenUrl: urlOrNone(described, grant.token_server, grant.token_path, settings),
    tokensSentTo: Object.keys(described.servers).map((name) => {
      const url = urlOrNone(described, name, '', settings)
      return url === '' ? '' : new URL(url).origin
    }),
    clientId: text(grant.client_id),
    clientSecret: text(grant.client_secret),
    clientAuthentication: grant.client_authentication,
    scopes: grant.scopes.map(render.text).filter((scope) => scope !== ''),
    extraAuthorizeParameters: rendered(grant.parameters, render.text),
  }
}
