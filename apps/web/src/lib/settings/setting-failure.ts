import { ApiError } from '../api/errors.ts'

/** Why a setting could not be changed: a message and, if there is one, the detail from another system. */
export type SettingFailure = { message: string; detail?: string }

/** Returns the error to show below a setting that could not be changed. */
export const settingFailure = (error: unknown, name: string): SettingFailure => {
  const metadata = (error instanceof ApiError ? error.body.metadata : undefined) ?? {}
  // The error can also be about a secret that was sent together with the setting.
  const [, ofSecret] = Object.entries(metadata).find(([place]) => place.startsWith('secrets.')) ?? []
  const { value: message = ofSecret, detail } = metadata
  if (message === undefined || message === '') return { message: `Failed to update the ${name}.` }
  return detail === undefined || detail === '' ? { message } : { message, detail }
}
