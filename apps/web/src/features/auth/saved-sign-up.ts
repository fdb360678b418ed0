import { storagePrefix } from '../../lib/browser/storage-prefix.ts'

/** A sign-up that waits for its code: the email address, and when the code was sent (Unix time in ms). */
export type SavedSignUp = { email: string; sentAt: number }

const key = `${storagePrefix}-sign-up`

/** Saves the email address to which a sign-up code was sent, for the page to which the email links. */
export const saveSignUp = (signUp: SavedSignUp): void => {
  localStorage.setItem(key, JSON.stringify(signUp))
}

/** The sign-up that was begun in this browser. */
export const readSignUp = (): SavedSignUp | undefined => {
  try {
    const { email, sentAt } = JSON.parse(localStorage.getItem(key) ?? '{}') as Record<string, unknown>
    if (typeof email === 'string' && typeof sentAt === 'number') return { email, sentAt }
  } catch {
    // The stored value is not a sign-up, so it is ignored.
  }
  return undefined
}

/** Removes the saved sign-up. */
export const forgetSignUp = (): void => {
  localStorage.removeItem(key)
}

/** How long a code is valid, in ms. */
export const codeLifeMs = 10 * 60 * 1000

/** The step at which a sign-up continues: the code for `email`, or the email address, prefilled if it is known. */
export type SignUpStep = { step: 'email'; email: string } | { step: 'code'; email: string; sentAt: number; otp: string }

/**
 * The first step of /auth/register. A code in the URL belongs to the sign-up begun in this browser, otherwise to the
 * address in the URL. Without a code, a sign-up whose code can still be valid continues, unless the URL has another
 * address.
 */
export const firstStep = (query: URLSearchParams, saved: SavedSignUp | undefined, now: number): SignUpStep => {
  const otp = query.get('otp') ?? ''
  const given = query.get('email') ?? ''
  if (otp !== '') {
    const email = saved?.email ?? given
    return email === '' ? { step: 'email', email } : { step: 'code', email, sentAt: saved?.sentAt ?? 0, otp }
  }
  const same = given === '' || given.toLowerCase() === saved?.email.toLowerCase()
  if (saved !== undefined && same && now - saved.sentAt < codeLifeMs) return { step: 'code', ...saved, otp: '' }
  return { step: 'email', email: given }
}
