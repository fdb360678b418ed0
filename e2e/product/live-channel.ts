import type { Product } from '@tributary/test-kit'

export type LiveChannel = {
  /** HTTP status of the response that authorizes the channel or the sign-in. */
  status: number
  /** Whether the connection has ended. */
  closed(): boolean
  /** Every message of the channel so far. */
  heard: { event: string; data: unknown }[]
  close(): void
}

/**
 * The steps of a listener to its messages: the call that authorizes it, the channel that it subscribes to, the command,
 * and the message that grants it.
 */
type Way = { call: string; channel: string; command: string; granted: string; fields?: Record<string, string> }

const listenBy = async (product: Pick<Product, 'url' | 'api'>, token: string, way: Way): Promise<LiveChannel> => {
  const { call, channel, command, granted, fields = {} } = way
  const { key } = await product.api.ok('GET', '/realtime:config')
  const socket = new WebSocket(`${product.url.replace('http', 'ws')}/app/${String(key)}?protocol=7`)
  let closed = false
  const heard: LiveChannel['heard'] = []
  socket.addEventListener('close', () => {
    closed = true
  })
  const content = (data: unknown): unknown => (typeof data === 'string' ? JSON.parse(data) : data)
  const message = (event: string) =>
    new Promise<Record<string, unknown>>((resolve) => {
      socket.addEventListener('message', ({ data }) => {
        const parsed = JSON.parse(String(data))
        if (parsed.event === event) resolve(content(parsed.data) as Record<string, unknown>)
      })
    })
  socket.addEventListener('message', ({ data }) => {
    const parsed = JSON.parse(String(data))
    if (parsed.channel === channel && !String(parsed.event).startsWith('pusher'))
      heard.push({ event: parsed.event, data: content(parsed.data) })
  })
  const { socket_id } = await message('pusher:connection_established')
  const answer = await fetch(`${product.url}${call}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: new URLSearchParams({ socket_id: String(socket_id), channel_name: channel, ...fields }),
  })
  if (!answer.ok) {
    socket.close()
    return { status: answer.status, closed: () => true, heard, close: () => socket.close() }
  }
  const signed = (await answer.json()) as Record<string, string>
  const joined = message(granted)
  socket.send(JSON.stringify({ event: command, data: { channel, ...signed } }))
  await joined
  return { status: answer.status, closed: () => closed, heard, close: () => socket.close() }
}

/** Listens to a private realtime channel with a session's token, as the web application does. */
export const listen = (product: Pick<Product, 'url' | 'api'>, token: string, channel: string): Promise<LiveChannel> =>
  listenBy(product, token, {
    call: '/pusher/auth',
    channel,
    command: 'pusher:subscribe',
    granted: 'pusher_internal:subscription_succeeded',
  })

/**
 * Listens to the messages for this user with a session's token and the user's signature token, as the web application
 * does.
 */
export const listenAsUser = (
  product: Pick<Product, 'url' | 'api'>,
  token: string,
  { userId, courierToken }: { userId: string; courierToken: string },
): Promise<LiveChannel> =>
  listenBy(product, token, {
    call: '/pusher/user-auth',
    channel: `#server-to-user-${userId}`,
    command: 'pusher:signin',
    granted: 'pusher:signin_success',
    fields: { courier_token: courierToken },
  })
