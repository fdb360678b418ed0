/**
 * Currencies without decimals (Stripe, "Supported currencies"). Stripe's amounts are in the smallest unit, usually a
 * hundredth; for these currencies they are the amount itself. Stripe also lists UGX, but it is a special case like ISK:
 * "a two-decimal value, where the decimal amount is always 00".
 */
const noDecimals: ReadonlySet<string> = new Set(
  'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '),
)
/** Currencies with three decimals (Stripe, "Three-decimal currencies"). */
const threeDecimals: ReadonlySet<string> = new Set('BHD JOD KWD OMR TND'.split(' '))

/**
 * Returns an amount of Stripe in the unit of its currency, such as 12.5 for 1250 in USD; undefined if it is not a whole
 * number.
 */
export const majorUnits = (amount: unknown, currency: string | undefined): number | undefined => {
  const minor = typeof amount === 'number' ? amount : Number.NaN
  if (!Number.isSafeInteger(minor) || currency === undefined) return undefined
  const code = currency.toUpperCase()
  if (noDecimals.has(code)) return minor
  const decimals = threeDecimals.has(code) ? 3 : 2
  return Number((minor / 10 ** decimals).toFixed(decimals))
}
