/**
 * Stripe, "Supported currencies": amounts are in the smallest unit, a hundredth. For zero-decimal currencies they are
 * the amount itself. UGX is in that list, too, but is among the special cases with ISK: both are "a two-decimal value,
 * where the decimal amount is always 00".
 */
const noDecimals: ReadonlySet<string> = new Set(
  'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '),
)
/** The same page, "Three-decimal currencies". */
const threeDecimals: ReadonlySet<string> = new Set('BHD JOD KWD OMR TND'.split(' '))

/** An amount of Stripe in the unit of its currency, such as 12.5 for 1250 of USD; undefined for what is no whole number. */
export const majorUnits = (amount: unknown, currency: string | undefined): number | undefined => {
  const minor = typeof amount === 'number' ? amount : Number.NaN
  if (!Number.isSafeInteger(minor) || currency === undefined) return undefined
  const code = currency.toUpperCase()
  if (noDecimals.has(code)) return minor
  const decimals = threeDecimals.has(code) ? 3 : 2
  return Number((minor / 10 ** decimals).toFixed(decimals))
}
