import { type ApiClient, eventually } from '@tributary/test-kit'

/** An event in the form in which a customer's server sends it. */
export type Track = { event: string; messageId: string; test?: boolean; properties?: Record<string, unknown> }

/** Sends track events in one request and returns the status code. */
export const sendTracks = async (origin: string, key: string, tracks: readonly Track[]): Promise<number> => {
  const response = await fetch(`${origin}/v1/batch`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      batch: tracks.map(({ event, messageId, test = false, properties = {} }) => ({
        type: 'track',
        userId: 'customer-1',
        event,
        messageId,
        properties,
        context: { test },
      })),
    }),
  })
  await response.arrayBuffer()
  return response.status
}

const quoted = (curl: string, option: string): string => {
  const value = new RegExp(`-${option} '([^']*)'`).exec(curl)?.[1]
  if (value === undefined) throw new Error(`no -${option} in ${curl}`)
  return value
}

/** Runs a curl command of a set-up guide, and returns the status code. */
export const runCurl = async (curl: string): Promise<number> => {
  const url = /^curl (\S+)/.exec(curl)?.[1] ?? ''
  const [name = '', value = ''] = quoted(curl, 'H').split(': ')
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(quoted(curl, 'u'))}`, [name]: value },
    body: quoted(curl, 'd'),
  })
  await response.arrayBuffer()
  return response.status
}

/**
 * Resolves when the delivery log of a destination has this many attempts, of any outcome or of the given one. Open the
 * page afterwards: a page that is opened earlier reads again only after 5 seconds or more.
 */
export const untilAttempted = async (
  api: ApiClient,
  destination: string,
  { count = 1, status = '' }: { count?: number; status?: string } = {},
): Promise<void> => {
  await eventually(`${count} attempts in the delivery log`, async () => {
    const query = status === '' ? '' : `?status=${status}`
    const { deliveries } = await api.ok('GET', `/${destination}/deliveries${query}`)
    return (deliveries as unknown[]).length >= count
  })
}

type Refused = { reason: string; key_hint: string }

/** Resolves when a refusal of this kind is counted for a source, or for unknown keys if `source` is not given. */
export const untilRefused = async (
  api: ApiClient,
  isIt: (refused: Refused) => boolean,
  source?: string,
): Promise<void> => {
  await eventually('the refusal is counted', async () => {
    const path = source === undefined ? '/refusedRequests' : `/${source}/refusedRequests`
    const { refused_requests } = await api.ok('GET', `${path}?page_size=200`)
    return (refused_requests as Refused[]).some(isIt)
  })
}
