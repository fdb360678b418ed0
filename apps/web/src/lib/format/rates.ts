/** Returns a part of a whole as a number from 0 to 1; undefined if the whole is 0. */
export const rateOf = (part: number, whole: number): number | undefined => (whole === 0 ? undefined : part / whole)

/**
 * Formats a rate in percent with at most two decimals. Only the rates 0 and 1 are shown as 0 % and 100 %; other rates
 * are never rounded to these.
 */
export const percent = (rate: number, locale?: string): string => {
  const hundredths = Math.round(rate * 10_000)
  const shown = rate < 1 && hundredths === 10_000 ? 9999 : rate > 0 && hundredths === 0 ? 1 : hundredths
  return new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 }).format(shown / 10_000)
}
