import { type Destination, destinationReturnPath, methods, resourceNames } from '@tributary/contract'
import { call } from '../api/client.ts'
import { destinationIds } from '../format/names.ts'

/** The URL to which users return after the consent; it is registered at the vendor. */
export const returnAddress = (): string => `${window.location.origin}${destinationReturnPath}`

/** Begins to ask for permission: the address at which a person gives it. */
export const askForConsent = async (destination: string): Promise<string> => {
  const { authorize_url } = await call(methods.destinations.connect, {
    params: destinationIds(destination),
    body: { redirect_uri: returnAddress() },
  })
  return authorize_url
}

/** Ends it with what came back. */
export const completeConsent = (destination: string, code: string, state: string): Promise<Destination> =>
  call(methods.destinations.completeConnect, { params: destinationIds(destination), body: { code, state } })

const id = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The destination of a state, as a resource name; undefined for a foreign text. */
export const destinationOfState = (state: string | null): string | undefined => {
  const [workspace = '', destination = '', secret = '', ...rest] = (state ?? '').split('.')
  if (!id.test(workspace) || !id.test(destination) || secret === '' || rest.length > 0) return undefined
  return resourceNames.destination.format({ workspace, destination })
}
