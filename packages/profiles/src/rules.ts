import { defaultIdentityRules, type IdentityRules } from '@tributary/contract'

/** The decisions of a workspace about identifiers, in the form that is needed for each event. */
export type Rules = {
  /** A version that changes with the rules. Facts learned under other rules may have to be learned again. */
  readonly version: string
  /** Returns the maximum identifiers of a type in a profile. */
  limitOf(type: string): number
  /** Whether the workspace blocks a value. */
  isBlocked(value: string): boolean
  readonly linksEmail: boolean
  readonly linksPhone: boolean
}

const plain = (value: string): string => value.trim().toLowerCase()

/** Creates rules from the decisions of a workspace. */
export const rulesOf = (decided: IdentityRules, version: string): Rules => {
  const { anonymous_id_limit, email_limit, phone_limit, external_id_limit, single_kinds } = decided
  // A profile has one user ID, because a device that several people have used does not make them one person.
  const limits: Readonly<Record<string, number>> = {
    user_id: 1,
    anonymous_id: anonymous_id_limit,
    email: email_limit,
    phone: phone_limit,
  }
  const single = new Set(single_kinds)
  const blocked = new Set(decided.blocked_values.map(plain))
  return {
    version,
    limitOf: (type) =>
      (Object.hasOwn(limits, type) ? limits[type] : undefined) ?? (single.has(type) ? 1 : external_id_limit),
    isBlocked: blocked.size === 0 ? () => false : (value) => blocked.has(plain(value)),
    linksEmail: decided.link_email,
    linksPhone: decided.link_phone,
  }
}

/** The rules of a workspace that has not changed the defaults. */
export const defaultRules: Rules = rulesOf(defaultIdentityRules, '')
