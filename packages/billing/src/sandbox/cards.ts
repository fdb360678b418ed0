/** How a test card behaves when it is added, and when it is charged. `confirms` asks the payer for a confirmation. */
export type TestCard = {
  brand: string
  added: 'succeeds' | 'declines' | 'confirms'
  charged: 'succeeds' | 'declines' | 'confirms'
}

const works = { added: 'succeeds', charged: 'succeeds' } as const

/** The card numbers that the sandbox accepts: test numbers of Stripe. It accepts no others, and stores none. */
const testCards: ReadonlyMap<string, TestCard> = new Map([
  ['4242424242424242', { brand: 'Visa', ...works }],
  ['5555555555554444', { brand: 'Mastercard', ...works }],
  ['378282246310005', { brand: 'American Express', ...works }],
  ['4000000000000002', { brand: 'Visa', added: 'declines', charged: 'declines' }],
  ['4000000000000341', { brand: 'Visa', added: 'succeeds', charged: 'declines' }],
  // Cards with 3-D Secure: one is confirmed once, when it is added; the other needs a confirmation for each payment.
  ['4000002500003155', { brand: 'Visa', added: 'confirms', charged: 'succeeds' }],
  ['4000002760003184', { brand: 'Visa', added: 'confirms', charged: 'confirms' }],
])

/** Returns the test card with a number; undefined for any other number. */
export const testCard = (number: string): TestCard | undefined => testCards.get(number)
