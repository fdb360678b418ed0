import { defaultIdentityRules, type IdentityRules } from '@tributary/contract'

/** What a workspace decides about identifiers, as far as it is asked for with each event. */
export type Rules = {
  /** Another one whenever they change: what was learned by other rules may have to be learned again. */
  readonly version: string
  /** How many identifiers of a kind a profile may have. */
  limitOf(type: string): number
  /** Whether the workspace says of a value that it stands for nobody. */
  isBlocked(value: string): boolean
  readonly linksEmail: boolean
  readonly linksPhone: boolean
}

const plain = (value: string): string => value.trim().toLowerCase()

/** Makes rules of what a workspace has decided. */
export const rulesOf = (decided: IdentityRules, version: string): Rules => {
  const { anonymous_id_limit, email_limit, phone_limit, external_id_limit, single_kinds } = decided
  // One event names one user id: that a device has seen several people does not make them one.
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

/** The rules of a workspace that has decided nothing. */
export const defaultRules: Rules = rulesOf(defaultIdentityRules, '')
