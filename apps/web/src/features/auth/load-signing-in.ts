import { ApiError } from '../../lib/api/errors.ts'
import type { Rules, Values } from '../../ui/forms/form-state.ts'

/**
 * Loads the code that the sign-in page needs when a user types: rules and calls, with the contract and its schemas. It
 * is loaded at the first key, so that the page itself appears without it. Throws ApiError if it cannot be loaded.
 */
export const signingIn = async () => {
  try {
    return await import('./signing-in.ts')
  } catch {
    throw new ApiError(0, {}, 'The server could not be reached. Check your connection, reload the page, and try again.')
  }
}

/** Starts to load the code. A failure is reported when the code is needed. */
export const warmUp = (): void => void signingIn().catch(() => undefined)

/**
 * Validates a form of the sign-in page with rules that are loaded later. If the rules cannot be loaded, all values
 * pass: the call then fails for the same reason, with an error.
 */
export const laterRules =
  <T extends Values>(choose: (rules: Awaited<ReturnType<typeof signingIn>>['rules']) => Rules<T>): Rules<T> =>
  async (values) => {
    const loaded = await signingIn().catch(() => undefined)
    return loaded === undefined ? { values } : choose(loaded.rules)(values)
  }
