import { consentOf } from '@tributary/connector-kit'

/** A person with values that the mapping has normalized and hashed. */
export type GivenPerson = {
  email?: string | readonly string[]
  phone?: string | readonly string[]
  first_name?: string
  last_name?: string
  country?: string
  postal_code?: string
}

/**
 * "UserIdentifier": returns identifiers that each have one of email, phone, and address. An address needs all of its
 * parts.
 */
export const identifiersOf = ({
  email,
  phone,
  first_name,
  last_name,
  country = '',
  postal_code = '',
}: GivenPerson): unknown[] => {
  const region = country.trim().toUpperCase()
  const hasAddress =
    first_name !== undefined && last_name !== undefined && /^[A-Z]{2}$/.test(region) && postal_code.trim() !== ''
  return [
    ...[email ?? []].flat().map((emailAddress) => ({ emailAddress })),
    ...[phone ?? []].flat().map((phoneNumber) => ({ phoneNumber })),
    ...(hasAddress
      ? [
          {
            address: {
              givenName: first_name,
              familyName: last_name,
              regionCode: region,
              postalCode: postal_code.trim(),
            },
          },
        ]
      : []),
  ]
}

const statusOf = (value: unknown): string | undefined => {
  const consent = consentOf(value)
  return consent === 'none' ? undefined : consent === 'granted' ? 'CONSENT_GRANTED' : 'CONSENT_DENIED'
}

/** Returns "Consent" of the Data Manager API; undefined if nothing is known. */
export const consentField = (given: {
  ad_user_data?: unknown
  ad_personalization?: unknown
}): Record<string, string | undefined> | undefined => {
  const consent = { adUserData: statusOf(given.ad_user_data), adPersonalization: statusOf(given.ad_personalization) }
  return Object.values(consent).every((each) => each === undefined) ? undefined : consent
}
