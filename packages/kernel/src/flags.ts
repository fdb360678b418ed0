/**
 * Features that can be switched off (or on) for a whole installation, with their defaults. The web application uses
 * these until the server has answered.
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

/** The keys of all flags, in the order of the table. */
export const flagKeys = Object.keys(flagDefaults) as FlagKey[]

/** The caller that a flag is evaluated for, as resource names; unknown ones are left out. */
export type FlagContext = { user?: string; organization?: string; workspace?: string }
