import { type Destination, formatPath, methods } from '@tributary/contract'
import type { OpenIdProvider } from '@tributary/test-kit'
import { type Caller, idIn, type Organization } from './control-harness.ts'

/** The return address of OAuth consents in the tests, a page on the host to which calls are sent. */
export const returnAddress = 'http://localhost/destination-oauth-callback'

/** Makes a destination that is registered at this provider and has no grant yet. */
export const makePermitted = (
  { administrator, workspaceId }: Pick<Organization, 'administrator' | 'workspaceId'>,
  { destination: client }: OpenIdProvider,
  settings: Record<string, string> = {},
): Promise<Destination> =>
  administrator.ok(
    methods.destinations.create,
    { workspace: workspaceId },
    {
      body: {
        title: 'Sheets',
        app: { name: 'catalogDestinations/permitted' },
        settings: {
          authorize_url: client.authorizeUrl,
          token_url: client.tokenUrl,
          client_id: client.clientId,
          client_secret: client.clientSecret,
          ...settings,
        },
      },
    },
  )

/** Starts an OAuth consent and gives it at the provider. Resolves to the values with which the browser returns. */
export const permit = async (
  caller: Caller,
  provider: OpenIdProvider,
  destination: string,
  email = 'ada@example.com',
): Promise<{ code: string; state: string }> => {
  const [, workspace = '', , id = ''] = destination.split('/')
  const begun = await caller.ok(
    methods.destinations.connect,
    { workspace, destination: id },
    { body: { redirect_uri: returnAddress } },
  )
  const back = await provider.walk(begun.authorize_url, email)
  return { code: back.get('code') ?? '', state: back.get('state') ?? '' }
}

/** Completes a whole OAuth consent for a destination. */
export const connect = async (caller: Caller, provider: OpenIdProvider, destination: string): Promise<Destination> => {
  const [, workspace = '', , id = ''] = destination.split('/')
  const body = await permit(caller, provider, destination)
  return await caller.ok(methods.destinations.completeConnect, { workspace, destination: id }, { body })
}

/** Makes the calls of an OAuth consent; undefined for other methods. */
export const grantRequest = async (
  organization: Organization,
  provider: OpenIdProvider,
  name: string,
  caller: Caller | undefined,
): Promise<{ path: string; body: unknown } | undefined> => {
  const { connect: begin, completeConnect, disconnect } = methods.destinations
  const method = [begin, completeConnect, disconnect].find((each) => each.name === name)
  if (method === undefined) return undefined
  const { administrator, workspaceId } = organization
  const made = await makePermitted(organization, provider)
  const path = formatPath(method.path, { workspace: workspaceId, destination: idIn(made.name) })
  if (name === disconnect.name) return { path, body: {} }
  if (name === begin.name) return { path, body: { redirect_uri: returnAddress } }
  provider.addUser({ email: 'ada@example.com' })
  // Only the user who started a consent can complete it, and some callers cannot start one.
  const begun = await permit(caller ?? administrator, provider, made.name).catch(() => undefined)
  return { path, body: begun ?? (await permit(administrator, provider, made.name)) }
}
