import { ApiError } from '../api/errors.ts'

/** The reason why a setting could not be changed: a message, and the detail from the other system. */
export type SettingFailure = { message: string; detail?: string }

/** The error below a setting that could not be changed. */
export const settingFailure = (error: unknown, name: string): SettingFailure => {
  const metadata = (error instanceof ApiError ? error.body.metadata : undefined) ?? {}
  // A secret that came along with the setting and was not taken.
  const [, ofSecret] = Object.entries(metadata).find(([place]) => place.startsWith('secrets.')) ?? []
  const { value: message = ofSecret, detail } = metadata
  if (message === undefined || message === '') return { message: `Failed to update the ${name}.` }
  return detail === undefined || detail === '' ? { message } : { message, detail }
}
