import { expect } from 'vitest'

/** Sends events in batches of 1000, every fourth with a different name. */
export const send = async (url: string, key: string, count: number, prefix: string): Promise<void> => {
  for (let from = 0; from < count; from += 1000) {
    const batch = Array.from({ length: 1000 }, (_, n) => ({
      type: 'track',
      event: (from + n) % 4 === 0 ? 'Cart Viewed' : 'Order Completed',
      userId: `u-${n % 7}`,
      messageId: `${prefix}-${from + n}`,
      properties: { total: from + n, text: 'ä "quoted" \u2028' },
      // The event was only for the first destination. A replay sends it to the destination that the replay names.
      integrations: { All: true, 'New warehouse': false },
      channel: 'server',
    }))
    const answer = await fetch(`${url}/v1/batch`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ batch, context: { library: { name: 'test' } } }),
    })
    expect(answer.status).toBe(200)
  }
}

/** Returns IDs in a fixed order, to compare them. */
export const sorted = (ids: Iterable<string>): string[] => [...ids].toSorted()
