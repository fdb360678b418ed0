/** Number of decimals of each currency that does not have two (ISO 4217). */
const decimals: Readonly<Record<string, number>> = {
  BIF: 0,
  CLP: 0,
  DJF: 0,
  GNF: 0,
  JPY: 0,
  KMF: 0,
  KRW: 0,
  MGA: 0,
  PYG: 0,
  RWF: 0,
  UGX: 0,
  VND: 0,
  VUV: 0,
  XAF: 0,
  XOF: 0,
  XPF: 0,
  BHD: 3,
  JOD: 3,
  KWD: 3,
  OMR: 3,
  TND: 3,
}

/**
 * Converts an amount in minor units (cents) to decimal text with the currency's number of decimals. 1050 in USD becomes
 * `10.50`.
 */
export const amountText = (minor: number, currency: string): string => {
  const places = decimals[currency] ?? 2
  const digits = String(Math.abs(minor)).padStart(places + 1, '0')
  const text = places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`
  return minor < 0 ? `-${text}` : text
}

/** Converts decimal text to minor units; undefined if the text is not an amount of the currency, such as `custom`. */
export const minorUnits = (text: string, currency: string): number | undefined => {
  const places = decimals[currency] ?? 2
  const match = /^(\d{1,12})(?:\.(\d{1,3}))?$/.exec(text)
  const [whole, part = ''] = [match?.[1], match?.[2]]
  return whole === undefined || part.length > places ? undefined : Number(`${whole}${part.padEnd(places, '0')}`)
}
