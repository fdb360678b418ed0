import type { VendorAnswer, VendorAsked } from '@tributary/test-kit'

/** A vendor that accepts everything, and counts events. */
export type Vendor = {
  answer(asked: VendorAsked): VendorAnswer
  /** Resets the count. Resolves when this number of events has arrived. */
  expect(events: number): Promise<void>
}

/** Creates a vendor that counts the events of a request by a word that each event has once. */
export const createVendor = (word: RegExp, answerOf: (events: number) => object): Vendor => {
  let taken = 0
  let wanted = { events: Number.POSITIVE_INFINITY, done: () => {} }
  return {
    answer: ({ text }) => {
      const count = text.match(word)?.length ?? 0
      taken += count
      if (taken >= wanted.events) wanted.done()
      return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(answerOf(count)) }
    },
    expect: (count) =>
      new Promise((resolve) => {
        taken = 0
        wanted = { events: count, done: resolve }
      }),
  }
}
