/** What a test number stands for. */
export type TestCard = { brand: string; outcome: 'succeeds' | 'is-declined' | 'declines-charges' }

/** The numbers that the sandbox takes, those that people know from Stripe. No other is taken, and none is kept. */
const testCards: ReadonlyMap<string, TestCard> = new Map([
  ['4242424242424242', { brand: 'Visa', outcome: 'succeeds' }],
  ['5555555555554444', { brand: 'Mastercard', outcome: 'succeeds' }],
  ['378282246310005', { brand: 'American Express', outcome: 'succeeds' }],
  ['4000000000000002', { brand: 'Visa', outcome: 'is-declined' }],
  ['4000000000000341', { brand: 'Visa', outcome: 'declines-charges' }],
])

/** The test card of a number; undefined for every other number. */
export const testCard = (number: string): TestCard | undefined => testCards.get(number)
