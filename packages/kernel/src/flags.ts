/**
 * Features that can be switched on or off for a whole installation, with their defaults. The web application uses the
 * defaults until the server has responded.
 */
export const flagDefaults = {
  /** Whether a visitor can create an account. */
  'sign-up-enabled': true,
  syncs: true,
  signals: true,
  audiences: true,
  'custom-domain': true,
} as const satisfies Record<string, boolean>
export type FlagKey = keyof typeof flagDefaults
export type FlagValues = Readonly<Record<FlagKey, boolean>>

/** The keys of all flags, in the order of `flagDefaults`. */
export const flagKeys = Object.keys(flagDefaults) as FlagKey[]

/** The caller of a flag evaluation, as resource names; unknown names are omitted. */
export type FlagContext = { user?: string; organization?: string; workspace?: string }
