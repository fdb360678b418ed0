/**
 * What can be switched off (or on) for a whole installation, with what holds when nothing is said. The web application
 * uses these until the server has answered.
 */
export const flagDefaults = {
  /** Whether somebody without an account can make one. */
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

/** Whom a flag is asked for, as resource names; what is unknown is left out. */
export type FlagContext = { user?: string; organization?: string; workspace?: string }
