/** A part of a whole, 0 to 1; undefined when there is no whole. */
export const rateOf = (part: number, whole: number): number | undefined => (whole === 0 ? undefined : part / whole)

/** A rate in percent with at most two decimals. Rounding shows only the rates 0 and 1 as 0 % and 100 %. */
export const percent = (rate: number, locale?: string): string => {
  const hundredths = Math.round(rate * 10_000)
  const shown = rate < 1 && hundredths === 10_000 ? 9999 : rate > 0 && hundredths === 0 ? 1 : hundredths
  return new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 }).format(shown / 10_000)
}
