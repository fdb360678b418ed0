import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Client, OpenFeature, TypedInMemoryProvider } from '@openfeature/server-sdk'
import type { Authentication } from '@tributary/http'
import {
  AppError,
  canSee,
  type FlagContext,
  type FlagKey,
  type FlagValues,
  flagKeys,
  type Logger,
} from '@tributary/kernel'
import { z } from 'zod'

const path = '/ofrep/v1/evaluate/flags'
const maxBytes = 16 * 1024

/** A rejection with an error code of the protocol. */
class Refused extends Error {
  readonly status: number
  readonly errorCode: string

  constructor(status: number, errorCode: string, details: string) {
    super(details)
    this.status = status
    this.errorCode = errorCode
  }
}

const name = z.string().max(300).optional()
const request = z.object({ context: z.object({ user: name, organization: name, workspace: name }).default({}) })

const readBody = async (incoming: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk))
    size += bytes.length
    if (size > maxBytes) throw new Refused(413, 'INVALID_CONTEXT', 'The body is too large')
    chunks.push(bytes)
  }
  if (size === 0) return {}
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    throw new Refused(400, 'PARSE_ERROR', 'The body is not valid JSON')
  }
}

/**
 * Reduces a context to verified claims: the user must be the session's, and an organization must be visible to the
 * user.
 */
export const trustedContext = (
  claimed: FlagContext,
  actor: { userId: string } & Parameters<typeof canSee>[0],
): FlagContext => {
  const organizationId = claimed.organization?.replace(/^organizations\//, '')
  return {
    user: `users/${actor.userId}`,
    ...(organizationId !== undefined && canSee(actor, organizationId)
      ? {
          organization: claimed.organization,
          ...(claimed.workspace === undefined ? {} : { workspace: claimed.workspace }),
        }
      : {}),
  }
}

const contextOf = async (
  incoming: IncomingMessage,
  claimed: FlagContext,
  authenticate: (token: string) => Promise<Authentication>,
): Promise<FlagContext> => {
  const token = /^Bearer +(\S{1,1000})$/i.exec(incoming.headers.authorization ?? '')?.[1]
  if (token === undefined) return {}
  const found = await authenticate(token)
  if (!('actor' in found)) throw new Refused(401, 'GENERAL', 'The access token is not valid any more')
  return trustedContext(claimed, found.actor)
}

const evaluate = async (client: Client, key: FlagKey, context: FlagContext) => {
  const { value, variant, reason } = await client.getBooleanDetails(key, false, {
    ...context,
    ...(context.user === undefined ? {} : { targetingKey: context.user }),
  })
  return { key, value, reason, variant }
}

const send = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void => {
  response
    .writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    })
    .end(JSON.stringify(body))
}

let instances = 0

/**
 * Serves the OpenFeature Remote Evaluation Protocol (https://openfeature.dev/specification/appendix-c): all flags at
 * `/ofrep/v1/evaluate/flags`, a single flag below it. Without a session the context is ignored. With a session it is
 * reduced to verified claims; an expired token gets 401. `values` are the flag values of this installation.
 */
export const createFlags = async (deps: {
  values: FlagValues
  authenticate: (token: string) => Promise<Authentication>
  logger: Logger
}) => {
  // The SDK keeps providers by domain for the whole process, so each instance needs its own domain.
  const domain = `tributary-${instances++}`
  await OpenFeature.setProviderAndWait(
    domain,
    new TypedInMemoryProvider(
      Object.fromEntries(
        flagKeys.map((key) => [
          key,
          {
            variants: { on: true, off: false },
            defaultVariant: deps.values[key] ? ('on' as const) : ('off' as const),
            disabled: false,
          },
        ]),
      ),
    ),
  )
  const client = OpenFeature.getClient(domain)

  const answer = async (incoming: IncomingMessage, asked: string): Promise<unknown> => {
    const body = request.safeParse(await readBody(incoming))
    if (!body.success) throw new Refused(400, 'INVALID_CONTEXT', 'The context is an object of resource names')
    const context = await contextOf(incoming, body.data.context, deps.authenticate)
    if (asked === '') return { flags: await Promise.all(flagKeys.map((key) => evaluate(client, key, context))) }
    const key = flagKeys.find((each) => each === asked)
    if (key === undefined) throw new Refused(404, 'FLAG_NOT_FOUND', `There is no flag ${asked}`)
    return await evaluate(client, key, context)
  }

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const asked = (incoming.url ?? '').split('?')[0]?.slice(path.length + 1) ?? ''
    if (incoming.method !== 'POST') {
      send(response, 405, { errorCode: 'GENERAL', errorDetails: 'Use POST' }, { allow: 'POST' })
      return
    }
    try {
      const body = await answer(incoming, asked)
      const etag = `"${createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 22)}"`
      if (incoming.headers['if-none-match'] === etag) response.writeHead(304, { etag }).end()
      else send(response, 200, body, { etag })
    } catch (error) {
      if (error instanceof Refused) {
        send(response, error.status, {
          ...(asked === '' ? {} : { key: asked }),
          errorCode: error.errorCode,
          errorDetails: error.message,
        })
        return
      }
      if (error instanceof AppError) {
        send(response, error.code, { errorCode: 'GENERAL', errorDetails: error.message })
        return
      }
      deps.logger.error({ err: error }, 'flags could not be evaluated')
      send(response, 500, { errorCode: 'GENERAL', errorDetails: 'Something went wrong on our side' })
    }
  }

  return {
    handles: (asked: string): boolean => asked === path || asked.startsWith(`${path}/`),
    handle: (incoming: IncomingMessage, response: ServerResponse): void => void handle(incoming, response),
  }
}
