/** An event as a customer's server sends it. */
export type Track = { event: string; messageId: string; test?: boolean; properties?: Record<string, unknown> }

/** Sends track events in one request with a write key; answers the status. */
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

/** Does what a curl command of a set-up guide says; answers the status. */
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
