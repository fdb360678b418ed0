import { ipOf } from '../conversions/left-out.ts'

/**
 * Countries from which Google Ads takes no IP addresses: the EEA, the United Kingdom, and Switzerland. The source is
 * "DeviceInfo" of the Data Manager API. Greece and the United Kingdom have a second code
 * each, and regions of these countries have codes of their own.
 */
const withoutIpAddress: ReadonlySet<string> = new Set(
  (
    'AT BE BG CH CY CZ DE DK EE EL ES FI FR GB GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK UK ' +
    'AX GF GI GP MF MQ RE YT'
  ).split(' '),
)

/**
 * Returns the IP address if Google Ads takes it from the country of the person. An unknown country could be one of those
 * without, so the country is required.
 */
export const ipAddressOf = (
  field: string,
  { value, country }: { value: string | undefined; country: string | undefined },
  leftOut: string[],
): string | undefined => {
  const address = ipOf(field, value, leftOut)
  const code = country?.trim().toUpperCase() ?? ''
  const isRefused = withoutIpAddress.has(code) || !/^[A-Z]{2}$/.test(code)
  // Most events have no country, so that this is not worth a note in each delivery.
  if (isRefused && address !== undefined && code !== '')
    leftOut.push(`${field}: Google Ads does not take it from the country of the person`)
  return isRefused ? undefined : address
}
