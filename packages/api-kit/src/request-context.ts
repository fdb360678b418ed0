import { AsyncLocalStorage } from 'node:async_hooks'
import type { Client, OrganizationRef, WorkspaceRef } from '@tributary/http'
import type { Actor, Clock } from '@tributary/kernel'

/** An authorized call of the API. */
export type RequestContext = {
  /** Name of the method, as `<resource>.<verb>` of the contract. */
  method: string
  actor: Actor | undefined
  client: Client
  /** The organization in the path, or the organization of the workspace in the path. */
  organizationId: string | null
  workspaceId: string | null
  clock: Clock
}

const contexts = new AsyncLocalStorage<RequestContext>()

/**
 * Returns the current call; undefined in jobs. Use the context only for values that every call records in the same way.
 * Values that affect what a handler does must be its parameters.
 */
export const requestContext = (): RequestContext | undefined => contexts.getStore()

type AuthorizedCall = Pick<RequestContext, 'actor' | 'client'> & {
  workspace?: WorkspaceRef
  organization?: OrganizationRef
}

/** Wraps the handler of a method, so that `requestContext` returns its call while it runs. */
export const withContext =
  <Call extends AuthorizedCall, Result>(
    { method, clock }: Pick<RequestContext, 'method' | 'clock'>,
    handler: (call: Call) => Promise<Result>,
  ) =>
  (call: Call): Promise<Result> => {
    const { actor, client, workspace, organization } = call
    const organizationId = workspace?.organizationId ?? organization?.id ?? null
    const context = { method, actor, client, organizationId, workspaceId: workspace?.id ?? null, clock }
    return contexts.run(context, () => handler(call))
  }
