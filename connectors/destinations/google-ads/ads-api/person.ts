import { withValues } from '../../../wire/conversions/left-out.ts'

/** A person with values that the mapping has normalized and hashed. */
type AdsPerson = {
  email?: string | readonly string[]
  phone?: string | readonly string[]
  first_name?: string
  last_name?: string
  country?: string
  postal_code?: string
  city?: string
  state?: string
  street_address?: string
  user_identifier_source?: string
}

/** Returns "OfflineUserAddressInfo", which Google matches only with name, country, and postal code. */
const addressOf = (person: AdsPerson): Record<string, unknown> | undefined => {
  const { first_name: first, last_name: last, country = '', postal_code = '' } = person
  const region = country.trim().toUpperCase()
  if (first === undefined || last === undefined || postal_code.trim() === '' || !/^[A-Z]{2}$/.test(region))
    return undefined
  return withValues({
    hashedFirstName: first,
    hashedLastName: last,
    countryCode: region,
    postalCode: postal_code.trim(),
    city: person.city?.trim(),
    state: person.state?.trim(),
    hashedStreetAddress: person.street_address,
  })
}

/**
 * Returns "UserIdentifier" of the Google Ads API for each email and phone number and for the address: each has one of
 * them, and the source.
 */
export const adsIdentifiersOf = (person: AdsPerson): Record<string, unknown>[] => {
  const { email, phone } = person
  const source = person.user_identifier_source?.trim().toUpperCase() ?? ''
  const address = addressOf(person)
  const identifiers = [
    ...[email ?? []].flat().map((hashedEmail) => ({ hashedEmail })),
    ...[phone ?? []].flat().map((hashedPhoneNumber) => ({ hashedPhoneNumber })),
    ...(address === undefined ? [] : [{ addressInfo: address }]),
  ]
  return identifiers.map((each) => withValues({ userIdentifierSource: source, ...each }))
}
