import type { HandlerResponse, Method, MethodParams, Methods, ParsedQuery, ParsedRequest } from '@tributary/contract'
import type { Actor, Role } from '@tributary/kernel'

/** The origin of a call; `host` is the Host header as sent by the client (name and port, or empty). */
export type Client = { ip: string; userAgent: string; host: string }

/** A workspace in which the caller may make the call, and the roles that are allowed. */
export type WorkspaceRef = { id: string; organizationId: string; roles: readonly Role[] }
/** An organization in which the caller may make the call, and the roles that are allowed. */
export type OrganizationRef = { id: string; roles: readonly Role[] }

/** The resource that the access check finds for the handler. */
type Found<M extends Method> = M['access'] extends { scope: 'workspace' }
  ? { workspace: WorkspaceRef }
  : M['access'] extends { scope: 'organization' }
    ? { organization: OrganizationRef }
    : unknown

/** A call that passed the access check, and whose parameters, query, and body passed their schemas. */
export type Call<M extends Method> = {
  /** The caller; may be absent in public calls. */
  actor: M['access'] extends { scope: 'anybody' } ? Actor | undefined : Actor
  params: MethodParams<M>
  query: ParsedQuery<M>
  /** For a PATCH, only the fields that the mask names. */
  body: ParsedRequest<M>
  client: Client
  /** Aborts if the client disconnects before it has its response. */
  signal: AbortSignal
} & Found<M>

/** Handles one method. Expected failures are thrown as AppError; any other error is a fault and returned as 500. */
export type Handler<M extends Method> = (call: Call<M>) => Promise<HandlerResponse<M>>

/** A handler for every method of the API. */
export type Handlers = {
  readonly [Group in keyof Methods]: {
    readonly [Verb in keyof Methods[Group]]: Methods[Group][Verb] extends Method ? Handler<Methods[Group][Verb]> : never
  }
}

/**
 * Decides whether a caller may make a call, by the access of its method and the IDs in its path. Resolves to the
 * workspace or organization. Throws 404 if the caller cannot see it, and 403 if the caller may not make the call.
 */
export type Authorize = (
  method: Pick<Method, 'name' | 'access'>,
  actor: Actor | undefined,
  params: Readonly<Record<string, string>>,
) => Promise<{ workspace?: WorkspaceRef; organization?: OrganizationRef }>

/** The handler of any method, as the router calls it. */
export type AnyHandler = (call: {
  actor: Actor | undefined
  params: Readonly<Record<string, string>>
  query: unknown
  body: unknown
  client: Client
  signal: AbortSignal
  workspace?: WorkspaceRef
  organization?: OrganizationRef
}) => Promise<unknown>

/**
 * Returns the handler of a method, without its types. The type cast is safe, because the router passes only input that
 * the method's schemas accept, an actor unless the method is public, and the result of its access check. Throws if
 * there is no handler.
 */
export const handlerOf = (
  handlers: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  method: Method,
): AnyHandler => {
  const [group = '', verb = ''] = method.name.split('.')
  const handler = handlers[group]?.[verb]
  if (typeof handler !== 'function') throw new Error(`${method.name} has no handler`)
  return handler as AnyHandler
}
