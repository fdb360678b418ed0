import { readdirSync, readFileSync } from 'node:fs'
import type { Product } from '@tributary/test-kit'

/**
 * Sends a request to collection with the key as Basic authorization; a value other than text or bytes is sent as JSON.
 */
export const post = (
  product: Pick<Product, 'url'>,
  path: string,
  key: string | undefined,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(`${product.url}${path}`, {
    method: 'POST',
    headers: {
      ...(key === undefined ? {} : { authorization: `Basic ${btoa(`${key}:`)}` }),
      'content-type': 'application/json',
      ...headers,
    },
    body: typeof body === 'string' || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
  })

/** Returns a valid track event. */
export const track = (messageId: string, more: object = {}): object => ({
  type: 'track',
  event: 'Ordered',
  userId: 'u-1',
  messageId,
  ...more,
})

export type StoredEvent = {
  message_id: string
  status: string
  reason: string
  type: string
  name: string
  event_id: string
}

/** Returns every stored event of a source, over all pages. */
export const storedEvents = async (
  product: Pick<Product, 'api'>,
  source: string,
  filter = '',
): Promise<StoredEvent[]> => {
  const all: StoredEvent[] = []
  let token = ''
  do {
    const page = await product.api.ok('GET', `/${source}/events?page_size=1000${filter}&page_token=${token}`)
    all.push(...(page.events as StoredEvent[]))
    token = String(page.next_page_token)
  } while (token !== '')
  return all
}

/** Returns the process IDs of the direct children of a process, with the names of their programs. */
export const childrenOf = (pid: number): { pid: number; name: string }[] =>
  readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      try {
        const [, name = '', parent] = /^\d+ \((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${entry}/stat`, 'utf8')) ?? []
        return Number(parent) === pid ? [{ pid: Number(entry), name }] : []
      } catch {
        return []
      }
    })

/** Returns the IDs of a process and of all processes below it. */
export const familyOf = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap((child) => familyOf(child.pid))]

/** Whether a process is running; a zombie is not. */
export const isAlive = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** Returns the process ID of an engine of the product. */
export const engineOf = (product: Product, name: 'postgres' | 'event-store'): number => {
  const found = childrenOf(product.pid).find((child) =>
    name === 'postgres' ? child.name === 'postgres' : !['postgres', 'sh'].includes(child.name),
  )
  if (found === undefined) throw new Error(`${name} does not run`)
  return found.pid
}
