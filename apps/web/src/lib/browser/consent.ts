import { type Destination, destinationReturnPath, methods, resourceNames } from '@tributary/contract'
import { call } from '../api/client.ts'
import { destinationIds } from '../format/names.ts'

/** Returns the URL to which the vendor sends users after the consent. It is registered at the vendor. */
export const returnAddress = (): string => `${window.location.origin}${destinationReturnPath}`

/** Starts a consent for a destination. Returns the URL at which the user grants access. */
export const askForConsent = async (destination: string): Promise<string> => {
  const { authorize_url } = await call(methods.destinations.connect, {
    params: destinationIds(destination),
    body: { redirect_uri: returnAddress() },
  })
  return authorize_url
}

/** Completes a consent with the code and the state that the vendor returned. */
export const completeConsent = (destination: string, code: string, state: string): Promise<Destination> =>
  call(methods.destinations.completeConnect, { params: destinationIds(destination), body: { code, state } })

const id = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Returns the destination of a state, as a resource name; undefined for a text that is not such a state. */
export const destinationOfState = (state: string | null): string | undefined => {
  const [workspace = '', destination = '', secret = '', ...rest] = (state ?? '').split('.')
  if (!id.test(workspace) || !id.test(destination) || secret === '' || rest.length > 0) return undefined
  return resourceNames.destination.format({ workspace, destination })
}
